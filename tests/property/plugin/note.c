/*
 * Note: a source format of the plugin's own, whose reader reads a further file while loading.
 *
 *     value 12
 *     include ./more.txt
 */
#include "prop.h"

#include <stdlib.h>
#include <string.h>

#define NOTE_CLASS "/Script/Prop.Note"
#define MAX_PATH_BYTES 256

struct prop_note {
    struct prop_node node;
    uint64_t content; /* of the included file */
};

static void note_serialize(struct cook_archive *archive, void *object)
{
    struct prop_note *self = object;
    uint32_t version = READER_VERSION;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_u64(archive, "Content", &self->content);
    cook_field_u32(archive, "ReaderVersion", &version);
}

static const struct cook_class note_class = { .name = "Note",
                                              .parent = NODE_CLASS,
                                              .size = sizeof(struct prop_note),
                                              .serialize = note_serialize };

static enum cook_status note_scan(struct cook_scan *scan, const struct cook_source *source)
{
    if (source->size < 6 || memcmp(source->data, "value ", 6) != 0)
        return cook_scan_fail(scan, 1, "a note begins with its value");
    cook_scan_object(scan, "Note", NOTE_CLASS, NULL);
    return COOK_OK;
}

static void read_include(struct cook_context *context, struct prop_note *self, const char *line)
{
    char path[MAX_PATH_BYTES];
    struct cook_bytes bytes;
    size_t size = strcspn(line, "\n");
    if (size >= sizeof(path))
        return;
    memcpy(path, line, size);
    path[size] = '\0';
    self->content = 5;
    if (cook_read_file(context, path, &bytes) == COOK_OK)
        self->content = prop_hash(bytes.data, bytes.size);
}

static enum cook_status note_load(struct cook_context *context, struct cook_loader *loader,
                                  const struct cook_source *source)
{
    const char *text = (const char *)source->data;
    if (source->size < 6 || memcmp(text, "value ", 6) != 0)
        return cook_load_fail(loader, 1, "a note begins with its value");
    struct prop_note *self = cook_load_object(loader, NOTE_CLASS, "Note", NULL);
    if (!self)
        return COOK_E_FAILED;
    self->node.value = (int32_t)strtol(text + 6, NULL, 10);
    const char *include = strstr(text, "\ninclude ");
    if (include)
        read_include(context, self, include + 9);
    return COOK_OK;
}

static const char *const extensions[] = { ".note", NULL };
static const struct cook_reader note_reader = {
    .name = "prop-note",
    .version = READER_VERSION,
    .extensions = extensions,
    .scan = note_scan,
    .load = note_load,
};

void prop_register_note(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &note_class);
    cook_register_reader(registrar, &note_reader);
}
