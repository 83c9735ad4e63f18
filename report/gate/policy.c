#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/gate/gate.h"

#define RULES  "Rules"
#define WAIVER "Waiver "

const struct gate_rule gate_rules[GATE_RULE_COUNT] = {
#define GATE_ROW(key, unit, limit, severity, says) { #key, GATE_UNIT_##unit, limit, severity, says },
    GATE_RULES(GATE_ROW)
#undef GATE_ROW
};

static enum cook_status mistake(struct cook_error *error, const struct cook_config_value *value,
                                const char *reason, const char *text)
{
    return cook_error_set(error, COOK_E_CONFIG, "%s:%u: %s%s%s", value->source, value->line, reason,
                          *text ? ": " : "", text);
}

/* ---- rules ---- */

static bool read_severity(enum gate_severity *severity, const char *text, size_t length)
{
    static const char *const names[] = { "off", "warning", "error" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
            *severity = (enum gate_severity)i;
            return true;
        }
    return false;
}

/* Digits with an optional fraction, then a unit; no signs, no exponents, no locale. */
static bool read_number(double *value, const char **text)
{
    const char *at = *text;
    double scale = 1;
    *value = 0;
    for (; isdigit((unsigned char)*at); at++)
        *value = *value * 10 + (*at - '0');
    if (at == *text)
        return false;
    if (*at == '.')
        for (at++; isdigit((unsigned char)*at); at++)
            *value += (*at - '0') * (scale /= 10);
    *text = at;
    return *value < 1e12;
}

static bool read_limit(double *limit, enum gate_unit unit, const char *text)
{
    static const struct {
        const char *text;
        double seconds;
    } units[] = { { "m", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 604800 } };
    if (unit == GATE_UNIT_FLAG) {
        *limit = strcmp(text, "yes") == 0;
        return *limit > 0 || strcmp(text, "no") == 0;
    }
    if (!read_number(limit, &text))
        return false;
    if (unit == GATE_UNIT_PERCENT)
        return strcmp(text, "%") == 0 && *limit <= 100;
    if (unit == GATE_UNIT_COUNT)
        return !*text;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(text, units[i].text) == 0) {
            *limit *= units[i].seconds;
            return true;
        }
    return false;
}

static enum cook_status set_rule(struct gate_policy *policy, size_t rule,
                                 const struct cook_config_value *value, struct cook_error *error)
{
    const char *text = value->text;
    size_t length = strcspn(text, " \t");
    if (!read_severity(&policy->severities[rule], text, length))
        return mistake(error, value, "a rule begins with error, warning or off", text);
    text += length;
    text += strspn(text, " \t");
    if (!*text)
        return COOK_OK; /* its default limit */
    if (!read_limit(&policy->limits[rule], gate_rules[rule].unit, text))
        return mistake(error, value,
                       gate_rules[rule].unit == GATE_UNIT_AGE       ? "a limit in m, h, d or w, as in 7d"
                       : gate_rules[rule].unit == GATE_UNIT_PERCENT ? "a limit in percent, as in 25%"
                       : gate_rules[rule].unit == GATE_UNIT_FLAG    ? "a limit of yes or no"
                                                                    : "a number as limit",
                       text);
    policy->limit_texts[rule] = text;
    return COOK_OK;
}

static enum cook_status read_rules(struct gate_policy *policy, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < GATE_RULE_COUNT; i++) {
        struct cook_config_value standard = { .text = gate_rules[i].severity };
        policy->limit_texts[i] = gate_rules[i].limit;
        (void)read_limit(&policy->limits[i], gate_rules[i].unit, gate_rules[i].limit);
        (void)read_severity(&policy->severities[i], standard.text, strlen(standard.text));
    }
    const char *key;
    for (size_t i = 0; status == COOK_OK && (key = cook_config_key_name(policy->config, RULES, i));
         i++) {
        const struct cook_config_value *values;
        size_t count = cook_config_values(policy->config, RULES, key, &values);
        size_t rule = 0;
        if (count == 0)
            continue;
        while (rule < GATE_RULE_COUNT && strcmp(gate_rules[rule].key, key) != 0)
            rule++;
        status = rule < GATE_RULE_COUNT ? set_rule(policy, rule, &values[count - 1], error)
                                        : mistake(error, &values[count - 1], "no rule is named", key);
    }
    return status;
}

/* ---- waivers ---- */

int64_t gate_read_time(const char *text)
{
    struct tm tm = { 0 };
    const char *end = strptime(text, "%Y-%m-%d", &tm);
    if (end && *end == 'T')
        end = strptime(end, "T%H:%M:%SZ", &tm);
    if (!end || *end)
        return -1;
    time_t time = timegm(&tm);
    return time < 0 ? -1 : (int64_t)time;
}

static bool is_id(const char *text)
{
    return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
}

static enum cook_status read_waiver(struct gate_policy *policy, const char *section, int64_t now,
                                    struct cook_error *error)
{
    struct gate_waiver *waiver = &policy->waivers[policy->waiver_count];
    const struct {
        const char *key;
        const char **place;
    } keys[] = {
        { "Finding", &waiver->finding }, { "Package", &waiver->package },
        { "Class", &waiver->class_name }, { "Verdict", &waiver->verdict },
        { "Reason", &waiver->reason },   { "Owner", &waiver->owner },
        { "Expires", &waiver->expires },
    };
    const struct cook_config_value *last = NULL;
    waiver->name = section + strlen(WAIVER);
    const char *key;
    for (size_t i = 0; (key = cook_config_key_name(policy->config, section, i)); i++) {
        const struct cook_config_value *values;
        size_t count = cook_config_values(policy->config, section, key, &values);
        size_t at = 0;
        if (count == 0)
            continue;
        last = &values[count - 1];
        while (at < sizeof(keys) / sizeof(keys[0]) && strcmp(keys[at].key, key) != 0)
            at++;
        if (at == sizeof(keys) / sizeof(keys[0]))
            return mistake(error, last, "a waiver has no key", key);
        *keys[at].place = last->text;
    }
    if (!last)
        return cook_error_set(error, COOK_E_CONFIG, "the waiver '%s' says nothing", waiver->name);
    waiver->line = last->line;
    if (!waiver->finding && is_id(waiver->name))
        waiver->finding = waiver->name;
    if (!waiver->finding && !waiver->package && !waiver->class_name)
        return mistake(error, last, "a waiver needs a Finding, a Package or a Class", "");
    if (!waiver->reason || !*waiver->reason || !waiver->owner || !*waiver->owner)
        return mistake(error, last, "a waiver needs a Reason and an Owner", "");
    int64_t expires = waiver->expires ? gate_read_time(waiver->expires) : -1;
    if (expires < 0)
        return mistake(error, last, "a waiver needs Expires=YYYY-MM-DD", "");
    waiver->expired = now >= expires + 86400; /* its last day counts */
    policy->waiver_count++;
    return COOK_OK;
}

static enum cook_status read_waivers(struct gate_policy *policy, int64_t now,
                                     struct cook_error *error)
{
    static const char *const others[] = { RULES, "OptOuts" };
    enum cook_status status = COOK_OK;
    size_t count = 0;
    while (cook_config_section_name(policy->config, count))
        count++;
    policy->waivers = cook_arena_alloc(&policy->arena, (count + 1) * sizeof(*policy->waivers));
    if (!policy->waivers)
        return cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        const char *section = cook_config_section_name(policy->config, i);
        if (strncmp(section, WAIVER, strlen(WAIVER)) == 0)
            status = read_waiver(policy, section, now, error);
        else if (strcmp(section, others[0]) != 0 && strcmp(section, others[1]) != 0)
            status = cook_error_set(error, COOK_E_CONFIG,
                                    "a policy has no section [%s]; it has [Rules], [OptOuts] and "
                                    "[Waiver NAME]", section);
    }
    return status;
}

/* ---- the file ---- */

enum cook_status gate_policy_load(struct gate_policy *policy, const char *path, int64_t now,
                                  struct cook_error *error)
{
    *policy = (struct gate_policy){ .arena = COOK_ARENA_INIT };
    enum cook_status status = cook_config_load_file(&policy->config, AT_FDCWD, path, error);
    if (status == COOK_OK)
        status = read_rules(policy, error);
    if (status == COOK_OK)
        status = read_waivers(policy, now, error);
    return status;
}

void gate_policy_finish(struct gate_policy *policy)
{
    cook_config_destroy(policy->config);
    cook_arena_finish(&policy->arena);
    *policy = (struct gate_policy){ .arena = COOK_ARENA_INIT };
}

void gate_policy_write(struct cook_buf *out)
{
    cook_buf_printf(out,
                    "; What a build must meet: cook gate --policy FILE\n"
                    "; Each rule: error, warning or off, then its limit. An error fails the gate; a\n"
                    "; warning is printed. A rule whose input is missing or too old fails.\n\n[" RULES
                    "]\n");
    for (size_t i = 0; i < GATE_RULE_COUNT; i++)
        cook_buf_printf(out, "; %s\n%s = %s %s\n", gate_rules[i].says, gate_rules[i].key,
                        gate_rules[i].severity, gate_rules[i].limit);
    cook_buf_printf(out,
                    "\n; Classes that may be cooked every time; others that are make UnlistedOptOuts\n"
                    "; fail.\n[OptOuts]\n; +Class = /Script/Arena.WaveSpawner\n\n"
                    "; A waiver lets a finding pass until a day. Add one with:\n"
                    ";   cook gate waive ID --policy FILE --reason TEXT --owner NAME --expires DAY\n"
                    "; or for many, with patterns that must all match:\n"
                    "; [Waiver loot rework]\n; Package = /Game/Loot/*\n; Verdict = false_skip\n"
                    "; Reason = the rework lands next week\n; Owner = @economy\n"
                    "; Expires = 2026-12-31\n");
}

/* A value of one line that reads back as it was. */
static bool can_stand(const char *text)
{
    if (!*text || strlen(text) > 180 || isspace((unsigned char)text[0]) ||
        isspace((unsigned char)text[strlen(text) - 1]))
        return false;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == ';')
            return false;
    return true;
}

enum cook_status gate_policy_waive(struct cook_buf *text, const struct gate_waiver *waiver,
                                   const struct gate_policy *policy, struct cook_error *error)
{
    for (size_t i = 0; i < policy->waiver_count; i++)
        if (strcmp(policy->waivers[i].name, waiver->name) == 0)
            return cook_error_set(error, COOK_E_EXISTS,
                                  "there is a waiver of %s already, which ends on %s", waiver->name,
                                  policy->waivers[i].expires);
    if (!is_id(waiver->name))
        return cook_error_set(error, COOK_E_USAGE, "'%s' is no id of a finding: 16 hex digits",
                              waiver->name);
    if (!can_stand(waiver->reason) || !can_stand(waiver->owner))
        return cook_error_set(error, COOK_E_USAGE,
                              "a reason and an owner are one line of up to 180 bytes, without ';'");
    if (strlen(waiver->expires) != 10 || gate_read_time(waiver->expires) < 0)
        return cook_error_set(error, COOK_E_USAGE, "--expires takes a day, as in 2026-12-31, not '%s'",
                              waiver->expires);
    if (text->size && text->data[text->size - 1] != '\n')
        cook_buf_put_u8(text, '\n');
    cook_buf_printf(text, "\n[" WAIVER "%s]\nReason = %s\nOwner = %s\nExpires = %s\n", waiver->name,
                    waiver->reason, waiver->owner, waiver->expires);
    return text->failed ? cook_error_no_memory(error) : COOK_OK;
}
