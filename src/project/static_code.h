/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the compiler's facts about a kernel's machine code, without a GPU. */
#pragma once

#include "gate/baseline.h"
#include "project/kernels.h"

/* Fills in the static facts of GPU machine code over all functions of a plug-in: the most
   registers, stack and shared memory, the sum of spills and code, and the lowest occupancy. Without
   such code they stay unknown. */
void pawl_static_code(const struct pawl_build_result *build, struct pawl_code *code);
/* Gives builds without a GPU the architecture of the baseline, so their code compares. */
void pawl_devices_choose_arch(struct pawl_devices *devices, const struct pawl_baseline *baseline);

/* Adds the static facts to a row of results. The row's environment also gets each function, the
   parameters and the toolchain. */
void pawl_describe_code(const struct pawl_ready_kernel *kernel, struct pawl_result *row);
