/*
 * Verify: read everything. A blob is read at the address that names it, so one damaged record
 * hides no other. What is found damaged is dropped by a writer at its next commit, so that a
 * recook stores it anew.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cook/base/alloc.h"
#include "cook/store/details.h"
#include "cook/store/store_private.h"

struct saved_blob {
    struct cook_hash hash;
    struct cook_blob_address address;
};

struct bad_blob {
    struct cook_hash hash;
    const char *what;
    bool referred; /* by some package */
};

struct verify {
    struct cook_store *store;
    struct cook_arena *arena;
    struct cook_store_fault *faults;
    size_t fault_count;
    size_t fault_capacity;
    struct saved_blob *blobs;
    size_t blob_count;
    size_t blob_capacity;
    struct bad_blob *bad;
    size_t bad_count;
    size_t bad_capacity;
    bool no_memory;
};

static void add_fault(struct verify *verify, uint32_t package, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_fault(struct verify *verify, uint32_t package, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    char *what = cook_arena_strdup(verify->arena, text);
    if (!what || !cook_grow(&verify->faults, &verify->fault_capacity, verify->fault_count + 1,
                            sizeof(*verify->faults))) {
        verify->no_memory = true;
        return;
    }
    verify->faults[verify->fault_count++] = (struct cook_store_fault){ what, package };
}

/* ---- the database and the index ---- */

static enum cook_status verify_database(struct verify *verify, struct cook_error *error)
{
    char text[512];
    bool fault;
    struct cook_state rows;
    struct cook_error detail = COOK_ERROR_INIT;
    enum cook_status status =
        cook_sql_integrity(&fault, text, sizeof(text), verify->store->sql, error);
    if (status != COOK_OK)
        return status;
    if (fault)
        add_fault(verify, COOK_ID_NONE, "cook.db: %s", text);
    status = cook_store_load_state(&rows, verify->store, &detail);
    if (status == COOK_OK)
        cook_state_finish(&rows);
    else if (status == COOK_E_DAMAGED)
        add_fault(verify, COOK_ID_NONE, "%s", detail.message);
    else
        return cook_error_set(error, status, "%s", detail.message);
    if (cook_index_verify(verify->store->folder_fd, &detail) != COOK_OK)
        add_fault(verify, COOK_ID_NONE, "%s", detail.message);
    return COOK_OK;
}

/* ---- segments and blobs ---- */

/* Only those that hold blobs: one whose blobs were all given up may be damaged, or gone. */
static enum cook_status verify_segments(struct verify *verify, struct cook_error *error)
{
    struct cook_sql_query *query;
    struct cook_error detail = COOK_ERROR_INIT;
    bool row = false;
    enum cook_status status =
        cook_store_query(&query, verify->store, COOK_QUERY_USED_SEGMENTS, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        uint32_t number = cook_sql_u32(query);
        if (cook_segments_check(verify->store->segments, number, &detail) != COOK_OK) {
            add_fault(verify, COOK_ID_NONE, "%s", detail.message);
            if (verify->store->write) /* a lost segment stays so: its blobs are given up below */
                (void)!cook_segments_mend(verify->store->segments, number, NULL);
        }
        status = cook_sql_step(&row, query, error);
    }
    return status;
}

/* All addresses first: reading blobs asks other queries, and may drop rows of this one. */
static enum cook_status list_blobs(struct verify *verify, struct cook_error *error)
{
    struct cook_sql_query *query;
    bool row = false;
    enum cook_status status = cook_store_query(&query, verify->store, COOK_QUERY_BLOBS, error);
    if (status == COOK_OK)
        status = cook_sql_step(&row, query, error);
    while (status == COOK_OK && row) {
        if (!cook_grow(&verify->blobs, &verify->blob_capacity, verify->blob_count + 1,
                       sizeof(*verify->blobs))) {
            cook_sql_reset(query);
            return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory to verify the store");
        }
        struct saved_blob *blob = &verify->blobs[verify->blob_count++];
        blob->hash = cook_sql_hash(query);
        blob->address.segment = cook_sql_u32(query);
        blob->address.offset = (uint64_t)cook_sql_i64(query);
        blob->address.size_bytes = (uint64_t)cook_sql_i64(query);
        blob->address.stored_bytes = (uint64_t)cook_sql_i64(query);
        status = cook_sql_step(&row, query, error);
    }
    return status;
}

static void add_bad(struct verify *verify, struct cook_hash hash, const char *reason)
{
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    const char *what = cook_arena_printf(verify->arena, "blob %s: %s", text, reason);
    if (!what || !cook_grow(&verify->bad, &verify->bad_capacity, verify->bad_count + 1,
                            sizeof(*verify->bad)))
        verify->no_memory = true;
    else
        verify->bad[verify->bad_count++] = (struct bad_blob){ hash, what, false };
}

static enum cook_status verify_blobs(struct verify *verify, struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < verify->blob_count && status == COOK_OK; i++) {
        const struct saved_blob *blob = &verify->blobs[i];
        struct cook_error detail = COOK_ERROR_INIT;
        cook_buf_clear(&bytes);
        enum cook_status found = cook_segments_read(&bytes, verify->store->segments,
                                                    &blob->address, blob->hash, &detail);
        if (found == COOK_OK)
            continue;
        if (found == COOK_E_NO_MEMORY)
            status = cook_error_set(error, found, "%s", detail.message);
        else
            add_bad(verify, blob->hash, detail.message);
        if (status == COOK_OK && verify->store->write)
            status = cook_store_drop_blob(verify->store, blob->hash, error);
    }
    cook_buf_finish(&bytes);
    return status;
}

/* ---- references ---- */

static int compare_saved(const void *a, const void *b)
{
    return cook_hash_compare(((const struct saved_blob *)a)->hash,
                             ((const struct saved_blob *)b)->hash);
}

static int compare_bad(const void *a, const void *b)
{
    return cook_hash_compare(((const struct bad_blob *)a)->hash,
                             ((const struct bad_blob *)b)->hash);
}

static void verify_reference(struct verify *verify, uint32_t package, struct cook_hash hash)
{
    const struct saved_blob saved = { .hash = hash };
    const struct bad_blob wanted = { .hash = hash };
    char text[COOK_HASH_TEXT_SIZE];
    if (cook_hash_is_zero(hash))
        return;
    struct bad_blob *bad = NULL;
    if (verify->bad_count)
        bad = bsearch(&wanted, verify->bad, verify->bad_count, sizeof(wanted), compare_bad);
    if (bad) {
        bad->referred = true;
        add_fault(verify, package, "%s", bad->what);
        return;
    }
    if (verify->blob_count &&
        bsearch(&saved, verify->blobs, verify->blob_count, sizeof(saved), compare_saved))
        return;
    if (cook_store_has_blob(verify->store, hash))
        return; /* put since the last commit */
    cook_hash_to_text(hash, text);
    add_fault(verify, package, "blob %s: it is missing", text);
}

static void verify_details(struct verify *verify, uint32_t package)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_details details;
    enum cook_status status =
        cook_details_of(&details, &verify->store->state, package, &arena);
    if (status == COOK_E_NO_MEMORY)
        verify->no_memory = true;
    else if (status != COOK_OK)
        add_fault(verify, package, "the details of a result are malformed");
    for (size_t i = 0; status == COOK_OK && i < details.file_count; i++)
        verify_reference(verify, package, details.files[i].hash);
    if (status == COOK_OK)
        verify_reference(verify, package, details.parts);
    cook_arena_finish(&arena);
}

static void verify_references(struct verify *verify)
{
    const struct cook_state *state = &verify->store->state;
    if (verify->blob_count)
        qsort(verify->blobs, verify->blob_count, sizeof(*verify->blobs), compare_saved);
    if (verify->bad_count)
        qsort(verify->bad, verify->bad_count, sizeof(*verify->bad), compare_bad);
    for (uint32_t i = 0; i < state->packages_count; i++) {
        if (state->packages[i].flags & COOK_PACKAGE_HAS_RESULT) {
            verify_reference(verify, i, state->results[i].bytes);
            verify_reference(verify, i, state->results[i].tokens);
            verify_details(verify, i);
        }
    }
    for (size_t i = 0; i < verify->bad_count; i++) {
        if (!verify->bad[i].referred)
            add_fault(verify, COOK_ID_NONE, "%s", verify->bad[i].what);
    }
}

enum cook_status cook_store_verify(struct cook_store *store, struct cook_store_fault **faults,
                                   size_t *count, struct cook_arena *arena,
                                   struct cook_error *error)
{
    struct verify verify = { .store = store, .arena = arena };
    *faults = NULL;
    *count = 0;
    enum cook_status status = cook_store_open_segments(store, error);
    if (status == COOK_OK)
        status = verify_database(&verify, error);
    if (status == COOK_OK)
        status = verify_segments(&verify, error);
    if (status == COOK_OK)
        status = list_blobs(&verify, error);
    if (status == COOK_OK)
        status = verify_blobs(&verify, error);
    if (status == COOK_OK)
        verify_references(&verify);
    if (status == COOK_OK) {
        *faults =
            cook_arena_dup(arena, verify.faults, verify.fault_count * sizeof(*verify.faults));
        *count = *faults ? verify.fault_count : 0;
        if (!*faults || verify.no_memory)
            status =
                cook_error_set(error, COOK_E_NO_MEMORY, "out of memory to verify the store");
    }
    cook_free(verify.faults);
    cook_free(verify.blobs);
    cook_free(verify.bad);
    return status;
}
