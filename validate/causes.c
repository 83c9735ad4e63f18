#include "validate/causes.h"

#include <stdarg.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/registry/facts.h"
#include "diffcook/print.h"
#include "diffcook/value.h"
#include "validate/causes_internal.h"

#define MAX_LINE 1024

/* ---- building ---- */

struct validate_cause *cause_add(struct causing *causing, struct validate_finding *finding,
                                 enum validate_cause_kind kind,
                                 enum validate_confidence confidence, const char *format, ...)
{
    char text[MAX_LINE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char *what = diff_clean_text(text, &causing->validate->arena);
    causing->spare = (struct validate_cause){ 0 };
    if (!what || !cook_grow(&finding->causes, &finding->cause_capacity,
                            finding->cause_count + 1, sizeof(*finding->causes)))
        return &causing->spare;
    struct validate_cause *cause = &finding->causes[finding->cause_count++];
    *cause = (struct validate_cause){ .kind = kind, .confidence = confidence, .what = what };
    return cause;
}

void cause_say(struct causing *causing, struct validate_cause *cause, const char *format, ...)
{
    char text[MAX_LINE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    struct cook_arena *arena = &causing->validate->arena;
    if (cause->evidence_count == cause->evidence_capacity) {
        size_t capacity = cause->evidence_capacity ? cause->evidence_capacity * 2 : 4;
        const char **grown = cook_arena_alloc(arena, capacity * sizeof(*grown));
        if (!grown)
            return;
        for (size_t i = 0; i < cause->evidence_count; i++)
            grown[i] = cause->evidence[i];
        cause->evidence = grown;
        cause->evidence_capacity = capacity;
    }
    const char *line = diff_clean_text(text, arena);
    if (line)
        cause->evidence[cause->evidence_count++] = line;
}

void cause_fix(struct causing *causing, struct validate_cause *cause, const char *format, ...)
{
    char text[MAX_LINE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    cause->fix = diff_clean_text(text, &causing->validate->arena);
}

void cause_input(struct causing *causing, struct validate_cause *cause, uint32_t kind,
                 const char *args)
{
    struct cook_arena *arena = &causing->validate->arena;
    struct validate_input *grown =
        cook_arena_alloc(arena, (cause->input_count + 1) * sizeof(*grown));
    const char *copy = cook_arena_strdup(arena, args);
    if (!grown || !copy)
        return;
    for (size_t i = 0; i < cause->input_count; i++)
        grown[i] = cause->inputs[i];
    grown[cause->input_count++] = (struct validate_input){ kind, copy };
    cause->inputs = grown;
}

static bool is_ours(const struct cook_symbol_frame *frame)
{
    return frame->module && (strncmp(frame->module, "libcook.so", 10) == 0 ||
                             strcmp(frame->module, "cook-worker") == 0 ||
                             strncmp(frame->module, "libc.so", 7) == 0);
}

void cause_stack(struct causing *causing, struct validate_cause *cause,
                 const struct cook_stack_set *set, uint32_t stack)
{
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    struct cook_arena *arena = &causing->validate->arena;
    if (!set || stack >= set->stack_count)
        return;
    size_t count =
        cook_symbolizer_stack(causing->symbolizer, set, stack, frames, DIFF_MAX_FRAMES);
    size_t first = diff_skip_sdk_frames(frames, &count);
    while (count > first && is_ours(&frames[count - 1]))
        count--;
    if (first == count)
        return;
    cause->frames = cook_arena_dup(arena, frames + first, (count - first) * sizeof(*frames));
    cause->frame_count = cause->frames ? count - first : 0;
    for (size_t i = 0; i < cause->frame_count; i++) { /* beyond the symbolizer */
        struct cook_symbol_frame *frame = &cause->frames[i];
        frame->function = frame->function ? cook_arena_strdup(arena, frame->function) : NULL;
        frame->file = frame->file ? cook_arena_strdup(arena, frame->file) : NULL;
        frame->module = frame->module ? cook_arena_strdup(arena, frame->module) : NULL;
        frame->build_id = cook_arena_strdup(arena, frame->build_id ? frame->build_id : "");
    }
}

static const struct diff_difference *first_stable(const struct validate_finding *finding)
{
    const struct diff_difference *first = NULL;
    for (uint32_t i = 0; i < finding->diff.count; i++) {
        const struct diff_difference *difference = &finding->diff.differences[i];
        if (difference->consequence_of >= 0)
            continue;
        if (!validate_is_unstable(finding, difference))
            return difference;
        first = first ? first : difference;
    }
    return first;
}

void cause_write_stack(struct causing *causing, struct validate_cause *cause,
                       const struct validate_finding *finding)
{
    cause->of_the_write = true;
    if (!finding->explained)
        return;
    const struct diff_difference *difference = first_stable(finding);
    if (difference)
        cause_stack(causing, cause, &finding->stacks, difference->new_stack);
    /* What was removed or moved away has no write in the new version. */
    for (uint32_t i = 0; i < finding->diff.count && !cause->frame_count; i++)
        if (finding->diff.differences[i].consequence_of < 0)
            cause_stack(causing, cause, &finding->stacks,
                        finding->diff.differences[i].new_stack);
}

const char *cause_property(const struct validate_finding *finding)
{
    const struct diff_difference *difference =
        finding->explained ? first_stable(finding) : NULL;
    return difference && difference->property[0] ? difference->property : "the result";
}

const char *cause_names(struct causing *causing, const char *const *names, size_t count)
{
    struct cook_buf text = COOK_BUF_INIT;
    for (size_t i = 0; i < count && i < 6; i++)
        cook_buf_printf(&text, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", names[i]);
    if (count > 6)
        cook_buf_printf(&text, " and %zu more", count - 6);
    const char *copy = cook_arena_strdup(&causing->validate->arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    return copy ? copy : "";
}

const char *cause_class(struct causing *causing, const struct validate_finding *finding)
{
    const struct cook_state *state = causing->validate->run->state;
    const struct diff_difference *difference =
        finding->explained ? first_stable(finding) : NULL;
    struct cook_facts facts = { 0 };
    size_t size;
    const uint8_t *blob = cook_state_blob(state, state->results[finding->package].facts, &size);
    if (difference &&
        cook_facts_decode(&facts, blob, size, &causing->validate->arena, NULL) == COOK_OK)
        for (size_t i = 0; i < facts.object_count; i++)
            if (strcmp(facts.objects[i].path, difference->object) == 0)
                return facts.objects[i].class_name;
    return finding->class_count ? finding->classes[0] : "its class";
}

const char *cause_call(struct causing *causing, uint32_t kind, const char *args)
{
    struct cook_arena *arena = &causing->validate->arena;
    const char *section;
    const char *key;
    const char *text = NULL;
    switch (kind) {
    case COOK_DEP_CONFIG:
        if (cook_dep_config_parse(args, arena, &section, &key))
            text = cook_arena_printf(arena, "cook_config(context, \"%s\", \"%s\", …)", section,
                                     key);
        break;
    case COOK_DEP_CVAR:
        text = cook_arena_printf(arena, "cook_console_variable(context, \"%s\")", args);
        break;
    case COOK_DEP_CMDLINE:
        text = cook_arena_printf(arena, "cook_command_line(context, \"%s\")", args);
        break;
    case COOK_DEP_ENV:
        text = cook_arena_printf(arena, "cook_environment(context, \"%s\")", args);
        break;
    case COOK_DEP_FILE:
        text = cook_arena_printf(arena, "cook_read_file(context, \"%s\", …)", args);
        break;
    case COOK_DEP_DIRECTORY:
        text = cook_arena_printf(arena, "cook_list_folder(context, \"%s\", …)", args);
        break;
    case COOK_DEP_QUERY:
        text = cook_arena_printf(arena, "cook_query_objects(context, …)");
        break;
    case COOK_DEP_REDIRECT:
        text = cook_arena_printf(arena, "cook_redirected(context, \"%s\")", args);
        break;
    case COOK_DEP_REF:
    case COOK_DEP_SOURCE:
        text = cook_arena_printf(arena, "cook_dereference(context, …) of %s", args);
        break;
    default:
        text = cook_arena_printf(arena, "the read of %s %s", cook_dep_kind_text(kind), args);
        break;
    }
    return text ? text : "the read";
}

/* ---- which findings ---- */

bool cause_wants_stable(const struct validate_finding *finding)
{
    return finding->verdict == VALIDATE_FALSE_SKIP || finding->verdict == VALIDATE_BOTH ||
           finding->verdict == VALIDATE_VANISHED_REPLAY;
}

static bool has_stable_cause(const struct validate_finding *finding)
{
    for (size_t i = 0; i < finding->cause_count; i++)
        if (finding->causes[i].confidence != VALIDATE_VARIES)
            return true;
    return false;
}

size_t cause_select(struct causing *causing, const struct causing_cook *cook,
                    struct validate_finding **out)
{
    struct validate *validate = causing->validate;
    size_t count = 0;
    for (size_t i = 0; i < validate->finding_count; i++) {
        struct validate_finding *finding = validate->findings[i];
        if (cause_wants_stable(finding) && !has_stable_cause(finding) &&
            (!cook || finding->kept.result.cook == cook->id))
            out[count++] = finding;
    }
    return count;
}

const struct causing_cook *cause_cook_of(const struct causing *causing,
                                         const struct validate_finding *finding)
{
    for (size_t i = 0; i < causing->cook_count; i++)
        if (causing->cooks[i].id == finding->kept.result.cook)
            return &causing->cooks[i];
    return NULL;
}

/* ---- the cooks that kept results come from ---- */

static enum cook_status note_cooks(struct causing *causing, struct cook_error *error)
{
    const struct validate *validate = causing->validate;
    for (size_t i = 0; i < validate->finding_count; i++) {
        if (cause_cook_of(causing, validate->findings[i]))
            continue;
        if (!cook_grow(&causing->cooks, &causing->cook_capacity, causing->cook_count + 1,
                       sizeof(*causing->cooks)))
            return cook_error_no_memory(error);
        causing->cooks[causing->cook_count++] =
            (struct causing_cook){ .id = validate->findings[i]->kept.result.cook };
    }
    return COOK_OK;
}

/* Facts that cannot be read are facts that are not known. */
static enum cook_status load_cooks(struct causing *causing, struct cook_error *error)
{
    struct cook_arena *arena = &causing->validate->arena;
    struct cook_store_cook *rows;
    size_t count;
    enum cook_status status = note_cooks(causing, error);
    if (status == COOK_OK)
        status = cook_store_cooks(causing->validate->run->store, &rows, &count, SIZE_MAX, arena,
                                  error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        for (size_t k = 0; k < causing->cook_count; k++) {
            struct causing_cook *cook = &causing->cooks[k];
            if (cook->id != rows[i].id)
                continue;
            cook->ended_ns = rows[i].ended_ns ? rows[i].ended_ns : rows[i].started_ns;
            cook->facts_json = rows[i].facts_json;
            cook->have =
                cook_run_facts_decode(&cook->facts, rows[i].facts_json, arena, NULL) == COOK_OK;
        }
    }
    return status;
}

/* ---- unknown ---- */

/* Two recooks of the same differ, by nothing that was varied. */
static void say_restless(struct causing *causing, struct validate_cause *cause)
{
    const struct cook_traced *traced = cook_pool_traced(causing->validate->run->pool);
    cause_say(causing, cause, "it differs from itself without any perturbation");
    if (traced && !cook_traced_partial(traced))
        cause_say(causing, cause,
                  "ruled out: clocks, random bytes and the process id, asked for by a call; "
                  "instructions of the processor (rdtsc, rdrand) are not seen");
}

static void name_unknown(struct causing *causing, struct validate_finding *finding)
{
    const struct causing_cook *cook = cause_cook_of(causing, finding);
    struct validate_cause *cause = cause_add(causing, finding, VALIDATE_CAUSE_UNKNOWN,
                                             VALIDATE_CONFIDENCE_UNKNOWN, "not known");
    bool have = cook && cook->have;
    if (finding->verdict == VALIDATE_INDETERMINATE) {
        cause_say(causing, cause, "ruled out: every perturbation that cook determinism knows");
        if (finding->restless)
            say_restless(causing, cause);
        cause_write_stack(causing, cause, finding);
        return;
    }
    cause_say(
        causing, cause,
        have ? "ruled out by recooks: plugins, environment, host name, command line, umask, "
               "processors and time zone of cook %u"
             : "the facts of cook %u are not known: its plugins and its environment could not "
               "be tried",
        finding->kept.result.cook);
    cause_say(causing, cause,
              "ruled out: reads in scopes that hide them, values kept in static "
              "variables, state of packages cooked before");
    const struct cook_traced *traced = cook_pool_traced(causing->validate->run->pool);
    const char *partial = traced ? cook_traced_partial(traced) : "nothing was traced";
    if (partial)
        cause_say(causing, cause, "files read behind the SDK's back could not all be seen: %s",
                  partial);
    else
        cause_say(causing, cause,
                  "ruled out: files, folders and programs that it reads and that "
                  "changed since");
    cause_write_stack(causing, cause, finding);
}

/* ---- the whole ---- */

static enum cook_status begin(struct causing *causing, struct validate *validate,
                              struct cook_error *error)
{
    const char *folders[] = { validate->run->plugin_folder };
    struct cook_symbolizer_options options = { .folders = folders, .folder_count = 1 };
    *causing = (struct causing){ .validate = validate };
    determinism_prepare(&causing->determinism, validate->run);
    causing->list = cook_calloc(validate->finding_count + 1, sizeof(struct validate_finding *));
    causing->cleared = cook_calloc(validate->finding_count + 1, sizeof(bool));
    enum cook_status status =
        causing->list && causing->cleared ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK)
        status = cook_symbolizer_create(&causing->symbolizer, &options, error);
    const char *now = cook_run_facts_json(validate->run);
    if (status == COOK_OK)
        status =
            cook_run_facts_decode(&causing->now, now ? now : "{}", &validate->arena, error);
    return status == COOK_OK ? load_cooks(causing, error) : status;
}

static enum cook_status find_all(struct causing *causing, struct cook_error *error)
{
    struct validate *validate = causing->validate;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < validate->finding_count; i++)
        cause_name_noise(causing, validate->findings[i]);
    for (size_t i = 0; status == COOK_OK && i < causing->cook_count; i++) {
        if (!causing->cooks[i].have)
            continue;
        status = cause_find_code(causing, &causing->cooks[i], error);
    }
    /* Before the surroundings: what is read once may be a variable, too. */
    if (status == COOK_OK)
        status = cause_find_cached(causing, error);
    for (size_t i = 0; status == COOK_OK && i < causing->cook_count; i++)
        if (causing->cooks[i].have)
            status = cause_find_surroundings(causing, &causing->cooks[i], error);
    if (status == COOK_OK)
        status = cause_find_hidden(causing, error);
    if (status == COOK_OK)
        status = cause_find_inputs(causing, false, error);
    for (size_t i = 0; status == COOK_OK && i < causing->cook_count; i++)
        if (causing->cooks[i].have)
            status = cause_find_libraries(causing, &causing->cooks[i], error);
    if (status == COOK_OK)
        status = cause_find_left(causing, error);
    /* Last: a file that plugins read when they are loaded may stand behind any package. */
    if (status == COOK_OK)
        status = cause_find_inputs(causing, true, error);
    for (size_t i = 0; status == COOK_OK && i < validate->finding_count; i++) {
        struct validate_finding *finding = validate->findings[i];
        if (!finding->cause_count)
            name_unknown(causing, finding);
        for (size_t k = 0; k < finding->cause_count && !finding->fix; k++)
            finding->fix = finding->causes[k].fix;
    }
    return status;
}

enum cook_status validate_find_causes(struct validate *validate, struct cook_error *error)
{
    struct causing causing;
    if (!validate->finding_count)
        return COOK_OK;
    enum cook_status status = begin(&causing, validate, error);
    if (status == COOK_OK)
        status = find_all(&causing, error);
    determinism_finish(&causing.determinism);
    cook_symbolizer_destroy(causing.symbolizer);
    cook_free(causing.cooks);
    cook_free(causing.list);
    cook_free(causing.cleared);
    return status;
}

void validate_causes_finish(struct validate_finding *finding)
{
    cook_free(finding->causes);
    finding->causes = NULL;
}
