/*
 * The kernel's part in tracing: a seccomp filter that tells the supervisor of each system call that
 * reads the world, unless it is made from one place, cook_trace_call(); and the vDSO, whose
 * clocks are no system calls, patched so that they call us.
 */
#ifndef COOK_TRACE_KERNEL_H
#define COOK_TRACE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include "cook/base/error.h"

#if defined(__x86_64__)
#define COOK_TRACE_SUPPORTED 1
#else
#define COOK_TRACE_SUPPORTED 0
#endif

/* A raw system call that the filter lets pass unseen; a negative errno on failure. */
long cook_trace_call(long number, long a, long b, long c, long d, long e, long f);

/*
 * Install the filter in the calling thread, which must be the only one. The listener's descriptor
 * out. COOK_E_UNSUPPORTED with the reason where the kernel refuses; the process is then as it was,
 * but for no_new_privs.
 */
enum cook_status cook_trace_filter_install(int *listener,
                                           struct cook_error *error) COOK_CHECK_RESULT;

/* Called in place of the vDSO's functions. */
struct cook_trace_vdso {
    int (*clock_gettime)(clockid_t clock, struct timespec *now);
    int (*gettimeofday)(struct timeval *now, void *zone);
    time_t (*time)(time_t *now);
};
/* False when the kernel does not let the vDSO be changed: clocks read by libraries by themselves
 * then stay unseen. */
bool cook_trace_vdso_patch(const struct cook_trace_vdso *functions);

#endif
