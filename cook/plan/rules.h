/*
 * Cook rules of primary assets: what config and PrimaryAssetLabel objects say about a package that
 * stands for itself (a map, a startup package, what a glob or a label names): whether it is cooked,
 * how urgent its word is, and into which chunk it goes. The root set follows from them; so does
 * what is never cooked. Made once a run by cook_run_roots(), then read-only.
 */
#ifndef COOK_PLAN_RULES_H
#define COOK_PLAN_RULES_H

#include "cook/plan/run.h"

#define COOK_CHUNK_NONE (-1)

enum cook_rule {
    COOK_RULE_UNKNOWN = 0, /* no word on cooking: cooked where something leads there */
    COOK_RULE_NEVER,       /* wins over all others, whatever their priority */
    COOK_RULE_DEVELOPMENT, /* a root; where [Cook] Shipping=true never cooked */
    COOK_RULE_ALWAYS,      /* a root */
};
const char *cook_rule_text(enum cook_rule rule); /* "always" */

/* One entry of config, or one label: what it says about all packages that it names. */
struct cook_rule_source {
    enum cook_rule rule;
    int32_t priority;  /* the higher one decides; config entries have 0 */
    int32_t chunk;     /* COOK_CHUNK_NONE: it has no opinion */
    const char *text;  /* where it stands: "cook.ini:7: map", "label /Game/L.L"; for people */
};

/* A source wants a package in its chunk. Several may; which ones count is decided by chunks.h. */
struct cook_rule_chunk {
    uint32_t package;
    uint32_t source;
};

struct cook_rules {
    struct cook_rule_source *sources; /* in the run's arena; 0 is none */
    size_t source_count, source_capacity;
    uint32_t *rule_of;  /* by package: the source that decides its rule, 0 for none */
    struct cook_rule_chunk *chunks; /* in the order in which they were said */
    size_t chunk_count, chunk_capacity;
    uint32_t package_count;
    bool shipping;
};

/* The source that decides about a package, or NULL when it is no primary asset. */
const struct cook_rule_source *cook_rules_rule(const struct cook_rules *rules, uint32_t package);
/* Whether the rule makes it a root. */
bool cook_rules_is_root(const struct cook_rules *rules, uint32_t package);
/* Whether the rule keeps it out of the cook, as a never-cook glob of config does as well. */
bool cook_rules_forbid(const struct cook_rules *rules, uint32_t package);
/* Why a package is never cooked ("cook.ini:9: never cook /Game/Dev/..", "label /Game/L.L"), in the
 * run's arena; NULL when nothing forbids it. */
const char *cook_rules_never_why(struct cook_run *run, uint32_t package);

/* ---- making them (rules.c, labels.c) ---- */
void cook_rules_destroy(struct cook_rules *rules); /* NULL allowed */
/* A new source; its index, or 0 when memory is short. `text` is borrowed from the run's arena. */
uint32_t cook_rules_add_source(struct cook_run *run, enum cook_rule rule, int32_t priority,
                               int32_t chunk, const char *text);
/* Let a source speak about a package, or about all present ones that a glob matches. */
enum cook_status cook_rules_say(struct cook_run *run, uint32_t source,
                                uint32_t package) COOK_CHECK_RESULT;
enum cook_status cook_rules_say_glob(struct cook_run *run, uint32_t source,
                                     const char *glob) COOK_CHECK_RESULT;
/* What the project's labels say. Costs one look at a flag in a project without labels. */
enum cook_status cook_rules_add_labels(struct cook_run *run,
                                       struct cook_error *error) COOK_CHECK_RESULT;

#endif
