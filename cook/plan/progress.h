/*
 * How far a running cook is, for others to see: a small file in the folder of its store. It is written
 * when the cook comes to another phase and twice a second while it cooks, and stays when the cook ends,
 * with its outcome. Nothing is decided by it.
 *
 * The file names the process and when that began, so that one that was killed is told from one that takes
 * long: cook_progress_read() says which.
 */
#ifndef COOK_PLAN_PROGRESS_H
#define COOK_PLAN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

#define COOK_PROGRESS_FILE "progress.json"

/* Live figures, for the terminal too. */
struct cook_progress_figures {
    size_t reached, cooked, skipped, failed, left;
};

/* Of one run; zeroed: it publishes nothing. */
struct cook_progress {
    int folder_fd; /* borrowed */
    int fd;        /* of the file, which is written over in place: that costs a null cook least */
    size_t size_bytes; /* of the file; shorter texts are padded */
    bool begun, ended;
    char place[128];   /* where ids of processes mean the same */
    double start;      /* of this process, in ticks */
    const char *verb;  /* borrowed */
    const char *phase; /* borrowed: "open", "scan", "evaluate", "plan", "cook", "artifacts", "finish";
                          of validations "validate" and "judge" */
    size_t done, total; /* of a scan; total 0: unknown */
    struct cook_progress_figures figures;
    const char *slowest; /* what a worker is at longest; borrowed during a call */
    double slowest_seconds;
    double began, published; /* monotonic seconds */
    double began_at;         /* seconds since the epoch */
};

/* Publish from now on, into the store's folder; failures to write are nobody's concern. To be ended or
 * withdrawn. */
void cook_progress_begin(struct cook_progress *progress, int folder_fd, const char *verb);
/* Written at once: what comes may take long without a word. */
void cook_progress_phase(struct cook_progress *progress, const char *phase);
/* Written twice a second at most. */
void cook_progress_count(struct cook_progress *progress, size_t done, size_t total);
void cook_progress_figures(struct cook_progress *progress, const struct cook_progress_figures *figures,
                           const char *slowest, double slowest_seconds);
/* The outcome: `error` says why there is none, NULL that the run came to its end. The last word. */
void cook_progress_end(struct cook_progress *progress, const char *error);
/* Without an outcome: the file goes, when the run has not ended. */
void cook_progress_withdraw(struct cook_progress *progress);

/*
 * What the file says, with "running", and "outcome" where it does not run any more: "done", "error" or
 * "killed"; "seconds" are those until now. NULL where no run ever published, or memory is short; the
 * caller deletes it. Untrusted: what is not as it should be counts as no progress.
 */
struct cJSON *cook_progress_read(int folder_fd, const char *path);

#endif
