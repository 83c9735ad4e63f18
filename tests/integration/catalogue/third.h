/* Somebody else's library, which changes (THIRD_CHANGED). */
#ifndef THIRD_H
#define THIRD_H

#include <stdint.h>

__attribute__((visibility("default"))) uint64_t third_number(void);
__attribute__((visibility("default"))) uint64_t third_version(void);
__attribute__((visibility("default"))) uint64_t helper_number(void);

#endif
