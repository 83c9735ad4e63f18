/*
 * The worker process: reads frames from the director, scans and cooks, until told to quit or the
 * director is gone. Its descriptors are those of protocol.h; its working folder is the project.
 */
#ifndef COOK_WORKER_WORKER_H
#define COOK_WORKER_WORKER_H

#include <cook/plugin.h>

/* Run until the end. `standard` registers the standard classes (may be NULL in tests). Returns the
 * process's exit status: 0, or 1 after a fault that was reported to the director. */
int cook_worker_run(cook_plugin_main_function standard);

#endif
