#include "shader.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "fields.h"

#define CODE          "Code#bulk"
#define SPIRV_MAGIC   0x07230203u
#define TOOL          "spirv-dis"
#define TIMEOUT_MS    5000
#define MAX_TEXT      ((size_t)8 << 20)
#define MAX_LINES     400 /* between the first and the last that differ, of each side */
#define SHOWN_LINES   24

/* ---- disassembling ---- */

static bool is_spirv(const uint8_t *bytes, size_t size)
{
    return size >= 20 && size % 4 == 0 &&
           (bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
            (uint32_t)bytes[3] << 24) == SPIRV_MAGIC;
}

/* NULL, or why there is no text. */
static const char *disassemble(struct cook_buf *text, const uint8_t *bytes, size_t size)
{
    static const char *const argv[] = { TOOL, "--no-color", "--no-indent", "--no-header", "-", NULL };
    int fd = memfd_create("cook-shader", MFD_CLOEXEC);
    char path[64];
    int exit_status = 0;
    if (fd < 0 || cook_fs_write_all(fd, bytes, size, NULL) != COOK_OK) {
        if (fd >= 0)
            close(fd);
        return "not disassembled: no memory";
    }
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct cook_child child = COOK_CHILD_INIT;
    child.argv = argv;
    child.input_path = path;
    child.out = text;
    child.max_out_bytes = MAX_TEXT;
    child.timeout_ms = TIMEOUT_MS;
    enum cook_status status = cook_child_run(&exit_status, &child, NULL);
    close(fd);
    if (status == COOK_E_NOT_FOUND)
        return "not disassembled: there is no " TOOL " (package spirv-tools)";
    if (status == COOK_E_TIMEOUT)
        return "not disassembled: " TOOL " took too long";
    return status == COOK_OK && exit_status == 0 ? NULL : "not disassembled: " TOOL " refuses the code";
}

/* ---- lines ---- */

struct lines {
    const char **items;
    size_t count;
};

static bool split(struct lines *lines, char *text, struct cook_arena *arena)
{
    size_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    lines->items = cook_arena_alloc(arena, (count + 1) * sizeof(*lines->items));
    lines->count = 0;
    for (char *at = text; lines->items && *at;) {
        char *end = strchr(at, '\n');
        lines->items[lines->count++] = at;
        if (!end)
            break;
        *end = '\0';
        at = end + 1;
    }
    return lines->items != NULL;
}

struct output {
    struct cook_buf text;
    size_t shown, dropped;
};

static void put_line(struct output *out, char mark, const char *line)
{
    if (out->shown == SHOWN_LINES) {
        out->dropped++;
        return;
    }
    cook_buf_printf(&out->text, "%c %s\n", mark, line);
    out->shown++;
}

/* Lengths of the longest common subsequences of what is left from each pair of lines on. */
static uint16_t *common_lengths(const struct lines *old, const struct lines *new, struct cook_arena *arena)
{
    size_t width = new->count + 1;
    uint16_t *table = cook_arena_alloc(arena, (old->count + 1) * width * sizeof(*table));
    if (!table)
        return NULL;
    for (size_t i = old->count + 1; i-- > 0;)
        for (size_t k = new->count + 1; k-- > 0;) {
            uint16_t *at = &table[i * width + k];
            if (i == old->count || k == new->count)
                *at = 0;
            else if (strcmp(old->items[i], new->items[k]) == 0)
                *at = (uint16_t)(at[width + 1] + 1);
            else
                *at = at[width] > at[1] ? at[width] : at[1];
        }
    return table;
}

static bool put_changes(struct output *out, const struct lines *old, const struct lines *new,
                        struct cook_arena *arena)
{
    bool small = old->count <= MAX_LINES && new->count <= MAX_LINES;
    const uint16_t *table = small ? common_lengths(old, new, arena) : NULL;
    size_t width = new->count + 1, i = 0, k = 0;
    if (small && !table)
        return false;
    while (i < old->count || k < new->count) {
        if (table && i < old->count && k < new->count && strcmp(old->items[i], new->items[k]) == 0) {
            i++, k++;
        } else if (i < old->count &&
                   (!table || k == new->count || table[(i + 1) * width + k] >= table[i * width + k + 1])) {
            put_line(out, '-', old->items[i++]);
        } else {
            put_line(out, '+', new->items[k++]);
        }
    }
    return true;
}

/* Without the lines that both begin and end with. */
static void trim(struct lines *old, struct lines *new)
{
    while (old->count && new->count && strcmp(old->items[0], new->items[0]) == 0) {
        old->items++, old->count--;
        new->items++, new->count--;
    }
    while (old->count && new->count &&
           strcmp(old->items[old->count - 1], new->items[new->count - 1]) == 0) {
        old->count--;
        new->count--;
    }
}

static const char *compare(struct cook_buf texts[2], struct cook_arena *arena)
{
    struct output out = { .text = COOK_BUF_INIT };
    struct lines old, new;
    char *copies[2];
    for (unsigned i = 0; i < 2; i++)
        if (!(copies[i] = cook_arena_strdup(arena, cook_buf_text(&texts[i]))))
            return NULL;
    bool room = split(&old, copies[0], arena) && split(&new, copies[1], arena);
    if (room) {
        trim(&old, &new);
        room = put_changes(&out, &old, &new, arena);
    }
    if (room && out.shown == 0)
        cook_buf_printf(&out.text, "the disassembly is the same\n");
    if (out.dropped)
        cook_buf_printf(&out.text, "and %zu more lines\n", out.dropped);
    const char *text = cook_buf_text(&out.text);
    const char *result = room && !out.text.failed ? cook_arena_strdup(arena, text) : NULL;
    cook_buf_finish(&out.text);
    return result;
}

const char *diff_shader_text(const struct diff_difference *d, const struct diff_version *old,
                             const struct diff_version *new, struct cook_arena *arena)
{
    if (d->tokens != 1 || d->kind != DIFF_CHANGED || !diff_is_write(old, d->old_token, d->old_write, CODE) ||
        !diff_is_write(new, d->new_token, d->new_write, CODE))
        return NULL;
    const uint8_t *codes[2] = { old->bytes + d->old_write, new->bytes + d->new_write };
    size_t sizes[2] = { old->tokens->tokens[d->old_token].size, new->tokens->tokens[d->new_token].size };
    struct cook_buf texts[2] = { COOK_BUF_INIT, COOK_BUF_INIT };
    if (!is_spirv(codes[0], sizes[0]) || !is_spirv(codes[1], sizes[1]))
        return NULL;
    const char *problem = disassemble(&texts[0], codes[0], sizes[0]);
    if (!problem)
        problem = disassemble(&texts[1], codes[1], sizes[1]);
    const char *result =
        problem ? cook_arena_printf(arena, "%s\n", problem) : compare(texts, arena);
    cook_buf_finish(&texts[0]);
    cook_buf_finish(&texts[1]);
    return result;
}
