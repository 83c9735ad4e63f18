/*
 * cook report: what validations found and what cooks cost, as a page, as text, and for other tools.
 *
 * All forms are made of one model, a JSON document ("cookproof/report/1"), built from the documents
 * that the verbs wrote (--json FILE) or that the history kept of them. The library reads JSON documents
 * and the store's read API, nothing else, and writes nothing but what it was asked for.
 *
 * The model: project, target, run {id, verb, started, seconds, content_revision, code_revision};
 * verdict "clean", "findings" or "incomplete"; headline; numbers [{label, text, detail, level}]; states
 * {new, known, masked, gone}; summary (of the validation); trend [{run, started, …counts}], oldest first;
 * findings, as validated, with owners and source lines; dropped_findings; recook_causes [{what, packages,
 * identical, seconds}]; recooks {packages, seconds, identical, wasted_seconds}; slowest, timeline,
 * timeline_dropped; notes: what was left out, and what the numbers do not cover.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"
#include "cook/config/owners.h"
#include "cook/store/history.h"
#include "cook/store/store.h"

struct report {
    struct cook_cli cli;
    struct cook_arena arena;
    struct cook_project project; /* open unless documents were given as operands */
    bool has_project;
    struct cook_owners owners;
    /* options */
    char *output;   /* --output */
    char **sources; /* --source: folders that files of stack frames are looked up in */
    int run_id;     /* --run: of the history; 0: the newest validation */
    int megabytes;  /* --megabytes: of a bundle */
    int limit;      /* --limit: findings in the document */
    /* documents; owned */
    cJSON *validation;
    cJSON *cook;
    cJSON *modified; /* of explain modified */
    cJSON *trend;    /* array */
};

/* ---- documents (documents.c) ---- */

/* Read a document from a file, at most 1 GiB; untrusted. COOK_E_MALFORMED, COOK_E_NOT_FOUND, COOK_E_IO. */
enum cook_status report_read_document(cJSON **out, const char *path,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Fill in the documents: from the files named, each told by its schema, or from the history of the
 * project. COOK_E_USAGE where there is no validation, the message saying what to run.
 */
enum cook_status report_load(struct report *report, const char *const *paths,
                             struct cook_error *error) COOK_CHECK_RESULT;

/* ---- the model (model.c, model_cost.c, model_source.c) ---- */

enum cook_status report_model(cJSON **out, struct report *report,
                              struct cook_error *error) COOK_CHECK_RESULT;
/* Put source lines beside the topmost frames of the findings, where they can be read. */
void report_add_sources(struct report *report, cJSON *findings);
/* Put the pictures that the findings name into them, as far as they are there (pictures.c). */
void report_add_pictures(cJSON *findings);
/* recook_causes, recooks, slowest, timeline. */
void report_add_cost(struct report *report, cJSON *model);

/* Reading cJSON that came from outside: never NULL, never fails. */
const char *report_text(const cJSON *object, const char *key); /* "" */
double report_number(const cJSON *object, const char *key);    /* 0 */
/* Set a time, "2026-12-31T23:59:59Z"; null for 0. */
void report_add_time(cJSON *object, const char *key, int64_t ns);
/* The first cause of a finding for people, "undeclared input: …"; "cause unknown". In `arena`. */
const char *report_cause(const cJSON *finding, struct cook_arena *arena);
/* A difference for people: "Boss:Chances[0]: 0.68 -> 0.65"; "" where there is none. In `arena`. */
const char *report_first_difference(const cJSON *finding, struct cook_arena *arena);
const char *report_verdict_text(const char *verdict); /* "false skip" */
const char *report_printf(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* "" when memory is short */

/* ---- findings of the history (show.c, bundle.c, bundle_files.c) ---- */

/* The newest row of the finding that `text` begins the id of, with the newest text that is kept of it, and
 * the run that spoke of it. The project is opened. COOK_E_USAGE, COOK_E_NOT_FOUND. */
enum cook_status report_find_finding(struct report *report, struct cook_history_finding *finding,
                                     struct cook_history_run *run, const char *text,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* cook report show ID; cook report bundle ID. `operands` end with NULL. */
enum cook_status report_show(struct report *report, const char *const *operands,
                             struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status report_bundle(struct report *report, const char *const *operands,
                               struct cook_error *error) COOK_CHECK_RESULT;

struct cook_bundle;
struct report_bundling {
    struct report *report;
    struct cook_store *store;
    struct cook_state *state;
    struct cook_bundle *bundle;
    uint32_t package;
    uint32_t kept_cook;
    uint64_t max_bytes;
    cJSON *finding;
    cJSON *left_out; /* array of texts */
};
void report_leave_out(struct report_bundling *bundling, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Add the files of the project that the package is cooked from, and inputs.json. */
enum cook_status report_bundle_files(struct report_bundling *bundling,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/* ---- forms; each writes to --output or standard output ---- */

enum cook_status report_html(struct report *report, const cJSON *model,
                             struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status report_markdown(struct report *report, const cJSON *model,
                                 struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status report_junit(struct report *report, const cJSON *model,
                              struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status report_sarif(struct report *report, const cJSON *model,
                              struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status report_open_project(struct report *report,
                                     struct cook_error *error) COOK_CHECK_RESULT;
/* Write a finished text to --output (atomically) or standard output. */
enum cook_status report_write(struct report *report, const void *bytes, size_t size,
                              struct cook_error *error) COOK_CHECK_RESULT;
/* The same for a document, which is freed; NULL when memory was short. */
enum cook_status report_write_json(struct report *report, cJSON *document,
                                   struct cook_error *error) COOK_CHECK_RESULT;

/* Write the shards of one validation as one document (merge.c). COOK_E_USAGE where they do not make a whole: one
 * is missing or there twice, or they are of different validations. */
enum cook_status report_merge(struct report *report, const char *const *paths,
                              struct cook_error *error) COOK_CHECK_RESULT;

int report_verb(int argc, const char **argv);

#endif
