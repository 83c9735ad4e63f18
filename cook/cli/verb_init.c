/* cook init: a commented cook.ini over existing content, and a count of what was found. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "cook/cli/cli.h"
#include "cook/reader/readers.h"

#define MAX_DEPTH 64

struct count {
    const char *extension;
    const char *kind;
    size_t files;
};

struct survey {
    struct count kinds[16];
    size_t kind_count;
    size_t others; /* files that no reader takes */
    size_t packages;
};

static const char *kind_of(const struct cook_reader *reader)
{
    static const char *const kinds[][2] = {
        { "asset", "assets" },     { "png", "PNG images" },   { "jpeg", "JPEG images" },
        { "tga", "TGA images" },   { "gltf", "glTF scenes" }, { "glsl", "GLSL shaders" },
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i][0], reader->name) == 0)
            return kinds[i][1];
    return reader->name;
}

static const struct cook_reader *reader_of(const char *name)
{
    const struct cook_reader *const *readers = cook_builtin_readers();
    const char *extension = cook_path_extension(name);
    for (size_t i = 0; readers[i]; i++)
        for (const char *const *e = readers[i]->extensions; *e; e++)
            if (strcasecmp(*e, extension) == 0)
                return readers[i];
    return NULL;
}

static void count_file(struct survey *survey, const char *name)
{
    const struct cook_reader *reader = reader_of(name);
    if (!reader) {
        survey->others += strcasecmp(cook_path_extension(name), ".cook") != 0;
        return;
    }
    survey->packages++;
    size_t i = 0;
    while (i < survey->kind_count && survey->kinds[i].extension != reader->name)
        i++;
    if (i == survey->kind_count) {
        if (i == sizeof(survey->kinds) / sizeof(survey->kinds[0]))
            return;
        survey->kinds[survey->kind_count++] = (struct count){ reader->name, kind_of(reader), 0 };
    }
    survey->kinds[i].files++;
}

static enum cook_status walk(struct survey *survey, int fd, const char *path, unsigned depth,
                             struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_folder_entry *entries;
    size_t count;
    if (depth > MAX_DEPTH)
        return COOK_OK;
    enum cook_status status = cook_fs_list(&entries, &count, &arena, fd, *path ? path : ".", error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        const struct cook_folder_entry *entry = &entries[i];
        if (entry->name[0] == '.' || strcmp(entry->name, "Saved") == 0)
            continue;
        if (entry->kind == COOK_FILE_REGULAR)
            count_file(survey, entry->name);
        else if (entry->kind == COOK_FILE_FOLDER)
            status = walk(survey, fd,
                          cook_arena_printf(&arena, "%s%s%s", path, *path ? "/" : "", entry->name),
                          depth + 1, error);
    }
    cook_arena_finish(&arena);
    return status;
}

/* "Content" when it is there, else the first folder that holds something to cook. */
static enum cook_status choose_content(const char **content, struct survey *survey, int fd,
                                       struct cook_arena *arena, struct cook_error *error)
{
    struct cook_file_stat stat;
    struct cook_folder_entry *entries;
    size_t count;
    *content = "Content";
    enum cook_status status = cook_fs_stat(&stat, fd, "Content", error);
    if (status != COOK_OK || stat.kind == COOK_FILE_FOLDER)
        return status == COOK_OK ? walk(survey, fd, "Content", 0, error) : status;
    status = cook_fs_list(&entries, &count, arena, fd, ".", error);
    for (size_t i = 0; status == COOK_OK && i < count && survey->packages == 0; i++) {
        if (entries[i].kind != COOK_FILE_FOLDER || entries[i].name[0] == '.')
            continue;
        *survey = (struct survey){ 0 };
        *content = entries[i].name;
        status = walk(survey, fd, *content, 0, error);
    }
    if (status == COOK_OK && survey->packages == 0) {
        *content = "Content";
        status = cook_fs_make_folders(fd, "Content", error);
    }
    return status;
}

static void write_ini(struct cook_buf *out, const char *name, const char *content)
{
    cook_buf_printf(out,
                    "; The project: its name, where its content lies, and its class plugins.\n"
                    "[Project]\n"
                    "Name=%s\n"
                    "+ContentRoot=/Game=%s\n"
                    ";+Plugin=Plugins/mygame          ; builds to Plugins/mygame/build/mygame.so\n"
                    ";DefaultTarget=Desktop\n"
                    "\n"
                    "; What to cook: the packages named here, and all that they refer to.\n"
                    "[Cook]\n"
                    "+AlwaysCook=/Game/*               ; a glob; narrow it when you have maps:\n"
                    ";+Map=/Game/Maps/Start\n"
                    ";+Startup=/Game/Core/Defaults    ; what the runtime starts with\n"
                    ";+NeverCook=/Game/Dev/*\n"
                    ";PackageTimeoutSeconds=300       ; after which a class hook counts as hanging\n"
                    "\n"
                    "; Which classes let their packages be skipped when nothing changed. The standard\n"
                    "; classes do; your own do not until you list them here:\n"
                    "[Incremental]\n"
                    ";+ClassScriptPackageAllowList=<ProjectRoot>\n"
                    ";+ClassDenyList=/Script/MyGame.Spawner\n",
                    name, content);
}

static void print_survey(FILE *out, const struct survey *survey, const char *content)
{
    if (survey->packages == 0) {
        fprintf(out, "wrote cook.ini; in %s/ there is nothing to cook yet\n", content);
        return;
    }
    fprintf(out, "wrote cook.ini; in %s/ there are\n", content);
    for (size_t i = 0; i < survey->kind_count; i++) {
        const struct count *count = &survey->kinds[i];
        size_t length = strlen(count->kind);
        bool plural = count->files != 1 || length == 0 || count->kind[length - 1] != 's';
        fprintf(out, "    %6zu %.*s\n", count->files, (int)(plural ? length : length - 1), count->kind);
    }
    fprintf(out, "    %6zu files of other kinds, which are left alone\n", survey->others);
}

static enum cook_status init(struct cook_cli *cli, const char *folder, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct survey survey = { 0 };
    struct cook_file_stat stat;
    const char *content;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open folder '%s'", folder);
    enum cook_status status = cook_fs_stat(&stat, fd, "cook.ini", error);
    if (status == COOK_OK && stat.kind != COOK_FILE_ABSENT)
        status = cook_error_set(error, COOK_E_USAGE, "'%s' has a cook.ini already; run: cook full",
                                folder);
    if (status == COOK_OK)
        status = choose_content(&content, &survey, fd, &arena, error);
    char *real = status == COOK_OK ? realpath(folder, NULL) : NULL;
    struct cook_buf ini = COOK_BUF_INIT;
    if (status == COOK_OK) {
        write_ini(&ini, real && cook_path_name(real)[0] ? cook_path_name(real) : "Project", content);
        status = cook_fs_write(fd, "cook.ini", ini.data, ini.size, false, error);
    }
    if (status == COOK_OK && !cli->quiet) {
        print_survey(cli->out, &survey, content);
        fprintf(cli->out, "next: %scook full%s%s\n", survey.packages ? "" : "put files there, then ",
               strcmp(folder, ".") ? " -C " : "", strcmp(folder, ".") ? folder : "");
    }
    free(real);
    cook_buf_finish(&ini);
    close(fd);
    cook_arena_finish(&arena);
    return status;
}

int cook_verb_init(int argc, const char **argv)
{
    struct cook_cli cli;
    struct cook_error error = COOK_ERROR_INIT;
    int exit_status =
        cook_cli_begin(&cli, "init", "[DIR]", COOK_CLI_PROJECT, NULL, argc, argv);
    if (exit_status < 0) {
        const char *folder = cli.arguments && cli.arguments[0] ? cli.arguments[0]
                                                               : cli.run.project.folder;
        exit_status = COOK_EXIT_CLEAN;
        if (init(&cli, folder, &error) != COOK_OK)
            exit_status = cook_cli_error(&cli, &error);
    }
    cook_cli_end(&cli);
    return exit_status;
}
