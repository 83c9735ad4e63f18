/*
 * The protocol between the director and its workers: frames over a Unix stream socket.
 *
 *     frame   u32 payload size, u32 type, payload (encoded by base/buf.h)
 *
 * A worker is started with its socket on descriptor 3, a pipe for a crash report on 4, and a memory
 * file for the registry on 5. Both sides treat what they read as untrusted.
 */
#ifndef COOK_WORKER_PROTOCOL_H
#define COOK_WORKER_PROTOCOL_H

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_WORKER_SOCKET_FD 3
#define COOK_WORKER_CRASH_FD 4
#define COOK_WORKER_REGISTRY_FD 5
#define COOK_FRAME_MAX_BYTES (UINT32_C(3) << 30)
#define COOK_PROTOCOL_VERSION 8u

enum cook_frame_type {
    COOK_FRAME_UNKNOWN = 0,
    /* director to worker */
    COOK_FRAME_INIT,     /* u32 protocol, target, config blob, arguments, plugins (path, name) */
    COOK_FRAME_SCAN,     /* count, per package: name, path */
    COOK_FRAME_REGISTRY, /* the registry's memory file is ready: u64 size */
    COOK_FRAME_COOK,     /* u8 enum cook_mode, count, names */
    COOK_FRAME_EVALUATE, /* count, function dependencies: args */
    COOK_FRAME_FOLD,     /* an artifact's fold: name, state, removals, parts (artifacts.h) */
    COOK_FRAME_QUIT,
    /* worker to director */
    COOK_FRAME_MODULES,  /* before HELLO: count, per loaded library: name, build id, path */
    COOK_FRAME_HELLO,    /* classes (name, module, parent, project, schema), readers, plugins */
    COOK_FRAME_SCANNED,  /* name, reader text, source hash, facts blob */
    COOK_FRAME_VALUES,   /* count, hashes: of COOK_FRAME_EVALUATE, in its order */
    COOK_FRAME_FOLDED,   /* u32 status, message, state, files: of COOK_FRAME_FOLD */
    COOK_FRAME_BEGIN,    /* name: the package at hand */
    COOK_FRAME_LOAD_SET, /* u32 id, record, its origins: a load set, defined before its first use */
    COOK_FRAME_RESULT,   /* struct cook_result */
    COOK_FRAME_TRACED,   /* what a traced worker saw (trace/tracer.h); taken by the pool */
    COOK_FRAME_IDLE,     /* the batch is done */
    COOK_FRAME_FAILED,   /* message: the worker cannot go on (a plugin does not load, …) */
};

/* How a package is cooked. */
enum cook_mode {
    COOK_MODE_PLAIN = 0,
    COOK_MODE_CAPTURE, /* with a callstack per write */
    COOK_MODE_RESAVE,  /* not at all: what an editor's save records of it (session.h) */
};

/* Write one frame. COOK_E_IO when the peer is gone. */
enum cook_status cook_frame_write(int fd, enum cook_frame_type type, const struct cook_buf *payload,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* Read one whole frame, blocking; COOK_E_NOT_FOUND at a clean end. `payload` is replaced. */
enum cook_status cook_frame_read(int fd, enum cook_frame_type *type, struct cook_buf *payload,
                                 struct cook_error *error) COOK_CHECK_RESULT;

struct cook_result_file {
    const char *name;
    const uint8_t *bytes;
    size_t size;
};

/* What a worker reports of one package. Decoded texts live in the arena; blobs are borrowed. */
struct cook_result {
    const char *package;
    bool ok;
    bool omitted; /* nothing of it is saved for this target: no bytes, and no failure */
    uint64_t duration_us;
    const uint8_t *bytes; /* the cooked package; empty when it failed */
    size_t size;
    const uint8_t *tokens; /* encoded token map */
    size_t tokens_size;
    const uint8_t *messages; /* encoded */
    size_t messages_size;
    const char **hard; /* edges as reference paths, sorted */
    size_t hard_count;
    const char **soft;
    size_t soft_count;
    const uint32_t *load_sets; /* ids of LOAD_SET frames of this worker */
    size_t load_set_count;
    const uint8_t *save_record; /* encoded record of the save, and its origins */
    size_t save_record_size;
    const uint8_t *unrecorded; /* encoded record of what scopes hid, of load and save */
    size_t unrecorded_size;
    const uint8_t *recorded; /* edges that lead nowhere: u8 kind, path, one after another */
    size_t recorded_size;
    const uint8_t *stacks; /* encoded stack set, empty unless captured */
    size_t stacks_size;
    const uint32_t *stack_ids; /* per token */
    size_t stack_id_count;
    const uint8_t *reads; /* encoded stack set of recorded reads (reads.h), empty unless captured */
    size_t reads_size;
    const char *notes;
    struct cook_result_file *files; /* additional ones, ascending by name */
    size_t file_count;
    const uint8_t *parts; /* of artifacts, as in details.h; empty for none */
    size_t parts_size;
};
void cook_result_encode(const struct cook_result *result, struct cook_buf *out);
enum cook_status cook_result_decode(struct cook_result *result, const struct cook_buf *payload,
                                    struct cook_arena *arena,
                                    struct cook_error *error) COOK_CHECK_RESULT;

/* What the evaluator reports at its start. */
struct cook_hello_class {
    const char *name;
    const char *module;
    const char *parent; /* "" for the root */
    bool project;
    struct cook_hash schema;
    const char **editor_only; /* names of its own properties that are not cooked, of arrays and maps
                                 with "[]" */
    size_t editor_only_count;
};
struct cook_hello_reader {
    const char *name;
    uint32_t version;
    uint64_t types_hash;     /* of the property flags that its scan looks at; 0: it looks at none */
    const char **extensions; /* NULL-terminated */
};
struct cook_hello_artifact {
    const char *name;
    uint32_t version;
    bool project;    /* of a plugin: folded by the evaluator */
    bool makes_parts; /* in workers; others get theirs from the plan */
    struct cook_hash identity;
};
struct cook_hello {
    struct cook_hello_class *classes; /* sorted by name */
    size_t class_count;
    struct cook_hello_reader *readers;
    size_t reader_count;
    struct cook_hello_artifact *artifacts; /* sorted by name */
    size_t artifact_count;
};
void cook_hello_encode(const struct cook_hello *hello, struct cook_buf *out);
enum cook_status cook_hello_decode(struct cook_hello *hello, const void *bytes, size_t size,
                                   struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;

#endif
