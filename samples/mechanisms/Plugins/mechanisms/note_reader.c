/*
 * A reader for a format of one's own: files "NAME.note" become packages "/Game/…/NAME.note".
 * Scan tells the registry what is inside without loading it, load makes the objects, with the
 * same names in the same order. Without a reader such files need an importer, and somebody to
 * run it.
 *
 *     title: Hello
 */
#include "mechanisms.h"

#include <string.h>

#define NOTE_CLASS "/Script/Mechanisms.Note"
#define NOTE_NAME  "Note"
#define TITLE      "title: "

static const struct cook_class note_class = {
    .name = "Note",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct exhibit),
};

static enum cook_status note_scan(struct cook_scan *scan, const struct cook_source *source)
{
    (void)source;
    cook_scan_object(scan, NOTE_NAME, NOTE_CLASS, NULL);
    return COOK_OK;
}

/* The bytes are untrusted; a fault names file and line, and fails this package alone. */
static enum cook_status note_load(struct cook_context *context, struct cook_loader *loader,
                                  const struct cook_source *source)
{
    const char *text = (const char *)source->data; /* NUL-terminated past its size */
    struct exhibit *note = cook_load_object(loader, NOTE_CLASS, NOTE_NAME, NULL);

    if (!note)
        return COOK_E_FAILED; /* logged already */
    if (strncmp(text, TITLE, strlen(TITLE)) != 0)
        return cook_load_fail(loader, 1, "expected '%s'", TITLE);
    text += strlen(TITLE);
    return exhibit_show(context, note, "%.*s", (int)strcspn(text, "\r\n"), text);
}

static const char *const extensions[] = { ".note", NULL };
static const struct cook_reader note_reader = {
    .name = "mechanisms-note",
    .version = 1, /* bump when a file gives other objects */
    .extensions = extensions,
    .scan = note_scan,
    .load = note_load,
};

void mechanisms_register_note_reader(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &note_class);
    cook_register_reader(registrar, &note_reader);
}
