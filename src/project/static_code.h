/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler says of a kernel's machine code, known without a GPU. */
#ifndef PAWL_PROJECT_STATIC_CODE_H
#define PAWL_PROJECT_STATIC_CODE_H

#include "gate/baseline.h"
#include "project/kernels.h"

/* The static facts of a GPU's machine code, over all functions of a plug-in: the most registers,
   stack and shared memory, all spills and all code, the lowest occupancy. Left unknown where there
   is no such code. */
void pawl_static_code(const struct pawl_build_result *build, struct pawl_code *code);
/* Where there is no GPU kernels are built for the architecture that the baseline's were, so that
 * their code compares.
 */
void pawl_devices_choose_arch(struct pawl_devices *devices, const struct pawl_baseline *baseline);

/* The same of a row of results, and in its environment each function, the parameters and the
 * toolchain. */
void pawl_describe_code(const struct pawl_ready_kernel *kernel, struct pawl_result *row);

#endif
