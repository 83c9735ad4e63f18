/* Causes for people and for documents. */
#include <cjson/cJSON.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "diffcook/print.h"
#include "validate/causes.h"
#include "validate/validate.h"

const char *validate_cause_text(enum validate_cause_kind kind)
{
    static const char *const texts[] = {
#define VALIDATE_CAUSE_TEXT(name, text) text,
        VALIDATE_CAUSES(VALIDATE_CAUSE_TEXT)
#undef VALIDATE_CAUSE_TEXT
    };
    return kind < VALIDATE_CAUSE_COUNT ? texts[kind] : texts[0];
}

const char *validate_confidence_text(enum validate_confidence confidence)
{
    switch (confidence) {
    case VALIDATE_CHANGED:
        return "changed";
    case VALIDATE_PROBABLY_CHANGED:
        return "probably changed";
    case VALIDATE_VARIES:
        return "varies";
    case VALIDATE_CONFIDENCE_UNKNOWN:
        break;
    }
    return "unknown";
}

static const char *kind_words(enum validate_cause_kind kind, char words[64])
{
    (void)snprintf(words, 64, "%s", validate_cause_text(kind));
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return words;
}

void validate_print_causes(FILE *out, const struct validate_finding *finding)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    for (size_t i = 0; i < finding->cause_count; i++) {
        const struct validate_cause *cause = &finding->causes[i];
        char words[64];
        if (cause->kind == VALIDATE_CAUSE_UNKNOWN)
            fprintf(out, "    cause: %s\n", cause->what);
        else
            fprintf(out, "    cause: %s: %s%s\n", kind_words(cause->kind, words), cause->what,
                    cause->confidence == VALIDATE_PROBABLY_CHANGED ? " (probably)" : "");
        for (size_t k = 0; k < cause->evidence_count; k++)
            fprintf(out, "        %s\n", cause->evidence[k]);
        for (size_t k = 0; k < cause->frame_count && !cause->of_the_write; k++) {
            const char *text = cook_symbol_text(&cause->frames[k], &arena);
            fprintf(out, "        at %s\n", text ? text : "?");
        }
    }
    if (finding->fix)
        fprintf(out, "    fix: %s\n", finding->fix);
    cook_arena_finish(&arena);
}

static cJSON *cause_to_json(const struct validate_cause *cause)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", validate_cause_text(cause->kind));
    cJSON_AddStringToObject(json, "what", cause->what);
    cJSON_AddStringToObject(json, "confidence", validate_confidence_text(cause->confidence));
    cJSON *evidence = cJSON_AddArrayToObject(json, "evidence");
    for (size_t i = 0; i < cause->evidence_count; i++)
        cJSON_AddItemToArray(evidence, cJSON_CreateString(cause->evidence[i]));
    cJSON *inputs = cJSON_AddArrayToObject(json, "inputs");
    for (size_t i = 0; i < cause->input_count; i++) {
        cJSON *input = cJSON_CreateObject();
        cJSON_AddStringToObject(input, "kind", cook_dep_kind_text(cause->inputs[i].kind));
        cJSON_AddStringToObject(input, "key", cause->inputs[i].args);
        cJSON_AddItemToArray(inputs, input);
    }
    cJSON *stack = cJSON_AddArrayToObject(json, "stack");
    for (size_t i = 0; i < cause->frame_count; i++)
        cJSON_AddItemToArray(stack, diff_frame_to_json(&cause->frames[i]));
    return json;
}

void validate_causes_to_json(cJSON *finding_json, const struct validate_finding *finding)
{
    cJSON *causes = cJSON_AddArrayToObject(finding_json, "causes");
    for (size_t i = 0; i < finding->cause_count; i++)
        cJSON_AddItemToArray(causes, cause_to_json(&finding->causes[i]));
    if (finding->fix)
        cJSON_AddStringToObject(finding_json, "fix", finding->fix);
    else
        cJSON_AddNullToObject(finding_json, "fix");
}
