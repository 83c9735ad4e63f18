/*
 * Cooked shaders, compared as disassembly: SPIR-V of both sides goes through spirv-dis (of the SPIRV-Tools),
 * and the lines that differ are told. Bytes are untrusted: the tool runs as a child with limits of time and
 * of output.
 */
#ifndef DIFFCOOK_SHADER_H
#define DIFFCOOK_SHADER_H

#include "diff.h"

/*
 * Lines "- OpReturn", "+ OpKill" for people, some before them and some left out said so, each ended by a line
 * feed, of a changed or replaced write of SPIR-V; or one line that says why there are none, as where the tool
 * is not there. In `arena`; NULL for what is no SPIR-V on both sides, or when memory is short.
 */
const char *diff_shader_text(const struct diff_difference *difference, const struct diff_version *old,
                             const struct diff_version *new, struct cook_arena *arena);

#endif
