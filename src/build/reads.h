/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a build read. */
#pragma once

#include "build/inputs.h"
#include "build/plan.h"
#include "build/words.h"

/* The real paths of the files that compilers and linker read for a plug-in: sources, headers and
   libraries, the system's too. Empty for a build command, which does not say, and without a plug-in
   (NULL). Strings live in the arena. */
void pawl_build_reads(const char *plugin, struct pawl_arena *arena, struct pawl_words *out);

/* Has the compiler write the list of the files that a unit reads, without compiling. False: it
   cannot say, for an error in the source or because it is an assembler. */
bool pawl_unit_list(const struct pawl_build_plan *plan, const struct pawl_build_unit *unit,
                    const struct pawl_build_options *options, const char *path);
/* Adds the prerequisites of a compiler's list for make (-MD, -M). False: there is no such list. */
bool pawl_depfile_read(const struct pawl_build_plan *plan, const char *path,
                       struct pawl_inputs *out, struct pawl_arena *arena);
/* Adds the files outside the build folder that the linker's trace names. */
void pawl_trace_read(const struct pawl_build_plan *plan, struct pawl_inputs *out,
                     struct pawl_arena *arena);
