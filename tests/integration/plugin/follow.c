/* Instructions: a word that names a read, and its arguments. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct words {
    char word[5][256];
};

/* What was read so far; cut where it is too long for a test. */
struct text {
    char data[8192];
    size_t size;
};

static void add(struct text *text, const char *what)
{
    int written = snprintf(text->data + text->size, sizeof(text->data) - text->size, "%s;",
                           what ? what : "(absent)");
    if (written > 0 && text->size + (size_t)written < sizeof(text->data))
        text->size += (size_t)written;
}

static void add_texts(struct text *text, const struct cook_array *texts)
{
    const struct cook_string *items = texts->items;
    for (uint32_t i = 0; i < texts->count; i++)
        add(text, items[i].data);
}

static void read_file(struct cook_context *context, const char *path, struct text *text)
{
    struct cook_bytes bytes;
    bool there = cook_read_file(context, path, &bytes) == COOK_OK;
    add(text, there ? (const char *)bytes.data : NULL);
}

static void list_folder(struct cook_context *context, const char *path, struct text *text)
{
    struct cook_array names;
    if (cook_list_folder(context, path, &names) == COOK_OK)
        add_texts(text, &names);
    else
        add(text, NULL);
}

/* query CLASS [children] [GLOB] [TAG]; "-" asks for nothing. */
static void query(struct cook_context *context, const struct words *words, struct text *text)
{
    struct cook_array paths;
    struct cook_query ask = {
        .class_name = strcmp(words->word[1], "-") != 0 ? words->word[1] : NULL,
        .child_classes = strcmp(words->word[2], "children") == 0,
        .path_glob = words->word[3][0] && strcmp(words->word[3], "-") != 0 ? words->word[3] : NULL,
        .tag = words->word[4][0] ? words->word[4] : NULL,
    };
    if (cook_query_objects(context, &ask, &paths) == COOK_OK)
        add_texts(text, &paths);
    else
        add(text, "(failed)");
}

static void dereference(struct cook_context *context, const char *path, struct text *text)
{
    const struct kinds_probe *other = cook_dereference(context, cook_make_ref(context, path));
    bool is_probe = other && cook_object_is_a(other, PROBE_CLASS);
    add(text, is_probe ? other->loaded.data : other ? cook_object_class(other) : NULL);
}

/* function NAME [PATH FACTOR [TAG]] */
static void function(struct cook_context *context, const struct words *words, struct text *text)
{
    struct cook_string tag = cook_make_string(context, words->word[4]);
    struct kinds_arguments arguments = { .path = cook_make_string(context, words->word[2]),
                                         .factor = atoi(words->word[3]),
                                         .tags = { &tag, tag.size ? 1 : 0, 1 } };
    enum cook_status status = cook_depend_function(context, words->word[1],
                                                   words->word[2][0] ? &arguments : NULL);
    add(text, status == COOK_OK ? "called" : "no such function");
}

static bool follow_read(struct cook_context *context, const struct words *words, struct text *text)
{
    const char *what = words->word[0];
    const char *first = words->word[1];
    if (strcmp(what, "config") == 0)
        add(text, cook_config(context, first, words->word[2], NULL));
    else if (strcmp(what, "cvar") == 0)
        add(text, cook_console_variable(context, first));
    else if (strcmp(what, "token") == 0)
        add(text, cook_command_line(context, first));
    else if (strcmp(what, "env") == 0)
        add(text, cook_environment(context, first));
    else if (strcmp(what, "file") == 0)
        read_file(context, first, text);
    else if (strcmp(what, "exists") == 0)
        add(text, cook_file_exists(context, first) ? "there" : NULL);
    else if (strcmp(what, "folder") == 0)
        list_folder(context, first, text);
    else if (strcmp(what, "query") == 0)
        query(context, words, text);
    else if (strcmp(what, "redirect") == 0)
        add(text, cook_redirected(context, first));
    else if (strcmp(what, "object") == 0)
        dereference(context, first, text);
    else if (strcmp(what, "leak") == 0) /* see probe_serialize() */
        add(text, "leak");
    else if (strcmp(what, "function") == 0)
        function(context, words, text);
    else
        return false;
    return true;
}

/* Stand still until the test made a file, so that it can edit sources while a cook is at work. */
static enum cook_status wait_for(const char *path)
{
    const struct timespec pause = { 0, 5000000 };
    char waiting[300];
    (void)snprintf(waiting, sizeof(waiting), "%s.waiting", path);
    FILE *file = fopen(waiting, "w");
    if (!file || fclose(file) != 0)
        return COOK_E_IO;
    for (int i = 0; i < 6000; i++) {
        if (access(path, F_OK) == 0)
            return COOK_OK;
        nanosleep(&pause, NULL);
    }
    return COOK_E_FAILED;
}

/* The lines of a file that no dependency knows of: as links of the package. */
static enum cook_status declare_hidden_links(struct cook_context *context, const char *path)
{
    char line[300];
    FILE *file = fopen(path, "r");
    if (!file)
        return COOK_E_NOT_FOUND;
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        cook_add_runtime_dependency(context, line, true);
    }
    return fclose(file) == 0 ? COOK_OK : COOK_E_IO;
}

static enum cook_status follow_declaration(struct cook_context *context, const struct words *words)
{
    const char *what = words->word[0];
    const char *first = words->word[1];
    if (strcmp(what, "class") == 0)
        cook_depend_class(context, first);
    else if (strcmp(what, "whole") == 0)
        cook_depend_package_whole(context, first);
    else if (strcmp(what, "package") == 0)
        return cook_depend_package(context, first);
    else if (strcmp(what, "depend-file") == 0)
        cook_depend_file(context, first);
    else if (strcmp(what, "depend-config") == 0)
        cook_depend_config(context, first, words->word[2]);
    else if (strcmp(what, "runtime") == 0)
        cook_add_runtime_dependency(context, first, strcmp(words->word[2], "hard") == 0);
    else if (strcmp(what, "hidden-links") == 0)
        return declare_hidden_links(context, first);
    else if (strcmp(what, "wait") == 0)
        return wait_for(first);
    else
        return COOK_E_INVALID;
    return COOK_OK;
}

enum cook_status kinds_follow(struct cook_context *context, const struct cook_array *instructions,
                              struct cook_string *out)
{
    const struct cook_string *lines = instructions->items;
    struct text text = { .size = 0 };
    for (uint32_t i = 0; i < instructions->count; i++) {
        struct words words = { 0 };
        struct text hidden = { .size = 0 };
        struct cook_context *through = context;
        const char *line = lines[i].data ? lines[i].data : "";
        if (strncmp(line, "hidden ", 7) == 0) { /* what is read there does not enter the bytes */
            through = cook_enter_scope(context, COOK_SCOPE_UNRECORDED);
            line += 7;
        }
        (void)sscanf(line, "%255s %255s %255s %255s %255s", words.word[0], words.word[1],
                     words.word[2], words.word[3], words.word[4]);
        if (follow_read(through, &words, through == context ? &text : &hidden))
            continue;
        if (follow_declaration(through, &words) != COOK_OK) {
            cook_log(context, COOK_SEVERITY_ERROR, "cannot follow '%s'", lines[i].data);
            return COOK_E_FAILED;
        }
    }
    *out = cook_make_string(context, text.data);
    return COOK_OK;
}
