/*
 * cook explain: what is recorded of a package, who recorded a thing, and why a package would be
 * skipped or cooked. Opens the store for reading and evaluates as an incremental cook does.
 */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"

struct explain {
    struct cook_cli cli;
    struct cook_run run; /* refreshed and evaluated; closed where a command reads the store alone */
    struct cook_project project; /* of a command that reads the store alone */
    struct cook_store *store;    /* likewise */
    char *against; /* --against */
    int cooks;     /* --cooks */
    struct cook_arena arena;
    cJSON *document; /* filled by a command */
};

/* Each takes what follows its name on the command line, NULL-terminated; prints, and fills the
 * document. COOK_E_USAGE for wrong operands. */
enum cook_status explain_deps(struct explain *explain, const char *const *operands,
                              struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_rdeps(struct explain *explain, const char *const *operands,
                               struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_why(struct explain *explain, const char *const *operands,
                             struct cook_error *error) COOK_CHECK_RESULT;

enum cook_status explain_chain(struct explain *explain, const char *const *operands,
                               struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_not_cooked(struct explain *explain, const char *const *operands,
                                    struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_modified(struct explain *explain, const char *const *operands,
                                  struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_audit(struct explain *explain, const char *const *operands,
                               struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_impact(struct explain *explain, const char *const *operands,
                                struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_graph(struct explain *explain, const char *const *operands,
                               struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_size(struct explain *explain, const char *const *operands,
                              struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status explain_class(struct explain *explain, const char *const *operands,
                               struct cook_error *error) COOK_CHECK_RESULT;
/* Of modified, with --against (against.c). */
enum cook_status explain_against(struct explain *explain,
                                 struct cook_error *error) COOK_CHECK_RESULT;
void explain_print_modified(FILE *out, const cJSON *document);
void explain_print_against(FILE *out, const cJSON *document);

/* ---- shared (key.c) ---- */

/* What a key that was typed names among the dependencies. */
struct explain_key {
    uint32_t kind;       /* COOK_DEP_UNKNOWN: all */
    const char *text;
    const char *package; /* whose source the key is a file of, or NULL */
};
/* Operands: KIND, when it stands before KEY, and KEY, in one word of the shell or in several: as reports
 * print them. COOK_E_USAGE. */
enum cook_status explain_read_key(struct explain_key *key, struct explain *explain,
                                  const char *const *operands,
                                  struct cook_error *error) COOK_CHECK_RESULT;
bool explain_key_matches(const struct explain_key *key, uint32_t kind, const char *args);

/* ---- shared (record.c) ---- */

/* What a set of dependencies is to the packages that have it. */
struct explain_set {
    const char *part;    /* "load", "save", or "whole": dependencies on whole packages, of either */
    const char *through; /* the package whose load set it is, or NULL; as long as the state */
};
struct explain_set explain_describe_set(const struct cook_state *state, uint32_t set);
/* The origins of a set's dependencies, in its order; in the arena, or NULL when memory is short. */
struct cook_dep_origin;
const struct cook_dep_origin *explain_origins(struct explain *explain, uint32_t set);
/* How a dependency of a kind came about: "cook_config() in post_load of Texture", "declared by …", or
 * "automatic: …"; in the arena. */
const char *explain_how(struct explain *explain, uint32_t kind, const struct cook_dep_origin *origin);
/* The value of a dependency for people: its text, its hash, or "absent"; in the arena. */
const char *explain_value(struct explain *explain, uint32_t dep);
/* The one package that the operands name. COOK_E_USAGE, COOK_E_NOT_FOUND. */
enum cook_status explain_package(uint32_t *package, struct explain *explain,
                                 const char *const *operands, struct cook_error *error)
    COOK_CHECK_RESULT;

int explain_verb(int argc, const char **argv);

#endif
