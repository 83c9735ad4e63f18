/*
 * Determinism: cook packages from the same inputs in workers whose process state is varied on
 * purpose, and compare their results. Nothing is written to the store, and none is needed.
 *
 * A baseline holds still what can be held still (addresses, heap fill, clock, random bytes, one
 * worker, the order of the search). Each round cooks the packages again under a set of
 * perturbations. What differs is bisected, alone in fresh workers, to the guilty perturbation,
 * and compared once more by written token with a callstack per write.
 */
#ifndef VALIDATE_DETERMINISM_H
#define VALIDATE_DETERMINISM_H

#include "cook/plan/intake.h"
#include "cook/plan/search.h"
#include "cook/worker/reads.h"
#include "diffcook/diff.h"

struct cook_cli;

/* X(name, text, does) */
#define DETERMINISM_VARIES(X)                                                                  \
    X(ASLR, "aslr", "address layout: randomised, instead of fixed")                            \
    X(HEAP, "heap", "what fresh and freed memory, and unused stack, is filled with")           \
    X(REUSE, "reuse", "allocation: other thresholds, no cache of freed blocks")                \
    X(CLOCK, "clock", "time of day: 400 days ahead")                                           \
    X(TIMEZONE, "timezone", "TZ: another zone")                                                \
    X(LOCALE, "locale", "LC_ALL: another locale")                                              \
    X(PROCESS, "process", "id of the process")                                                 \
    X(ENVIRONMENT, "environment", "an extra variable, another HOME, USER and LOGNAME")         \
    X(HOST, "host", "host name: another")                                                      \
    X(UMASK, "umask", "umask: another")                                                        \
    X(PROCESSORS, "processors", "processor count and affinity")                                \
    X(WORKERS, "workers", "several workers, instead of one")                                   \
    X(TIMING, "timing", "thread timing: asynchronous jobs held back")                          \
    X(SEED, "seed", "random bytes of the system: another stream")                              \
    X(ORDER, "order", "package order: reversed, in one process")                               \
    X(SHUFFLE, "shuffle", "package order: shuffled by a fixed seed, in one process")           \
    X(RESIDENCY, "residency", "each package alone in a fresh worker")                          \
    X(DIRECTORY, "directory", "order of directory entries: reversed")                          \
    X(FOLDER, "folder", "working folder: another, with links to what is in the project's")     \
    X(PROJECT, "project", "project folder: another path")

enum determinism_vary {
#define DETERMINISM_VARY_ENUM(name, text, does) DETERMINISM_##name,
    DETERMINISM_VARIES(DETERMINISM_VARY_ENUM)
#undef DETERMINISM_VARY_ENUM
        DETERMINISM_VARY_COUNT
};
#define DETERMINISM_BIT(vary) (1u << DETERMINISM_##vary)
/* Those that change the order of packages, not the process. */
#define DETERMINISM_ORDERS                                                                     \
    (DETERMINISM_BIT(ORDER) | DETERMINISM_BIT(SHUFFLE) | DETERMINISM_BIT(RESIDENCY))
/* Those that a worker is told in variables. They show in a package that walks through its whole
 * environment, whatever they do: a variable that means nothing is tried beside them. */
#define DETERMINISM_TOLD                                                                       \
    (DETERMINISM_BIT(HEAP) | DETERMINISM_BIT(REUSE) | DETERMINISM_BIT(CLOCK) |                 \
     DETERMINISM_BIT(TIMEZONE) | DETERMINISM_BIT(LOCALE) | DETERMINISM_BIT(PROCESS) |          \
     DETERMINISM_BIT(HOST) | DETERMINISM_BIT(PROCESSORS) | DETERMINISM_BIT(TIMING) |           \
     DETERMINISM_BIT(SEED) | DETERMINISM_BIT(DIRECTORY) | DETERMINISM_BIT(FOLDER))
#define DETERMINISM_CONTROL (1u << 31) /* that variable; no perturbation */
const char *determinism_vary_text(enum determinism_vary vary);
const char *determinism_vary_does(enum determinism_vary vary);

/* Parse "NAME,-NAME,…" (--vary): the first without '-' turns all others off. COOK_E_USAGE. */
enum cook_status determinism_parse_vary(uint32_t *set, const char *const *lists, size_t count,
                                        struct cook_error *error) COOK_CHECK_RESULT;

/* What a machine can do. */
struct determinism_machine {
    const char *reasons[DETERMINISM_VARY_COUNT]; /* why not; NULL: it can */
    char *preload;                               /* LD_PRELOAD's value; NULL: not there */
    const char *locale;
    char *links;           /* a folder of links to what is in the project's */
    char *place;           /* an empty folder, where the project can be seen */
    int64_t clock_ns;      /* the baseline's time of day */
    unsigned processors;   /* how many a perturbed worker sees */
    unsigned worker_count; /* of the pool */
    bool fixed_addresses;
};
void determinism_probe(struct determinism_machine *machine, const char *project,
                       unsigned worker_count, struct cook_arena *arena);
void determinism_forget(const struct determinism_machine *machine); /* removes its folders */
/* A way of starting workers under `set`, in `arena`; NULL when memory is short. */
const struct cook_pool_start *determinism_start(const struct determinism_machine *machine,
                                                uint32_t set, struct cook_arena *arena);

/* What of a result is compared, by hashes. */
struct determinism_print {
    bool have;
    bool ok; /* it cooked */
    struct cook_hash bytes, edges, messages, files, parts;
    uint32_t bundle;
    struct cook_hash key; /* of the values that the worker saw */
};

/* One side of an explained difference; all in the arena. */
struct determinism_version {
    bool have;
    uint8_t *bytes;
    size_t size;
    struct cook_token_map tokens;
    uint32_t *stack_ids;
    size_t stack_id_count;
    struct cook_stack_set stacks;
    const char *notes;
    struct cook_read_set reads; /* what it read, with callstacks */
};

struct determinism_finding {
    uint32_t package;
    uint32_t parts;   /* enum validate_parts: what differs */
    uint32_t rounds;  /* perturbations that were on when it differed */
    unsigned shuffle; /* the last shuffled round that showed it */
    uint32_t guilty;  /* each by itself makes it differ; 0: it is unstable by itself */
    bool together;    /* … only all of them do */
    bool reproduced;  /* by a recook; otherwise nothing is known of the guilty */
    bool bisected;
    bool against_store;
    const char **classes;
    size_t class_count;
    const char *detail;             /* lines */
    struct determinism_version old; /* unperturbed */
    struct determinism_version new;
    bool explained;
    struct diff_result diff;
    bool reordered;                 /* the same writes in another order */
    const struct cook_read *cached; /* a read of the old version that the new one lacks */
};

struct determinism_options {
    uint32_t vary;   /* by determinism_vary */
    bool vary_given; /* asked for by name: no limit on what is slow */
    unsigned rounds; /* 0: one per set */
    bool against_store;
    const char *const *packages;
    size_t package_count;
    const char *const *classes;
    size_t class_count;
};

struct determinism {
    struct cook_run *run;
    struct determinism_options options;
    struct determinism_machine machine;
    struct cook_arena arena;
    struct cook_intake intake;
    struct cook_search search;
    struct cook_roots roots;
    uint32_t package_limit;             /* rows at the start */
    struct determinism_print *baseline; /* by package */
    struct determinism_print *kept;     /* by package; NULL without --against-store */
    uint32_t *list;                     /* what the baseline cooked, in its order */
    size_t list_count, list_capacity;
    struct determinism_finding **findings;
    size_t finding_count, finding_capacity;
    char **failures; /* "PACKAGE: reason", of the baseline */
    size_t failure_count, failure_capacity;
    size_t failed_count;
    size_t declared_count; /* results that differ because a declared input was varied */
    unsigned rounds;
    unsigned tried[DETERMINISM_VARY_COUNT];
    size_t not_bisected;
    double seconds;
    bool tolerant;     /* perturbations under which no worker starts are left out */
    uint32_t unstarted; /* those */
};

/* ---- one round (determinism_round.c) ---- */

struct determinism_round {
    uint32_t set;
    const uint32_t *packages; /* in order; NULL: follow the search (the baseline) */
    size_t count;
    bool alone;                          /* each in a fresh worker */
    bool capture;                        /* callstacks per write and per read */
    const struct cook_pool_start *start; /* NULL: as `set` says */
    /* A result; NULL `result` when the worker died of it, then `reason` says how. */
    enum cook_status (*on_result)(void *user, uint32_t package,
                                  const struct cook_result *result,
                                  const struct determinism_print *print, const char *reason,
                                  struct cook_error *error);
    void *user;
};
enum cook_status determinism_cook(struct determinism *determinism,
                                  const struct determinism_round *round,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* enum validate_parts that differ; `*declared` when a declared input differs, which explains
 * all. */
uint32_t determinism_compare(const struct determinism *determinism,
                             const struct determinism_print *a,
                             const struct determinism_print *b, bool *declared);
/* By dependency: 1 only the old bundle holds it, 2 only the new, 3 both; owned by the caller,
 * NULL when memory is short. COOK_ID_NONE is an empty bundle. */
uint8_t *determinism_marks(const struct cook_state *state, uint32_t old, uint32_t new);
/* Lines for people: which dependency only one of two bundles holds. */
void determinism_name_dependencies(const struct cook_state *state, uint32_t old, uint32_t new,
                                   struct cook_buf *out);

/* ---- several packages at once (determinism_try.c) ---- */

struct determinism_subject {
    uint32_t package;
    uint32_t candidates;                /* perturbations to try, each by itself */
    struct determinism_print reference; /* out: as it was, of this order of subjects */
    bool unstable;                      /* out: differs without any perturbation */
    bool walks;                         /* out: differs by a variable that means nothing */
    uint32_t guilty;                    /* out: each by itself makes it differ */
};
struct determinism_watch { /* sees results that have to be kept or compared; NULL members: no */
    enum cook_status (*on_reference)(void *user, struct determinism_subject *subject,
                                     const struct cook_result *result,
                                     struct cook_error *error);
    /* `set` is one perturbation, or 0 for the second unperturbed cook. */
    enum cook_status (*on_difference)(void *user, struct determinism_subject *subject,
                                      uint32_t set, const struct cook_result *result,
                                      struct cook_error *error);
    void *user;
};
bool determinism_differs(const struct determinism *determinism,
                         const struct determinism_print *a, const struct determinism_print *b);
/* Cook the subjects unperturbed, twice, then under each candidate. `watch` may be NULL. */
enum cook_status determinism_try(struct determinism *determinism,
                                 struct determinism_subject *subjects, size_t count,
                                 const struct determinism_watch *watch,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Keep the subjects, in order, that differ under all of `set` at once. */
enum cook_status determinism_sift(struct determinism *determinism,
                                  struct determinism_subject *subjects, size_t *count,
                                  uint32_t set, struct cook_error *error) COOK_CHECK_RESULT;

/* ---- the whole (determinism.c, determinism_bisect.c) ---- */
/* Ready to cook under all perturbations that the machine can do, for others than the verb. */
void determinism_prepare(struct determinism *determinism, struct cook_run *run);
enum cook_status determinism_run(struct determinism *determinism, struct cook_run *run,
                                 const struct determinism_options *options,
                                 struct cook_error *error) COOK_CHECK_RESULT;
void determinism_finish(struct determinism *determinism); /* zeroed allowed */
/* Name the guilty of each finding, and show its difference. */
enum cook_status determinism_bisect(struct determinism *determinism,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* An order of the baseline's packages under an order perturbation, in `arena`. */
uint32_t determinism_on(const struct determinism *determinism); /* asked for, and possible */
uint32_t *determinism_order(const struct determinism *determinism, uint32_t set, unsigned round,
                            struct cook_arena *arena);

/* ---- output (determinism_report.c, determinism_json.c, determinism_reproduce.c) ---- */
/* Recooks agree with each other, and differ from the kept result. */
bool determinism_is_of_store(const struct determinism_finding *finding);
/* Where the callstacks of a finding's versions are. */
struct diff_symbols;
void determinism_symbols(struct diff_symbols *symbols, const struct determinism *determinism,
                         const struct determinism_finding *finding);
const char *determinism_verdict(const struct determinism_finding *finding);
/* "clock", "clock,timezone" (each), "aslr+heap" (together), "none", "unknown"; in `arena`. */
const char *determinism_guilty_text(const struct determinism_finding *finding,
                                    struct cook_arena *arena);
/* The command line that shows the finding again; in `arena`, NULL when memory is short. */
char *determinism_reproduce_text(const struct determinism *determinism,
                                 const struct cook_cli *cli,
                                 const struct determinism_finding *finding,
                                 struct cook_arena *arena);
enum cook_status determinism_print_text(const struct determinism *determinism,
                                        const struct cook_cli *cli,
                                        struct cook_error *error) COOK_CHECK_RESULT;
/* Record the check with its document in the history, and write the document where --json asks.
 */
enum cook_status determinism_record(const struct determinism *determinism,
                                    const struct cook_cli *cli,
                                    struct cook_error *error) COOK_CHECK_RESULT;
int determinism_verb(int argc, const char **argv);

#endif
