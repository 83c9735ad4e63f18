/* The tracer's state, for tracer.c and flush.c. */
#ifndef COOK_TRACE_TRACER_PRIVATE_H
#define COOK_TRACE_TRACER_PRIVATE_H

#include <pthread.h>

#include "cook/symbols/modules.h"
#include "cook/trace/hooks.h"
#include "cook/trace/notes.h"
#include "cook/trace/shared.h"
#include "cook/trace/supervisor.h"
#include "cook/trace/tracer.h"

struct cook_tracer {
    atomic_bool on;
    bool wanted; /* on, or it could not be */
    struct cook_trace_shared *shared;
    struct cook_trace_hooks *hooks; /* of the preloaded wrappers; NULL without them */
    bool supervised;                /* a listener was handed over */
    struct cook_trace_line line;    /* to the supervisor */
    char partial[512];
    bool told_partial;
    int pid;
    int main_tid;
    uintptr_t sdk_start, sdk_end; /* code of libcook */
    pthread_mutex_t lock;         /* guards notes */
    struct cook_trace_notes notes;
    /* of flushes alone */
    size_t stacks_told;
    struct cook_buf quiet; /* encoded sections of packages that read nothing, not told yet */
    size_t quiet_count;
    uint8_t *loads_told; /* by id of packages: its load read something */
    size_t loads_capacity;
    bool any_load_told;
    uint8_t *origins; /* by stack: enum origin, once known */
    size_t origin_count, origin_capacity;
    struct cook_modules modules;
    unsigned long long modules_loaded; /* libraries ever loaded when `modules` was taken */
    struct cook_trace_values *values;
    char *project;                     /* its folder, as the kernel names it */
};

/* The one of this process. */
struct cook_tracer *cook_tracer_self(void);
/* Move the supervisor's sightings into the notes. */
void cook_tracer_drain(struct cook_tracer *tracer);

#endif
