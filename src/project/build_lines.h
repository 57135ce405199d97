/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the source lines of a kernel's machine code. The measured build has none, so pawl builds
 * the kernel once more with them. Its lines count only if its code is the same. */
#pragma once

#include "build/code_lines.h"
#include "project/build_thread.h"
#include "project/kernels.h"

/* Begins to build the kernel with lines beside other work, for pawl_build_lines. `seconds`: as
 * there. The compilers belong to the jobs; NULL: to none. A kernel that gets no second build starts
 * none. */
void pawl_build_lines_begin(struct pawl_project *tree, const struct pawl_ready_kernel *kernel,
                            double seconds, struct pawl_jobs *jobs, struct pawl_build_thread *out);

/* `gpu`: the lines of the GPU's code. `seconds`: the most time of the build; 0: as any other. Fails
 * with PAWL_NO_INPUT if the code has no lines, and as a build does. */
pawl_status pawl_build_lines(struct pawl_project *tree, const struct pawl_ready_kernel *kernel,
                             bool gpu, double seconds, struct pawl_code_source *out,
                             struct pawl_error *err);
