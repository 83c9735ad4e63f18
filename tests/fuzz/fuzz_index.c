/*
 * The index file. The first byte chooses: the others are the file (even), or changes to a sound
 * one, 5 bytes each: offset and value to xor (odd). The header is sealed, so that what stands
 * behind its checksum is reached. What attaches must be usable, whatever it says.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/store/index.h"

#define CHANGE_BYTES 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Bytes aligned as a mapping would be. */
static uint8_t *copy_aligned(const void *bytes, size_t size)
{
    uint8_t *copy = aligned_alloc(64, (size + 64) & ~(size_t)63);
    require(copy != NULL);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

static uint8_t *make_sound(size_t *size)
{
    struct cook_state state;
    cook_state_init(&state);
    for (uint32_t i = 0; i < 8; i++) {
        char name[] = "Content/A/0.asset";
        name[10] = (char)('0' + i);
        uint32_t file = cook_state_add_file(&state, name);
        uint32_t package = cook_state_add_package(&state, name);
        uint32_t ids[2] = { cook_state_add_dep(&state, i, name), 0 };
        uint32_t set = cook_state_add_set(&state, ids, 2, NULL, 0);
        state.files[file].package = package;
        state.packages[package].file = file;
        state.packages[package].bundle = cook_state_add_bundle(&state, &set, 1);
        state.packages[package].edges = cook_state_add_blob(&state, name, i);
    }
    require(cook_state_sort(&state, NULL) == COOK_OK);
    int fd = memfd_create("index", MFD_CLOEXEC);
    require(cook_index_write_copy(&state, fd, NULL) == COOK_OK);
    cook_state_finish(&state);
    *size = (size_t)lseek(fd, 0, SEEK_END);
    void *map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    require(map != MAP_FAILED);
    uint8_t *bytes = copy_aligned(map, *size);
    munmap(map, *size);
    close(fd);
    return bytes;
}

static void apply_changes(uint8_t *bytes, size_t size, const uint8_t *data, size_t data_size)
{
    struct cook_reader_buf in = cook_read_init(data, data_size);
    while (in.size - in.offset >= CHANGE_BYTES) {
        uint32_t offset = cook_read_u32(&in);
        bytes[offset % size] ^= cook_read_u8(&in);
    }
}

static void walk_members(const struct cook_state *state, uint32_t bundle)
{
    const struct cook_state_bundle *row = &state->bundles[bundle];
    for (uint32_t i = 0; i < row->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[row->first + i]];
        for (uint32_t j = 0; j < set->count; j++) {
            const struct cook_state_dep *dep = &state->deps[state->ids[set->first + j]];
            require(strlen(cook_state_text(state, dep->args)) <= state->pool_count);
        }
    }
}

static void walk(struct cook_state *state)
{
    size_t size;
    for (uint32_t i = 0; i < state->packages_count; i++) {
        const struct cook_state_package *row = &state->packages[state->package_order[i]];
        (void)cook_state_find_package(state, cook_state_text(state, row->name));
        (void)cook_state_blob(state, row->edges, &size);
        (void)cook_state_blob(state, state->results[i].facts, &size);
        if (row->bundle != COOK_ID_NONE)
            walk_members(state, row->bundle);
    }
    struct cook_arena arena = COOK_ARENA_INIT;
    for (uint32_t i = 0; i < state->files_count; i++) {
        const char *path = cook_state_file_path(state, state->file_order[i], &arena);
        require(path != NULL);
        (void)cook_state_find_file(state, path);
    }
    cook_arena_finish(&arena);
}

static void try_index(uint8_t *bytes, size_t size)
{
    struct cook_state state;
    cook_index_seal(bytes, size);
    if (cook_index_attach(&state, bytes, size, NULL, NULL) != COOK_OK)
        return;
    walk(&state);
    uint32_t ids[] = { 0 };
    /* `map` is not set, so thawing leaves the bytes to us. */
    if (cook_state_thaw(&state, NULL) == COOK_OK) {
        (void)cook_state_add_file(&state, "Content/B/new.asset");
        (void)cook_state_add_package(&state, "/Game/New");
        (void)cook_state_add_set(&state, ids, 1, NULL, 0);
        require(cook_state_sort(&state, NULL) == COOK_OK);
        walk(&state);
    }
    cook_state_finish(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (data[0] % 2) {
        size_t sound_size;
        uint8_t *sound = make_sound(&sound_size);
        apply_changes(sound, sound_size, data + 1, size - 1);
        try_index(sound, sound_size);
        free(sound);
    } else {
        uint8_t *bytes = copy_aligned(data + 1, size - 1);
        try_index(bytes, size - 1);
        free(bytes);
    }
    return 0;
}
