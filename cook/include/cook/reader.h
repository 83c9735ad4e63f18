/*
 * Readers: one per source format. Each file with one of its extensions in a content root is a package,
 * whose name keeps the extension ("/Game/Props/Rock.gltf"). A reader *scans* a file for what
 * the registry needs (objects, references, tags) without loading it, and *loads* it into objects.
 *
 * The bytes are untrusted: check every size, bound every recursion, and report a fault with
 * cook_scan_fail() / cook_load_fail(), which name the file and line. A broken file fails its
 * package and nothing else.
 */
#ifndef COOK_READER_H
#define COOK_READER_H

#include <cook/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source package: its main file and its side file (FILE.cook, JSON options). */
struct cook_source {
    const char *package; /* "/Game/Props/Rock.gltf" */
    const char *path;    /* of the main file, relative to the project */
    const uint8_t *data; /* main file; NUL-terminated past `size` */
    size_t size;
    const uint8_t *side_data; /* NULL when there is no side file */
    size_t side_size;
};

enum cook_edge {
    COOK_EDGE_UNKNOWN = 0,
    COOK_EDGE_HARD,        /* loaded with the referrer: followed */
    COOK_EDGE_SOFT,        /* must be on disk: followed */
    COOK_EDGE_EDITOR_ONLY, /* of what is never saved: recorded */
    COOK_EDGE_TRUE_SOFT,   /* a soft reference that asks for nothing: recorded */
    COOK_EDGE_BUILD_ONLY,  /* needed to make the bytes, not to use them: recorded */
};

struct cook_scan; /* receives the facts */
/* Each object, in file order; `outer` is the inner path of an earlier one, or NULL. The first one
 * is what a bare package name refers to. Names may not hold any of "/.:[]" (replaced by '_'). */
void cook_scan_object(struct cook_scan *scan, const char *name, const char *class_name,
                      const char *outer);
void cook_scan_reference(struct cook_scan *scan, enum cook_edge edge, const char *path);
void cook_scan_tag(struct cook_scan *scan, const char *key, const char *value);
/* "path:line: reason" (line 0: without a line); returns COOK_E_MALFORMED. */
enum cook_status cook_scan_fail(struct cook_scan *scan, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct cook_loader; /* receives the objects */
/*
 * Create an object of a class, constructed with its defaults. Same names and order as the scan
 * gave. `outer` is an object of this package or NULL. NULL when the class is not registered, the
 * name is taken, or memory is short; the fault is logged already: return COOK_E_FAILED.
 */
void *cook_load_object(struct cook_loader *loader, const char *class_name, const char *name,
                       void *outer);
/* "path:line: reason" as an error of the package; returns COOK_E_MALFORMED. */
enum cook_status cook_load_fail(struct cook_loader *loader, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct cook_reader {
    const char *name;               /* "png": enters the load set with `version` */
    uint32_t version;               /* bump when scan or load give another result */
    const char *const *extensions;  /* with dot, lower case, NULL-terminated: ".png" */
    enum cook_status (*scan)(struct cook_scan *scan, const struct cook_source *source);
    /* `context` is the package's load context: further files are read through it. */
    enum cook_status (*load)(struct cook_context *context, struct cook_loader *loader,
                             const struct cook_source *source);
};

/* A valid object name made of any text: any of "/.:[]" and control characters become '_'; "" and
 * NULL become `fallback`. In package memory of the scan or load it is used with: cut at 255 bytes
 * into `buffer`. */
const char *cook_make_object_name(char buffer[256], const char *text, const char *fallback);

#ifdef __cplusplus
}
#endif

#endif
