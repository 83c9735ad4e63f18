/*
 * Replays a fuzz target without a fuzzer: every file of the folders given, and of each file also its
 * prefixes and single flipped bytes, at a bounded number of places.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_INPUT_BYTES (1u << 20)
#define PLACES 64

static void run(const uint8_t *data, size_t size)
{
    /* A copy of exactly this size, so that a sanitizer sees a read past its end. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_variants(uint8_t *data, size_t size)
{
    run(data, size);
    for (size_t i = 0; i < PLACES && i < size; i++) {
        size_t at = size * i / PLACES;
        run(data, at);
        data[at] ^= (uint8_t)(1u << (i % 8));
        run(data, size);
        data[at] ^= (uint8_t)(1u << (i % 8));
    }
}

static unsigned run_folder(const char *path)
{
    unsigned count = 0;
    static uint8_t bytes[MAX_INPUT_BYTES];
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        FILE *file = fopen(name, "rb");
        if (!file)
            continue;
        size_t size = fread(bytes, 1, sizeof(bytes), file);
        fclose(file);
        run_variants(bytes, size);
        count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    uint8_t nothing[1] = { 0 };
    run(nothing, 0);
    for (int i = 1; i < argc; i++)
        count += run_folder(argv[i]);
    printf("%u inputs replayed\n", count);
    return 0;
}
