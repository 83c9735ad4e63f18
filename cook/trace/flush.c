/* From notes to inputs: what a call read, whose it is, what value it has now. */
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cook/trace/calls.h"
#include "cook/trace/noise.h"
#include "cook/trace/tracer_private.h"
#include "cook/trace/values.h"

#define MAX_INPUTS 2000 /* of one package's load or save */

/* Who made a call, by the innermost code on its stack that is not plumbing. */
enum origin { ORIGIN_UNKNOWN = 0, ORIGIN_SDK, ORIGIN_OTHER };

struct section {
    uint32_t package; /* as in a note */
    struct cook_traced_input *inputs;
    size_t count, capacity;
};

struct flushing {
    struct cook_tracer *tracer;
    const struct cook_tracer_flush *options;
    struct cook_arena arena;
    struct section *sections;
    size_t section_count, section_capacity;
    uint32_t *written; /* by id of texts: order of the first write that began it anew, plus 1 */
    size_t written_count;
};

/* ---- is the supervisor alive ---- */

static void check_supervisor(const struct cook_tracer *tracer)
{
    if (!tracer->supervised)
        return;
    /* Not by raise(), which asks the kernel for the process's id, and would get no answer. */
    while (!cook_trace_line_holds(&tracer->line))
        (void)cook_trace_call(SYS_kill, tracer->pid, SIGKILL, 0, 0, 0, 0);
}

/* ---- whose call ---- */

static int count_loads(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1;
}

static void refresh_modules(struct cook_tracer *tracer)
{
    unsigned long long loads = 0;
    (void)dl_iterate_phdr(count_loads, &loads);
    if (loads == tracer->modules_loaded)
        return;
    cook_modules_finish(&tracer->modules);
    if (cook_modules_snapshot(&tracer->modules, NULL) == COOK_OK)
        tracer->modules_loaded = loads;
}

/* Code between a read and who wants it. */
static bool is_plumbing(const char *module)
{
    static const char *const names[] = { "libc.so",       "ld-linux",      "libpthread.so",
                                         "libdl.so",      "cook-trace.so", "cook-perturb.so",
                                         "linux-vdso.so", "libunwind.so",  "libunwind-",
                                         "liblzma.so",    "libgcc_s.so",   "libstdc++.so" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(module, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static enum origin find_origin(const struct cook_tracer *tracer, uint32_t stack)
{
    size_t count;
    void *const *pcs = cook_stacks_pcs(tracer->notes.stacks, stack, &count);
    bool ours = false;
    for (size_t i = 0; i < count; i++) {
        uintptr_t pc = (uintptr_t)pcs[i] - 1;
        const struct cook_module *module = cook_modules_find(&tracer->modules, pc);
        ours = pc - tracer->sdk_start < tracer->sdk_end - tracer->sdk_start;
        if (ours || (module && !is_plumbing(module->name)))
            break;
    }
    return ours ? ORIGIN_SDK : ORIGIN_OTHER;
}

static bool is_of_sdk(struct cook_tracer *tracer, uint32_t stack)
{
    if (stack == COOK_STACK_NONE)
        return false;
    size_t before = tracer->origin_count;
    if (stack >= before) {
        if (!cook_grow(&tracer->origins, &tracer->origin_capacity, (size_t)stack + 1, 1))
            return false;
        memset(tracer->origins + before, ORIGIN_UNKNOWN, (size_t)stack + 1 - before);
        tracer->origin_count = (size_t)stack + 1;
    }
    if (tracer->origins[stack] == ORIGIN_UNKNOWN)
        tracer->origins[stack] = (uint8_t)find_origin(tracer, stack);
    return tracer->origins[stack] == ORIGIN_SDK;
}

/* ---- what was read ---- */

static bool begins_anew(const struct cook_trace_note *note, enum cook_trace_class class)
{
    bool writes = (note->flags & O_ACCMODE) != O_RDONLY;
    return class == COOK_TRACE_OPEN && writes &&
           ((note->flags & O_TRUNC) ||
            (note->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL));
}

static enum cook_trace_class class_of(const struct cook_trace_note *note,
                                      const struct cook_trace_call_info **info)
{
    *info = note->number >= 0 ? cook_trace_call_find(note->number) : NULL;
    return *info ? (*info)->class : COOK_TRACE_CLASS_UNKNOWN;
}

/* A package's own temporary files: what it wrote before it read it is no input. */
static void find_written(struct flushing *flushing)
{
    const struct cook_trace_notes *notes = &flushing->tracer->notes;
    flushing->written_count = notes->texts.count;
    flushing->written = cook_calloc(flushing->written_count + 1, sizeof(uint32_t));
    for (size_t i = 0; flushing->written && i < notes->count; i++) {
        const struct cook_trace_note *note = &notes->items[i];
        const struct cook_trace_call_info *info;
        uint32_t *place = &flushing->written[note->path];
        if (begins_anew(note, class_of(note, &info)) && (!*place || note->order < *place - 1))
            *place = note->order + 1;
    }
}

static bool wrote_before(const struct flushing *flushing, const struct cook_trace_note *note)
{
    return flushing->written && flushing->written[note->path] &&
           flushing->written[note->path] - 1 <= note->order;
}

static const char *clock_name(int clock)
{
    switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        return "monotonic clock";
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return "processor time";
    default:
        return "wall clock";
    }
}

static enum cook_input_kind kind_of_path(const struct flushing *flushing,
                                         const struct cook_trace_note *note,
                                         enum cook_trace_class class, const char *key)
{
    int project_fd = flushing->options->project_fd;
    switch ((int)class) {
    case COOK_TRACE_OPEN:
        if ((note->flags & O_ACCMODE) == O_WRONLY || begins_anew(note, class) ||
            (note->flags & O_TMPFILE) == O_TMPFILE)
            return COOK_INPUT_UNKNOWN;
        if (cook_trace_file_kind(project_fd, key) == COOK_FILE_FOLDER)
            return note->flags & O_PATH ? COOK_INPUT_UNKNOWN : COOK_INPUT_DIRECTORY;
        return note->flags & O_PATH ? COOK_INPUT_STAT : COOK_INPUT_FILE;
    case COOK_TRACE_STAT:
        return COOK_INPUT_STAT;
    case COOK_TRACE_LINK:
        return COOK_INPUT_LINK;
    case COOK_TRACE_EXEC:
        /* The shell and the C library try one place after the other. */
        return cook_trace_file_kind(project_fd, key) == COOK_FILE_ABSENT ? COOK_INPUT_UNKNOWN
                                                                         : COOK_INPUT_PROCESS;
    default:
        return COOK_INPUT_UNKNOWN;
    }
}

/* Kind and key by path; COOK_INPUT_UNKNOWN for what is no input. */
static void read_path(struct flushing *flushing, const struct cook_trace_note *note,
                      enum cook_trace_class class, struct cook_traced_input *input)
{
    const char *path = cook_intern_text(&flushing->tracer->notes.texts, note->path);
    if (!path[0] || wrote_before(flushing, note))
        return;
    input->key = cook_trace_key(&flushing->arena, flushing->tracer->project, path);
    const struct cook_trace_rule *rule = cook_trace_rule_of(path);
    if (!rule && input->key)
        rule = cook_trace_rule_of(input->key);
    if (!input->key || (rule && rule->kind == COOK_INPUT_UNKNOWN))
        return;
    input->kind = rule ? rule->kind : kind_of_path(flushing, note, class, input->key);
    if (rule && rule->key)
        input->key = rule->key;
}

/* What any program does at its start: the program itself is the input. The shell looks for one that
 * it is to start in all folders of the path. */
static bool is_own_affair(const struct cook_traced_input *input)
{
    switch ((int)input->kind) {
    case COOK_INPUT_STAT:
        return input->key[0] == '/' || strcmp(input->key, ".") == 0;
    case COOK_INPUT_RANDOM:
        return input->key[0] != '/';
    case COOK_INPUT_HOST:
        return strcmp(input->key, "process id") == 0 || strcmp(input->key, "working folder") == 0;
    default:
        return false;
    }
}

/* False for what is no input. */
static bool read_note(struct flushing *flushing, const struct cook_trace_note *note,
                      struct cook_traced_input *input)
{
    const struct cook_trace_call_info *info;
    enum cook_trace_class class = class_of(note, &info);
    const char *text = cook_intern_text(&flushing->tracer->notes.texts, note->path);
    *input = (struct cook_traced_input){
        .key = info && info->key ? info->key : text,
        .text = "",
        .loading = note->package & 1,
        .program = cook_intern_text(&flushing->tracer->notes.texts, note->program),
        .stack = note->stack,
    };
    if (note->number == COOK_TRACE_ENVIRONMENT)
        input->kind = COOK_INPUT_ENVIRONMENT;
    else if (class == COOK_TRACE_CLOCK)
        input->kind = COOK_INPUT_CLOCK;
    else if (class == COOK_TRACE_RANDOM)
        input->kind = COOK_INPUT_RANDOM;
    else if (class == COOK_TRACE_HOST || class == COOK_TRACE_CONNECT)
        input->kind = COOK_INPUT_HOST;
    else if (class == COOK_TRACE_OPEN && info->path < 0)
        input->kind = COOK_INPUT_FILE; /* by its handle */
    else if (info && class != COOK_TRACE_FORK)
        read_path(flushing, note, class, input);
    if (class == COOK_TRACE_CLOCK && note->number == SYS_clock_gettime)
        input->key = clock_name(note->flags);
    if (class == COOK_TRACE_CONNECT && text[0]) {
        input->key = cook_arena_printf(&flushing->arena, "socket %s", text);
        if (!input->key || cook_trace_is_noise(text))
            input->kind = COOK_INPUT_UNKNOWN;
    }
    if (*input->program && is_own_affair(input))
        input->kind = COOK_INPUT_UNKNOWN;
    return input->kind != COOK_INPUT_UNKNOWN;
}

/* ---- sections ---- */

static struct section *find_section(struct flushing *flushing, uint32_t package)
{
    for (size_t i = 0; i < flushing->section_count; i++)
        if (flushing->sections[i].package == package)
            return &flushing->sections[i];
    if (!cook_grow(&flushing->sections, &flushing->section_capacity, flushing->section_count + 1,
                   sizeof(*flushing->sections)))
        return NULL;
    struct section *section = &flushing->sections[flushing->section_count++];
    *section = (struct section){ .package = package };
    return section;
}

static bool same_input(const struct cook_traced_input *a, const struct cook_traced_input *b)
{
    return a->kind == b->kind && a->stack == b->stack && strcmp(a->key, b->key) == 0 &&
           strcmp(a->program, b->program) == 0;
}

static bool has(const struct section *section, const struct cook_traced_input *input)
{
    for (size_t i = 0; i < section->count; i++)
        if (same_input(&section->inputs[i], input))
            return true;
    return false;
}

static void add_input(struct flushing *flushing, uint32_t package,
                      struct cook_traced_input *input)
{
    struct cook_tracer *tracer = flushing->tracer;
    struct section *section = find_section(flushing, package);
    if (!section || has(section, input))
        return;
    if (section->count >= MAX_INPUTS) {
        tracer->notes.dropped++;
        return;
    }
    cook_trace_value(input, tracer->values, flushing->options->project_fd, &flushing->arena);
    if (input->kind == COOK_INPUT_LINK && input->absent)
        return; /* a path's parts, each looked at for being a link */
    const struct cook_tracer_flush *options = flushing->options;
    if (options->declared)
        input->declared = options->declared(
            options->user, cook_intern_text(&tracer->notes.packages, package / 2), package & 1,
            input->kind, input->key, &input->hidden);
    if (cook_grow(&section->inputs, &section->capacity, section->count + 1,
                  sizeof(*section->inputs)))
        section->inputs[section->count++] = *input;
    else
        tracer->notes.dropped++;
}

static void make_sections(struct flushing *flushing)
{
    struct cook_tracer *tracer = flushing->tracer;
    const char *cooked = flushing->options->cooked;
    uint32_t id = cooked ? cook_intern_add(&tracer->notes.packages, cooked) : COOK_INTERN_NONE;
    if (id != COOK_INTERN_NONE)
        (void)find_section(flushing, id * 2);
    find_written(flushing);
    for (size_t i = 0; i < tracer->notes.count; i++) {
        const struct cook_trace_note *note = &tracer->notes.items[i];
        struct cook_traced_input input;
        if (!is_of_sdk(tracer, note->stack) && read_note(flushing, note, &input))
            add_input(flushing, note->package, &input);
    }
}

/* ---- encoding ---- */

static void put_stacks(struct cook_tracer *tracer, struct cook_buf *out)
{
    size_t count = cook_stacks_count(tracer->notes.stacks);
    struct cook_buf stacks = COOK_BUF_INIT;
    if (count > tracer->stacks_told)
        cook_stacks_encode_from(tracer->notes.stacks, tracer->stacks_told, &stacks);
    cook_buf_put_bytes(out, stacks.data, stacks.size);
    cook_buf_put_varint(out, tracer->stacks_told);
    out->failed |= stacks.failed;
    cook_buf_finish(&stacks);
    tracer->stacks_told = count;
}

static void put_input(const struct cook_traced_input *input, struct cook_buf *out)
{
    cook_buf_put_u8(out, (uint8_t)input->kind);
    cook_buf_put_string(out, input->key);
    cook_buf_put_hash(out, input->value);
    cook_buf_put_string(out, input->text);
    cook_buf_put_u8(out, (uint8_t)((input->absent ? COOK_TRACED_ABSENT : 0) |
                                   (input->declared ? COOK_TRACED_DECLARED : 0) |
                                   (input->hidden ? COOK_TRACED_HIDDEN : 0)));
    cook_buf_put_string(out, input->program);
    cook_buf_put_varint(out, input->stack == COOK_STACK_NONE ? 0 : (uint64_t)input->stack + 1);
}

static void mark_loads(struct flushing *flushing)
{
    struct cook_tracer *tracer = flushing->tracer;
    for (size_t i = 0; i < flushing->section_count; i++) {
        const struct section *section = &flushing->sections[i];
        size_t before = tracer->loads_capacity;
        if (!(section->package & 1) || !section->count ||
            !cook_grow(&tracer->loads_told, &tracer->loads_capacity, section->package / 2 + 1, 1))
            continue;
        memset(tracer->loads_told + before, 0, tracer->loads_capacity - before);
        tracer->loads_told[section->package / 2] = 1;
        tracer->any_load_told = true;
    }
}

/* Only of packages whose load read something: the others would be told for nothing. */
static void put_uses(const struct flushing *flushing, struct cook_buf *out)
{
    const struct cook_tracer *tracer = flushing->tracer;
    const struct cook_tracer_flush *options = flushing->options;
    struct cook_buf uses = COOK_BUF_INIT;
    size_t count = 0;
    for (size_t i = 0; tracer->any_load_told && i < options->use_count; i++) {
        uint32_t id = cook_intern_find(&tracer->notes.packages, options->uses[i]);
        if (id == COOK_INTERN_NONE || id >= tracer->loads_capacity || !tracer->loads_told[id])
            continue;
        cook_buf_put_string(&uses, options->uses[i]);
        count++;
    }
    cook_buf_put_varint(out, count);
    if (count)
        cook_buf_put(out, uses.data, uses.size);
    out->failed |= uses.failed;
    cook_buf_finish(&uses);
}

static void put_section(const struct flushing *flushing, const struct section *section,
                        struct cook_buf *out)
{
    const struct cook_tracer_flush *options = flushing->options;
    const char *package =
        cook_intern_text(&flushing->tracer->notes.packages, section->package / 2);
    bool cooked = options->cooked && !(section->package & 1) &&
                  strcmp(package, options->cooked) == 0;
    cook_buf_put_string(out, package);
    cook_buf_put_u8(out, cooked);
    cook_buf_put_u8(out, section->package & 1);
    cook_buf_put_varint(out, section->count);
    for (size_t i = 0; i < section->count; i++)
        put_input(&section->inputs[i], out);
    if (cooked)
        put_uses(flushing, out);
    else
        cook_buf_put_varint(out, 0);
}

static void encode(struct flushing *flushing, struct cook_buf *out)
{
    struct cook_tracer *tracer = flushing->tracer;
    uint64_t dropped = tracer->notes.dropped;
    if (tracer->shared)
        dropped += atomic_exchange(&tracer->shared->dropped, 0);
    cook_buf_put_u32(out, COOK_TRACED_FORMAT);
    cook_buf_put_string(out, tracer->partial);
    cook_buf_put_varint(out, dropped);
    if (tracer->notes.stacks)
        put_stacks(tracer, out);
    else
        cook_buf_put(out, "\0", 2); /* no stacks, and none before */
    mark_loads(flushing);
    cook_buf_put_varint(out, flushing->section_count + tracer->quiet_count);
    if (tracer->quiet_count)
        cook_buf_put(out, tracer->quiet.data, tracer->quiet.size);
    out->failed |= tracer->quiet.failed;
    cook_buf_clear(&tracer->quiet);
    tracer->quiet_count = 0;
    for (size_t i = 0; i < flushing->section_count; i++)
        put_section(flushing, &flushing->sections[i], out);
    tracer->notes.dropped = 0;
    tracer->told_partial = true;
}

/* The working folder may be another for a perturbed cook. */
static void find_project(struct cook_tracer *tracer, int project_fd)
{
    char link[64];
    char folder[PATH_MAX];
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", project_fd);
    ssize_t size = readlink(link, folder, sizeof(folder) - 1);
    if (size > 0)
        tracer->project = cook_strndup(folder, (size_t)size);
}

static bool prepare(struct cook_tracer *tracer, int project_fd)
{
    if (!tracer->values && cook_trace_values_create(&tracer->values, NULL) != COOK_OK)
        return false;
    if (!tracer->project)
        find_project(tracer, project_fd);
    refresh_modules(tracer);
    return tracer->project != NULL;
}

/* A frame of its own for each package that read nothing would cost more than all the rest. */
static bool put_off(struct flushing *flushing)
{
    struct cook_tracer *tracer = flushing->tracer;
    if (!flushing->options->cooked || flushing->section_count != 1 ||
        flushing->sections[0].count || tracer->notes.dropped || tracer->any_load_told)
        return false;
    put_section(flushing, &flushing->sections[0], &tracer->quiet);
    tracer->quiet_count++;
    return true;
}

static bool has_news(const struct flushing *flushing)
{
    const struct cook_tracer *tracer = flushing->tracer;
    bool partial = tracer->partial[0] && !tracer->told_partial;
    return flushing->section_count || tracer->quiet_count || partial || tracer->notes.dropped;
}

bool cook_tracer_flush(struct cook_buf *out, const struct cook_tracer_flush *options)
{
    struct cook_tracer *tracer = cook_tracer_self();
    if (!tracer->wanted)
        return false;
    struct flushing flushing = { .tracer = tracer, .options = options, .arena = COOK_ARENA_INIT };
    if (cook_tracer_is_on()) {
        check_supervisor(tracer);
        cook_tracer_pause();
        pthread_mutex_lock(&tracer->lock);
        cook_tracer_drain(tracer);
        if (prepare(tracer, options->project_fd))
            make_sections(&flushing);
    }
    bool tells = put_off(&flushing) ? false : has_news(&flushing);
    if (tells)
        encode(&flushing, out);
    if (cook_tracer_is_on()) {
        cook_trace_notes_clear(&tracer->notes);
        atomic_fetch_add(&tracer->shared->epoch, 1);
        pthread_mutex_unlock(&tracer->lock);
        cook_tracer_resume();
    }
    for (size_t i = 0; i < flushing.section_count; i++)
        cook_free(flushing.sections[i].inputs);
    cook_free(flushing.sections);
    cook_free(flushing.written);
    cook_arena_finish(&flushing.arena);
    return tells;
}
