/* What a worker says of itself when its plugins are loaded: COOK_FRAME_MODULES,
 * COOK_FRAME_HELLO. */
#include <stdlib.h>
#include <string.h>

#include "cook/object/schema.h"
#include "cook/reader/readers.h"
#include "cook/symbols/modules.h"
#include "cook/worker/protocol.h"
#include "cook/worker/session.h"

static int compare_classes(const void *a, const void *b)
{
    const struct cook_hello_class *x = a;
    const struct cook_hello_class *y = b;
    return strcmp(x->name, y->name);
}

/* The native format's scan asks the types which references are saved. */
uint64_t cook_session_scan_hash(const struct cook_session *session,
                                const struct cook_reader *reader)
{
    return reader == &cook_reader_asset ? session->reference_flags : 0;
}

static int compare_artifacts(const void *a, const void *b)
{
    const struct cook_hello_artifact *x = a;
    const struct cook_hello_artifact *y = b;
    return strcmp(x->name, y->name);
}

static struct cook_hello_artifact *hello_artifacts(struct cook_session *session,
                                                   struct cook_arena *arena)
{
    struct cook_registrar *types = &session->types;
    struct cook_hello_artifact *list =
        cook_arena_alloc(arena, (types->artifact_count + 1) * sizeof(*list));
    for (size_t i = 0; list && i < types->artifact_count; i++) {
        const struct cook_artifact *artifact = types->artifacts[i];
        list[i] = (struct cook_hello_artifact){
            .name = artifact->name,
            .version = artifact->version,
            .project = types->artifact_is_project[i],
            .makes_parts = artifact->make_part != NULL,
            .identity = cook_schema_of_artifact(types, artifact, session->config),
        };
    }
    if (list && types->artifact_count)
        qsort(list, types->artifact_count, sizeof(*list), compare_artifacts);
    return list;
}

/* NULL when memory is short. */
static const char **editor_only_names(size_t *count, const struct cook_class *description,
                                      struct cook_arena *arena)
{
    size_t all = 0;
    for (const struct cook_property *p = description->properties; p && p->name; p++)
        all++;
    const char **names = cook_arena_alloc(arena, (all + 1) * sizeof(*names));
    *count = 0;
    for (size_t i = 0; names && i < all; i++) {
        const struct cook_property *p = &description->properties[i];
        bool many = p->type == COOK_PROPERTY_ARRAY || p->type == COOK_PROPERTY_MAP;
        if (!(p->flags & COOK_PROPERTY_EDITOR_ONLY))
            continue;
        const char *name = many ? cook_arena_printf(arena, "%s[]", p->name) : p->name;
        if (!name)
            return NULL;
        names[(*count)++] = name;
    }
    return names;
}

enum cook_status cook_session_put_hello(struct cook_session *session, struct cook_buf *out,
                                        struct cook_error *error)
{
    struct cook_registrar *types = &session->types;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hello hello = { .class_count = types->class_names.count,
                                .reader_count = types->reader_count };
    hello.classes = cook_arena_alloc(&arena, (hello.class_count + 1) * sizeof(*hello.classes));
    hello.readers = cook_arena_alloc(&arena, (hello.reader_count + 1) * sizeof(*hello.readers));
    if (!hello.classes || !hello.readers) {
        cook_arena_finish(&arena);
        return cook_error_no_memory(error);
    }
    for (size_t i = 0; i < hello.class_count; i++) {
        const struct cook_class_info *info = types->classes[i];
        bool root = info->chain_count < 2;
        hello.classes[i] = (struct cook_hello_class){
            .name = info->name,
            .module = info->module,
            .parent = root ? "" : info->chain[info->chain_count - 2]->name,
            .project = info->project,
            .schema = info->schema,
        };
        struct cook_hello_class *c = &hello.classes[i];
        c->editor_only = editor_only_names(&c->editor_only_count, info->description, &arena);
        out->failed |= !c->editor_only;
    }
    qsort(hello.classes, hello.class_count, sizeof(*hello.classes), compare_classes);
    for (size_t i = 0; i < hello.reader_count; i++) {
        /* Only encoded, never written through. */
        const char **extensions;
        memcpy(&extensions, &types->readers[i]->extensions, sizeof(extensions));
        hello.readers[i] = (struct cook_hello_reader){ .name = types->readers[i]->name,
                                                       .version = types->readers[i]->version,
                                                       .types_hash = cook_session_scan_hash(
                                                           session, types->readers[i]),
                                                       .extensions = extensions };
    }
    hello.artifacts = hello_artifacts(session, &arena);
    hello.artifact_count = types->artifact_count;
    if (!hello.artifacts) {
        cook_arena_finish(&arena);
        return cook_error_no_memory(error);
    }
    cook_hello_encode(&hello, out);
    cook_arena_finish(&arena);
    return out->failed ? cook_error_no_memory(error) : COOK_OK;
}

/* For the facts of a cook: what code there is beside that of the plugins. */
enum cook_status cook_session_put_modules(struct cook_buf *out, struct cook_error *error)
{
    struct cook_modules modules = COOK_MODULES_INIT;
    enum cook_status status = cook_modules_snapshot(&modules, error);
    cook_buf_put_varint(out, modules.count);
    for (size_t i = 0; i < modules.count; i++) {
        cook_buf_put_string(out, modules.items[i].name);
        cook_buf_put_string(out, modules.items[i].build_id);
        cook_buf_put_string(out, modules.items[i].path);
    }
    cook_modules_finish(&modules);
    return status == COOK_OK && out->failed ? cook_error_no_memory(error) : status;
}
