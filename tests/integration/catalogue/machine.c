/* The machine around the cook, and reads that scopes hide. */
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cook/standard.h>

#include "catalogue.h"

extern char **environ;

VALUE(Environment)
{
    return catalogue_hash(self->clean ? cook_environment(context, "CATALOGUE_PLAIN")
                                      : getenv("CATALOGUE_PLAIN"));
}
FAULT(Environment, PLAIN)

/* The whole of it, by no call that could be seen. */
VALUE(EnvironmentWalk)
{
    uint64_t hash = 0;
    (void)context;
    for (char **at = environ; !self->clean && *at; at++)
        hash += catalogue_hash(*at);
    return hash;
}
FAULT(EnvironmentWalk, PLAIN)

static uint64_t environment_at_load;

__attribute__((constructor)) static void read_environment(void)
{
    environment_at_load = catalogue_hash(getenv("CATALOGUE_LOAD"));
    if (getenv("CATALOGUE_TOUCHY") && getenv("COOK_PERTURBED"))
        abort(); /* not among variables that it does not know */
}

VALUE(LoadEnvironment)
{
    return self->clean ? catalogue_hash(cook_environment(context, "CATALOGUE_LOAD"))
                       : environment_at_load;
}
FAULT(LoadEnvironment, PLAIN)

static enum cook_status PostLoadEnvironment_post_load(struct cook_context *context,
                                                      void *object)
{
    struct subject *self = object;
    self->made = catalogue_hash(self->clean ? cook_environment(context, "CATALOGUE_POST_LOAD")
                                            : getenv("CATALOGUE_POST_LOAD"));
    return COOK_OK;
}

VALUE(PostLoadEnvironment)
{
    (void)context;
    return self->made;
}
FAULT(PostLoadEnvironment, .post_load = PostLoadEnvironment_post_load)

VALUE(TimeZone)
{
    time_t moment = 1000000000;
    struct tm parts;
    (void)context;
    tzset();
    if (self->clean)
        gmtime_r(&moment, &parts);
    else
        localtime_r(&moment, &parts);
    return (uint64_t)(parts.tm_hour * 60 + parts.tm_min);
}
FAULT(TimeZone, PLAIN)

VALUE(Locale)
{
    locale_t locale = newlocale(LC_ALL_MASK, self->clean ? "C" : "", (locale_t)0);
    uint64_t hash = locale ? catalogue_hash(nl_langinfo_l(CODESET, locale)) : 0;
    (void)context;
    if (locale)
        freelocale(locale);
    return hash;
}
FAULT(Locale, PLAIN)

VALUE(HostName)
{
    char name[256] = "";
    (void)context;
    (void)gethostname(name, sizeof(name) - 1);
    return self->clean ? 0 : catalogue_hash(name);
}
FAULT(HostName, PLAIN)

VALUE(Umask)
{
    mode_t mask = umask(0);
    (void)context;
    (void)umask(mask);
    return self->clean ? 0666 : 0666 & ~mask;
}
FAULT(Umask, PLAIN)

VALUE(Processors)
{
    (void)context;
    return self->clean ? 1 : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}
FAULT(Processors, PLAIN)

VALUE(AbsolutePath)
{
    char path[PATH_MAX] = "";
    if (self->clean)
        return catalogue_hash(cook_source_path(context));
    return realpath("Content", path) ? catalogue_hash(path) : 0;
}
FAULT(AbsolutePath, PLAIN)

VALUE(WorkingFolder)
{
    char path[PATH_MAX] = "";
    if (self->clean)
        return catalogue_hash(cook_source_path(context));
    return getcwd(path, sizeof(path)) ? catalogue_hash(path) : 0;
}
FAULT(WorkingFolder, PLAIN)

/* Four by four pixels, written as a texture is: their red is the length of a variable. */
static void Picture_serialize(struct cook_archive *archive, void *object)
{
    const char *shade = getenv("CATALOGUE_SHADE");
    uint32_t side = 4;
    int32_t format = COOK_TEXTURE_RGBA8;
    uint32_t mips = 1;
    static uint8_t pixels[64]; /* bulk data is borrowed until the package is saved */
    (void)object;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    pixels[0] = (uint8_t)(shade ? strlen(shade) : 0);
    pixels[3] = 255;
    cook_field_u32(archive, "Width", &side);
    cook_field_u32(archive, "Height", &side);
    cook_field_i32(archive, "Format", &format);
    cook_field_array(archive, "Mips", &mips);
    cook_field_element(archive, 0);
    cook_write_bulk(archive, "Data", pixels, sizeof(pixels));
    cook_field_array_end(archive);
}
static const struct cook_class Picture_class = {
    .name = "Picture",
    .size = sizeof(struct cook_object),
    .serialize = Picture_serialize,
};

/* ---- scopes ---- */

static struct cook_context *scope(struct cook_context *context, const struct subject *self)
{
    return self->clean ? context : cook_enter_scope(context, COOK_SCOPE_UNRECORDED);
}

VALUE(HiddenConfig)
{
    return catalogue_hash(cook_config(scope(context, self), "Catalogue", "Hidden", NULL));
}
FAULT(HiddenConfig, PLAIN)

VALUE(HiddenRead)
{
    struct cook_bytes bytes;
    if (cook_read_file(scope(context, self), "declared/scope.txt", &bytes) != COOK_OK)
        return 1;
    return catalogue_hash((const char *)bytes.data);
}
FAULT(HiddenRead, PLAIN)

VALUE(HiddenToken)
{
    return catalogue_hash(cook_command_line(scope(context, self), "Level"));
}
FAULT(HiddenToken, PLAIN)

VALUE(RedirectMissed)
{
    return catalogue_hash(cook_redirected(scope(context, self), "/Game/Old.S"));
}
FAULT(RedirectMissed, PLAIN)

void catalogue_register_machine(struct cook_registrar *registrar)
{
    const struct cook_class *const classes[] = {
        &Environment_class,     &LoadEnvironment_class, &PostLoadEnvironment_class,
        &TimeZone_class,        &Locale_class,          &HostName_class,
        &Umask_class,           &Processors_class,      &AbsolutePath_class,
        &WorkingFolder_class,   &HiddenConfig_class,    &HiddenRead_class,
        &HiddenToken_class,     &RedirectMissed_class,  &Picture_class,
        &EnvironmentWalk_class,
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, classes[i]);
}
