/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files that a build read. */
#pragma once

#include "build/inputs.h"
#include "build/plan.h"
#include "build/words.h"

/* Lists the real paths of the files that compilers and linker read for a plug-in: sources, headers
 * and libraries, also the system's. The list is empty for a build command, which names none, and
 * without a plug-in (NULL). Strings live in the arena. */
void pawl_build_reads(const char *plugin, struct pawl_arena *arena, struct pawl_words *out);

/* Adds those of these files that lie in `ignored`, the paths below the top of the user's tree that
 * git ignores, as such paths. */
void pawl_build_reads_ignored(const char *plugin, const char *user_top,
                              const struct pawl_strings *ignored, struct pawl_arena *arena,
                              struct pawl_strings *out);

/* Adds the prerequisites of a compiler's list for make (-MD, -M). Returns false if there is no such
 * list. */
bool pawl_depfile_read(const struct pawl_build_plan *plan, const char *path,
                       struct pawl_inputs *out, struct pawl_arena *arena);
/* Adds the files outside the build folder that the linker's trace names. */
void pawl_trace_read(const struct pawl_build_plan *plan, struct pawl_inputs *out,
                     struct pawl_arena *arena);
/* Adds the scripts that other scripts of the linker include, which no trace names. `flags` are the
 * inputs that the plan names, and the files of `out` from `first` on are the linker's. */
void pawl_linker_scripts_read(const struct pawl_build_plan *plan, const struct pawl_inputs *flags,
                              size_t first, struct pawl_inputs *out, struct pawl_arena *arena);
