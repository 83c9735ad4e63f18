/*
 * Cook artifacts: outputs of the whole cook, like a table of all weapons, or an index of all
 * text. The asset registry, the shader library and the chunk manifests are artifacts too.
 *
 * An artifact is made of parts, one per package. A part is made in a worker, right after its
 * package was saved, and is kept with the package's result. At the end of a cook the parts are
 * folded into files: from the state that the last fold left, by adding the parts of packages
 * that were cooked and taking out packages that were cooked or are gone. So an incremental
 * cook costs what changed, and the files must be the same, byte for byte, as those of a full
 * cook: they must depend on the parts alone, never on the order in which they come or on what
 * was there before. Sort what you write.
 *
 * Folds run in a process of their own kind, without packages: a fold sees its parts, its
 * state and the config that it declared. One that fails, or takes its process down, is
 * reported, and the cook ends without its files; the next cook tries again from all parts.
 */
#ifndef COOK_ARTIFACT_H
#define COOK_ARTIFACT_H

#include <cook/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cook_part; /* collects the bytes of one part */
struct cook_fold; /* one fold of one artifact */

struct cook_tag {
    const char *key;
    const char *value;
};

/* A package that was just saved. Borrowed for the call. */
struct cook_saved_package {
    const char *name;
    const void *const *objects; /* the saved ones, in source order */
    uint32_t object_count;
    const char *const *hard; /* runtime references, as object paths; sorted */
    size_t hard_count;
    const char *const *soft;
    size_t soft_count;
    struct cook_saved_state *state; /* of the SDK */
};
/* The registry tags of an object, sorted by key; get_registry_tags is called when they are
 * first asked for. NULL and 0 when it has none, or when the hook failed, which fails the
 * package. */
const struct cook_tag *cook_saved_tags(const struct cook_saved_package *package,
                                       uint32_t object, size_t *count);

/* Append to the part. */
void cook_part_put(struct cook_part *part, const void *bytes, size_t size);

/* What the last fold of this version and these settings put; NULL and 0 to start from
 * nothing. The bytes come from disk. */
const void *cook_fold_state(const struct cook_fold *fold, size_t *size);
const char *cook_fold_target(const struct cook_fold *fold);
/* A value of a config key, NULL past the last one. Declare the key in append_to_schema. */
const char *cook_fold_config(const struct cook_fold *fold, const char *section, const char *key,
                             size_t index);
/* What the next fold shall start from; in `finish`. Without one it starts from nothing, with
 * all parts: fine for what is small. */
void cook_fold_put_state(struct cook_fold *fold, const void *bytes, size_t size);
/* A file of the artifact, by a relative name ("Weapons.bin"); in `finish`. */
void cook_fold_put_file(struct cook_fold *fold, const char *name, const void *bytes,
                        size_t size);

struct cook_schema;

/* An artifact; what may be NULL says so. Registered with cook_register_artifact(). */
struct cook_artifact {
    const char *name; /* "Weapons": letters, digits and underscores; unique over all plugins */
    /* Bump it when parts, state or files mean something else: all packages are cooked again. */
    uint32_t version;
    /* Add the config that the fold reads: other values fold all parts anew. May be NULL. */
    void (*append_to_schema)(struct cook_schema *schema);

    /* Make the part of a package; one that puts nothing has no part, and `add` is not called
     * for it. Before clear_cached, so that transformed data is still there. Reads through the
     * context are recorded for the package. */
    enum cook_status (*make_part)(struct cook_context *context,
                                  const struct cook_saved_package *package,
                                  struct cook_part *part);

    /* Start a fold from cook_fold_state(); `*user` is passed to the others. A state that is not
     * understood is COOK_E_MALFORMED: the fold starts again from nothing. */
    enum cook_status (*begin)(void **user, struct cook_fold *fold);
    /* Add the part of a package that is not in; the bytes are borrowed for the call. */
    enum cook_status (*add)(void *user, const char *package, const void *part, size_t size);
    /* Take a package out; one that is not in is none of its business. Without a state there is
     * nothing to take out of, and it may do nothing. */
    enum cook_status (*remove)(void *user, const char *package);
    /* Put the state and the files. */
    enum cook_status (*finish)(void *user, struct cook_fold *fold);
    /* Free what begin made. May be NULL. */
    void (*release)(void *user);
};

#ifdef __cplusplus
}
#endif

#endif
