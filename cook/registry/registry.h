/*
 * The registry: which packages exist, from which files, with which facts. It lives in the store's
 * state and is refreshed at the start of each cook by asking the file system only what can have
 * changed.
 *
 * A folder whose times are unchanged (and not racy) was neither added to nor removed from, so its
 * listing in the state holds: new files, vanished files and absent side files cost no probe each.
 * Every tracked file is still stat'ed, relative to its folder's handle, on as many threads as asked;
 * one whose size, times and inode are unchanged (and not racy) keeps its content hash.
 */
#ifndef COOK_REGISTRY_H
#define COOK_REGISTRY_H

#include "cook/config/project.h"
#include "cook/registry/facts.h"
#include "cook/store/state.h"

/* A reader as the evaluator worker reports it. */
struct cook_reader_info {
    const char *name;
    uint32_t version;
    const char *const *extensions; /* NULL-terminated, with dot, lower case */
    uint64_t types_hash; /* of the property flags that its scan looks at; 0: it looks at none */
};

struct cook_registry_options {
    const struct cook_reader_info *readers; /* in order of precedence for an extension */
    size_t reader_count;
    unsigned threads;       /* at least 1 */
    bool trust_stat;        /* false: hash every file again (--rehash) */
};

struct cook_registry_changes {
    bool stat_changed;    /* some stat fact was updated: the index is worth rewriting */
    bool content_changed; /* some file's content, presence, or a package's file changed */
    uint32_t *to_scan;    /* packages whose facts are missing or stale, ascending; owned */
    size_t to_scan_count;
    char **warnings;      /* "path: reason", sorted; owned */
    size_t warning_count;
};
void cook_registry_changes_finish(struct cook_registry_changes *changes);

/*
 * Bring folders, files and packages of `state` up to date. Adds rows, marks dirty what changed,
 * thaws only when something did. Two files that claim one package set COOK_PACKAGE_DUPLICATE (with
 * both paths in the facts' fault, "a.asset: also claimed by b"). An unreadable file is a
 * property of that file. Fails only for want of memory or when a content root cannot be listed.
 */
enum cook_status cook_registry_refresh(struct cook_registry_changes *changes,
                                       struct cook_state *state,
                                       const struct cook_project *project,
                                       const struct cook_registry_options *options,
                                       struct cook_error *error) COOK_CHECK_RESULT;

/*
 * Have an empty state know what the state of another target knows of the project's files: their content,
 * their packages and the facts of these. A refresh then reads and scans only what differs.
 */
enum cook_status cook_registry_adopt(struct cook_state *to, const struct cook_state *from,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/*
 * Store the facts that a scan made, with the reader and content they came from; marks dirty. With another
 * content than the package has now (all zero: none), the next refresh has it scanned again.
 */
enum cook_status cook_registry_set_facts(struct cook_state *state, uint32_t package,
                                         const char *reader_text, struct cook_hash facts_source,
                                         const void *facts, size_t size,
                                         struct cook_error *error) COOK_CHECK_RESULT;
/* "png/1", or "asset/3.12ab…" with the hash of the types, for a package's file by its extension: what
 * its facts were made by; NULL without a reader; in `arena`. */
char *cook_registry_reader_text(const struct cook_registry_options *options, const char *path,
                                struct cook_arena *arena);
/* Hash of main and side content: what facts are keyed by, and the value of a source dependency. */
struct cook_hash cook_registry_source_hash(const struct cook_state *state, uint32_t package);

/*
 * Track a file that was read as a dependency (present or absent): adds its row, stats and hashes
 * it. `*file` out. Paths are relative to the project.
 */
enum cook_status cook_registry_track_file(struct cook_state *state, uint32_t *file, int project_fd,
                                          const char *path,
                                          struct cook_error *error) COOK_CHECK_RESULT;

/* What a reference path means now. */
struct cook_resolved {
    uint32_t package;       /* row, or COOK_ID_NONE when no present package matches */
    const char *inner;      /* inner path within it, in the arena; NULL when the object is missing */
    const char *class_name; /* of the object, in the arena; NULL when missing */
    const char *path;       /* the path that was looked for after redirects: as given, or in the arena */
};
/*
 * Resolve "/Game/X/Y", "/Game/X/Y.Inner/Path" or "/Game/P/Rock.gltf.Mesh": the longest present
 * package name that is the whole path or is followed by '.', then the object in its facts. A bare
 * package name means its first object. Redirects of config (state->redirects) are applied first, and a
 * redirector object that is found sends on. Works on a mapped state, also in a worker.
 */
struct cook_resolved cook_registry_resolve(struct cook_state *state, const char *path,
                                           struct cook_arena *arena);
/* Hash of where redirects send a path, itself included. Never zero. */
struct cook_hash cook_registry_redirect_outcome(struct cook_state *state, const char *path,
                                                struct cook_arena *arena);
/* Hash of the outcome of a saved hard reference: exists, resolved path, class. Never zero. Of a path,
 * and of what it has been resolved to already. */
struct cook_hash cook_registry_outcome_of(const struct cook_state *state,
                                          const struct cook_resolved *resolved);
struct cook_hash cook_registry_ref_outcome(struct cook_state *state, const char *path,
                                           struct cook_arena *arena);

#endif
