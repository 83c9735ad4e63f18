/* Files and folders that are read behind the SDK's back. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catalogue.h"

static uint64_t declared(struct cook_context *context, const char *path)
{
    struct cook_bytes bytes;
    return cook_read_file(context, path, &bytes) == COOK_OK
               ? catalogue_hash((const char *)bytes.data)
               : 1;
}

__attribute__((noinline)) static uint64_t hidden(const char *path)
{
    char text[256] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return 1;
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[size] = '\0';
    return catalogue_hash(text);
}

VALUE(HiddenFile)
{
    return self->clean ? declared(context, "hidden/file.txt") : hidden("hidden/file.txt");
}
FAULT(HiddenFile, PLAIN)

VALUE(MappedFile)
{
    uint64_t value = 1;
    if (self->clean)
        return declared(context, "hidden/mapped.txt");
    int fd = open("hidden/mapped.txt", O_RDONLY | O_CLOEXEC);
    char *map = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED) {
        value = catalogue_hash(map);
        munmap(map, 4096);
    }
    if (fd >= 0)
        close(fd);
    return value;
}
FAULT(MappedFile, PLAIN)

VALUE(HiddenFolder)
{
    uint64_t count = 0;
    struct cook_array names;
    if (self->clean)
        return cook_list_folder(context, "hidden/folder", &names) == COOK_OK ? names.count : 0;
    DIR *folder = opendir("hidden/folder");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}
FAULT(HiddenFolder, PLAIN)

VALUE(FileTime)
{
    struct stat facts;
    if (self->clean)
        return declared(context, "hidden/time.txt");
    return stat("hidden/time.txt", &facts) == 0 ? (uint64_t)facts.st_mtim.tv_sec : 0;
}
FAULT(FileTime, PLAIN)

VALUE(FileSize)
{
    struct stat facts;
    if (self->clean)
        return declared(context, "hidden/size.txt");
    return stat("hidden/size.txt", &facts) == 0 ? (uint64_t)facts.st_size : 0;
}
FAULT(FileSize, PLAIN)

VALUE(FilePresence)
{
    if (self->clean)
        return cook_file_exists(context, "hidden/presence.txt");
    return access("hidden/presence.txt", F_OK) == 0;
}
FAULT(FilePresence, PLAIN)

VALUE(LinkTarget)
{
    char target[256] = "";
    if (self->clean)
        return declared(context, "hidden/link-target.txt");
    return readlink("hidden/link", target, sizeof(target) - 1) > 0 ? catalogue_hash(target) : 0;
}
FAULT(LinkTarget, PLAIN)

VALUE(RawCall)
{
    char text[256] = "";
    if (self->clean)
        return declared(context, "hidden/raw.txt");
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "hidden/raw.txt", O_RDONLY, 0);
    if (fd < 0)
        return 1;
    ssize_t size = read(fd, text, sizeof(text) - 1);
    close(fd);
    return size > 0 ? catalogue_hash(text) : 2;
}
FAULT(RawCall, PLAIN)

/* A config file parsed by the class itself. */
VALUE(OwnParser)
{
    char line[256];
    unsigned number = 0;
    if (self->clean)
        return declared(context, "hidden/own.ini");
    FILE *file = fopen("hidden/own.ini", "r");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "Level=%u", &number) == 1)
            break;
    if (file)
        fclose(file);
    return number;
}
FAULT(OwnParser, PLAIN)

VALUE(ChildProcess)
{
    char text[256] = "";
    if (self->clean)
        return declared(context, "hidden/child.txt");
    FILE *pipe = popen("cat hidden/child.txt", "r");
    if (!pipe)
        return 1;
    size_t size = fread(text, 1, sizeof(text) - 1, pipe);
    pclose(pipe);
    text[size] = '\0';
    return catalogue_hash(text);
}
FAULT(ChildProcess, PLAIN)

VALUE(HelperLibrary)
{
    uint64_t (*number)(void);
    if (self->clean)
        return declared(context, "lib/libhelper.so") ? 1 : 2;
    void *library = dlopen("./lib/libhelper.so", RTLD_NOW);
    void *symbol = library ? dlsym(library, "helper_number") : NULL;
    if (!symbol)
        return 0;
    memcpy(&number, &symbol, sizeof(number));
    return number();
}
FAULT(HelperLibrary, PLAIN)

static uint64_t read_at_load;

__attribute__((noinline)) static void LoadTimeFile_read(void)
{
    read_at_load = hidden("hidden/load.txt");
}

VALUE(LoadTimeFile)
{
    return self->clean ? declared(context, "hidden/load.txt") : read_at_load;
}
FAULT(LoadTimeFile, PLAIN)

__attribute__((noinline)) static enum cook_status PostLoadFile_post_load(
    struct cook_context *context, void *object)
{
    struct subject *self = object;
    self->made = self->clean ? declared(context, "hidden/post_load.txt")
                             : hidden("hidden/post_load.txt");
    return COOK_OK;
}

VALUE(PostLoadFile)
{
    (void)context;
    return self->made;
}
FAULT(PostLoadFile, .post_load = PostLoadFile_post_load)

__attribute__((noinline)) static enum cook_status PreSaveFile_pre_save(
    struct cook_context *context, void *object)
{
    struct subject *self = object;
    self->made =
        self->clean ? declared(context, "hidden/pre_save.txt") : hidden("hidden/pre_save.txt");
    return COOK_OK;
}

VALUE(PreSaveFile)
{
    (void)context;
    return self->made;
}
FAULT(PreSaveFile, .pre_save = PreSaveFile_pre_save)

static enum cook_status ThreadFile_job(struct cook_context *context, void *object)
{
    struct subject *self = object;
    self->made =
        self->clean ? declared(context, "hidden/thread.txt") : hidden("hidden/thread.txt");
    return COOK_OK;
}

static enum cook_status ThreadFile_begin(struct cook_context *context, void *object)
{
    return cook_async_run(context, ThreadFile_job, object);
}

VALUE(ThreadFile)
{
    (void)context;
    return self->made;
}
FAULT(ThreadFile, .begin_cache = ThreadFile_begin)

void catalogue_register_inputs(struct cook_registrar *registrar)
{
    LoadTimeFile_read();
    const struct cook_class *const classes[] = {
        &HiddenFile_class,   &MappedFile_class,   &HiddenFolder_class,  &FileTime_class,
        &FileSize_class,     &FilePresence_class, &LinkTarget_class,    &RawCall_class,
        &OwnParser_class,    &ChildProcess_class, &HelperLibrary_class, &LoadTimeFile_class,
        &PostLoadFile_class, &PreSaveFile_class,  &ThreadFile_class,
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, classes[i]);
}
