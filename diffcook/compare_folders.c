/*
 * Two folders of loose files. Sizes decide where they can; equal sizes are read on both sides
 * by two threads with pread and memcmp, which is as fast as the page cache gives them: mapping
 * the files does not scale. A large file is cut into pieces, so that both threads stay busy.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "cook/registry/parallel.h"
#include "folder_list.h"

#define THREADS      2u
#define PIECE_BYTES  ((uint64_t)8 << 20)
#define BUFFER_BYTES ((size_t)128 << 10) /* two of them stay in a core's own cache */

struct piece {
    uint32_t pair;
    uint64_t offset;
    uint64_t size_bytes;
};

/* Two files of one path. */
struct pair {
    const char *path;
    uint64_t old_bytes;
    uint64_t new_bytes;
    _Atomic bool differs; /* known: its other pieces need not be read */
};

struct compare {
    struct diff_comparison *comparison;
    struct pair *pairs;
    size_t pair_count, pair_capacity;
    struct piece *pieces;
    size_t piece_count, piece_capacity;
    _Atomic size_t next;
    _Atomic bool stop;
    _Atomic bool reported; /* whose error stands in `error` */
    enum cook_status status;
    struct cook_error error;
};

/* ---- reading ---- */

static void give_up(struct compare *compare, const struct cook_error *error)
{
    compare->stop = true;
    if (atomic_exchange(&compare->reported, true))
        return;
    compare->status = error->status;
    compare->error = *error;
}

/* Fill the buffer as far as the file goes; false when that fails. */
static bool read_at(size_t *got, int fd, uint8_t *buffer, size_t size, uint64_t offset)
{
    *got = 0;
    while (*got < size) {
        ssize_t part = pread(fd, buffer + *got, size - *got, (off_t)(offset + *got));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return false;
        if (part == 0)
            return true;
        *got += (size_t)part;
    }
    return true;
}

static void compare_piece(struct compare *compare, const struct piece *piece, const int fds[2],
                          uint8_t *buffers)
{
    struct pair *pair = &compare->pairs[piece->pair];
    uint64_t end = piece->offset + piece->size_bytes;
    for (uint64_t at = piece->offset; at < end && !pair->differs;) {
        size_t size = end - at < BUFFER_BYTES ? (size_t)(end - at) : BUFFER_BYTES;
        size_t got[2];
        for (unsigned side = 0; side < 2; side++)
            if (!read_at(&got[side], fds[side], buffers + side * BUFFER_BYTES, size, at)) {
                struct cook_error error = COOK_ERROR_INIT;
                cook_error_set_errno(&error, "%s: cannot read %s",
                                     compare->comparison->operands[side]->text, pair->path);
                give_up(compare, &error);
                return;
            }
        if (got[0] != got[1] || memcmp(buffers, buffers + BUFFER_BYTES, got[0]) != 0)
            pair->differs = true;
        at += size;
    }
}

static void take_piece(struct compare *compare, const struct piece *piece, uint8_t *buffers)
{
    const char *path = compare->pairs[piece->pair].path;
    int fds[2] = { -1, -1 };
    for (unsigned side = 0; side < 2; side++) {
        const struct diff_operand *operand = compare->comparison->operands[side];
        fds[side] = openat(operand->folder_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (fds[side] < 0) {
            struct cook_error error = COOK_ERROR_INIT;
            cook_error_set_errno(&error, "%s: cannot open %s", operand->text, path);
            give_up(compare, &error);
        }
    }
    if (fds[0] >= 0 && fds[1] >= 0)
        compare_piece(compare, piece, fds, buffers);
    for (unsigned side = 0; side < 2; side++)
        if (fds[side] >= 0)
            close(fds[side]);
}

static void work(void *context)
{
    struct compare *compare = context;
    uint8_t *buffers = cook_malloc(2 * BUFFER_BYTES);
    if (!buffers) {
        struct cook_error error = COOK_ERROR_INIT;
        cook_error_no_memory(&error);
        give_up(compare, &error);
        return;
    }
    size_t at;
    while (!compare->stop && (at = compare->next++) < compare->piece_count)
        if (!compare->pairs[compare->pieces[at].pair].differs)
            take_piece(compare, &compare->pieces[at], buffers);
    cook_free(buffers);
}

/* ---- planning ---- */

static bool add_pair(struct compare *compare, const struct diff_file *old,
                     const struct diff_file *new)
{
    if (compare->pair_count >= UINT32_MAX ||
        !cook_grow(&compare->pairs, &compare->pair_capacity, compare->pair_count + 1,
                   sizeof(*compare->pairs)))
        return false;
    struct pair *pair = &compare->pairs[compare->pair_count];
    pair->path = old->path;
    pair->old_bytes = old->size_bytes;
    pair->new_bytes = new->size_bytes;
    pair->differs = old->size_bytes != new->size_bytes;
    uint64_t size = pair->differs ? 0 : old->size_bytes;
    for (uint64_t offset = 0; offset < size; offset += PIECE_BYTES) {
        if (!cook_grow(&compare->pieces, &compare->piece_capacity, compare->piece_count + 1,
                       sizeof(*compare->pieces)))
            return false;
        uint64_t left = size - offset;
        compare->pieces[compare->piece_count++] =
            (struct piece){ (uint32_t)compare->pair_count, offset,
                            left < PIECE_BYTES ? left : PIECE_BYTES };
    }
    compare->pair_count++;
    compare->comparison->size_bytes += size;
    return true;
}

/* Visit both lists in order; a NULL is what one side has not. False when memory is short. */
static bool visit_files(const struct diff_file_list *lists,
                        bool (*visit)(struct compare *, const struct diff_file *,
                                      const struct diff_file *),
                        struct compare *compare)
{
    size_t i = 0;
    size_t k = 0;
    bool room = true;
    while (room && (i < lists[0].count || k < lists[1].count)) {
        int order = i == lists[0].count ? 1
                    : k == lists[1].count
                        ? -1
                        : strcmp(lists[0].files[i].path, lists[1].files[k].path);
        room = visit(compare, order <= 0 ? &lists[0].files[i] : NULL,
                     order >= 0 ? &lists[1].files[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    return room;
}

static bool plan_file(struct compare *compare, const struct diff_file *old,
                      const struct diff_file *new)
{
    return !old || !new || add_pair(compare, old, new);
}

/* Pairs come in the order of planning, so the next one is that of this path. */
static bool take_file(struct compare *compare, const struct diff_file *old,
                      const struct diff_file *new)
{
    struct diff_comparison *comparison = compare->comparison;
    enum diff_change change = !old ? DIFF_ADDED : !new ? DIFF_DELETED : DIFF_MODIFIED;
    if (old && new && !compare->pairs[compare->next++].differs) {
        comparison->identical++;
        return true;
    }
    const char *path = cook_arena_strdup(&comparison->arena, old ? old->path : new->path);
    struct diff_entry *entry = path ? diff_comparison_add(comparison, path, change) : NULL;
    if (!entry)
        return false;
    entry->parts = change == DIFF_MODIFIED ? DIFF_PART_BYTES : 0;
    entry->old_bytes = old ? old->size_bytes : 0;
    entry->new_bytes = new ? new->size_bytes : 0;
    return true;
}

/* ---- the whole ---- */

struct listing {
    struct diff_file_list lists[2];
    const struct diff_comparison *comparison;
    enum cook_status status[2];
    struct cook_error errors[2];
    _Atomic unsigned next;
};

static void list_next(void *context)
{
    struct listing *listing = context;
    for (unsigned side = listing->next++; side < 2; side = listing->next++)
        listing->status[side] = diff_file_list_read(
            &listing->lists[side], listing->comparison->operands[side]->folder_fd,
            &listing->errors[side]);
}

static enum cook_status list_both(struct listing *listing, struct cook_error *error)
{
    cook_parallel_run(2, list_next, listing);
    for (unsigned side = 0; side < 2; side++)
        if (listing->status[side] != COOK_OK)
            return cook_error_set(error, listing->status[side], "%s: %s",
                                  listing->comparison->operands[side]->text,
                                  listing->errors[side].message);
    return COOK_OK;
}

enum cook_status diff_compare_folders(struct diff_comparison *comparison,
                                      struct cook_error *error)
{
    struct compare compare = { .comparison = comparison };
    struct listing listing = { .comparison = comparison };
    enum cook_status status = list_both(&listing, error);
    if (status == COOK_OK && !visit_files(listing.lists, plan_file, &compare))
        status = cook_error_no_memory(error);
    if (status == COOK_OK && compare.piece_count)
        cook_parallel_run(THREADS, work, &compare);
    if (status == COOK_OK && compare.status != COOK_OK)
        status = cook_error_set(error, compare.status, "%s", compare.error.message);
    compare.next = 0;
    if (status == COOK_OK && !visit_files(listing.lists, take_file, &compare))
        status = cook_error_no_memory(error);
    comparison->uncompared = listing.lists[0].other_count + listing.lists[1].other_count;
    cook_free(compare.pairs);
    cook_free(compare.pieces);
    diff_file_list_finish(&listing.lists[0]);
    diff_file_list_finish(&listing.lists[1]);
    return status;
}
