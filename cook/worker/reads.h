/*
 * Callstacks of reads: while callstacks are captured, each input that class code asks for
 * through the context is noted with the stack of its first read, also one that a scope keeps
 * out of the record. A result carries them beside the stacks of its writes.
 *
 *     reads   varint count; per read: u8 kind, args, varint stack id; the stack set as bytes
 */
#ifndef COOK_WORKER_READS_H
#define COOK_WORKER_READS_H

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/symbols/stacks.h"

struct cook_reads; /* thread-safe */

enum cook_status cook_reads_create(struct cook_reads **out,
                                   struct cook_error *error) COOK_CHECK_RESULT;
void cook_reads_destroy(struct cook_reads *reads); /* NULL allowed */
/* Note a read with the caller's stack; a further one of the same input is not noted. */
void cook_reads_note(struct cook_reads *reads, uint32_t kind, const char *args);
void cook_reads_encode(struct cook_reads *reads, struct cook_buf *out);

struct cook_read {
    uint32_t kind; /* enum cook_dep_kind */
    const char *args;
    uint32_t stack; /* in the set; COOK_STACK_NONE */
};
struct cook_read_set {
    struct cook_read *items; /* in order of first read */
    size_t count;
    struct cook_stack_set stacks;
};
/* Decode untrusted bytes; an empty set for none. All in `arena`. COOK_E_MALFORMED,
 * COOK_E_NO_MEMORY. */
enum cook_status cook_reads_decode(struct cook_read_set *set, const void *bytes, size_t size,
                                   struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* The read of an input, or NULL. */
const struct cook_read *cook_reads_find(const struct cook_read_set *set, uint32_t kind,
                                        const char *args);

#endif
