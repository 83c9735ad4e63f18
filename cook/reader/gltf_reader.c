/*
 * The glTF reader: .gltf with its .bin files, and .glb. A scan parses the document, whose
 * buffers it cannot see; a load parses it again, reads the buffers and fills the objects.
 */
#include <inttypes.h>
#include <strings.h>

#include "cook/base/intern.h"
#include "cook/base/path.h"
#include "cook/object/reflect.h"
#include "cook/reader/asset_scan.h"
#include "cook/reader/gltf_load.h"
#include "cook/reader/gltf_uri.h"
#include "cook/reader/readers.h"

static struct cook_gltf_input input_of(const struct cook_source *source)
{
    bool is_binary = strcasecmp(cook_path_extension(source->path), ".glb") == 0;
    return (struct cook_gltf_input){ source->data, source->size, is_binary };
}

/* References are facts of the package once each, whatever number of images have the same file.
 */
static enum cook_status scan_references(struct cook_scan *scan,
                                        const struct cook_source *source,
                                        const struct cook_gltf *doc, struct cook_arena *arena)
{
    struct cook_intern seen = COOK_INTERN_INIT;
    enum cook_status status = COOK_OK;
    for (uint32_t i = 0; status == COOK_OK && i < doc->image_count; i++) {
        const struct cook_gltf_image *image = &doc->images[i];
        if (!image->is_used || image->is_embedded) {
            continue;
        }
        const char *package = cook_gltf_uri_package(arena, source->package, image->uri);
        size_t before = seen.count;
        uint32_t id = package != NULL ? cook_intern_add(&seen, package) : 0;
        if (id == COOK_INTERN_NONE) {
            status = COOK_E_NO_MEMORY;
        } else if (seen.count > before) {
            cook_scan_reference(scan, COOK_EDGE_HARD, package);
        }
    }
    cook_intern_finish(&seen);
    return status;
}

static enum cook_status scan_gltf(struct cook_scan *scan, const struct cook_source *source)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_gltf_input input = input_of(source);
    struct cook_gltf doc;
    uint32_t line = 0;
    enum cook_status status = cook_gltf_parse(&doc, &line, &input, &arena, &error);
    if (status == COOK_E_NO_MEMORY) {
        goto done;
    }
    if (status != COOK_OK) {
        status = cook_scan_fail(scan, line, "%s", error.message);
        goto done;
    }
    for (uint32_t i = 0; i < doc.object_count; i++) {
        cook_scan_object(scan, doc.objects[i].name, doc.objects[i].class_name, NULL);
    }
    status = scan_references(scan, source, &doc, &arena);
    if (status == COOK_OK)
        cook_asset_scan_side(scan, source);
done:
    cook_arena_finish(&arena);
    return status;
}

/* What the file holds and the cooked package does not. */
static void log_ignored(const struct cook_gltf_load *load)
{
    const struct cook_gltf *doc = load->doc;
    const char *path = load->source->path;
    if (doc->ignored_extensions != NULL) {
        cook_log(load->context, COOK_SEVERITY_INFO, "%s: extensions ignored: %s", path,
                 doc->ignored_extensions);
    }
    if (doc->animation_count > 0 || doc->skin_count > 0 || doc->has_morph_targets) {
        cook_log(load->context, COOK_SEVERITY_INFO,
                 "%s: left out: %" PRIu32 " animations, %" PRIu32 " skins%s", path,
                 doc->animation_count, doc->skin_count,
                 doc->has_morph_targets ? ", morph targets" : "");
    }
}

static enum cook_status load_gltf(struct cook_context *context, struct cook_loader *loader,
                                  const struct cook_source *source)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_gltf_input input = input_of(source);
    struct cook_gltf doc;
    struct cook_gltf_load load = { context, loader, source, &doc, &arena };
    uint32_t line = 0;
    enum cook_status status = cook_gltf_parse(&doc, &line, &input, &arena, &error);
    if (status != COOK_OK) {
        status = cook_gltf_load_fault(&load, line, status, &error);
        goto done;
    }
    log_ignored(&load);
    status = cook_gltf_load_buffers(&load);
    if (status == COOK_OK) {
        status = cook_gltf_load_objects(&load);
    }
    if (status == COOK_OK) {
        status = cook_reflect_load_side(loader, source);
    }
done:
    cook_arena_finish(&arena);
    return status;
}

static const char *const extensions[] = { ".gltf", ".glb", NULL };

const struct cook_reader cook_reader_gltf = {
    .name = "gltf",
    .version = 2,
    .extensions = extensions,
    .scan = scan_gltf,
    .load = load_gltf,
};
