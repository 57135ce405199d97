/* SPDX-License-Identifier: Apache-2.0 */
/* Judges kernels whose GPU is absent by their machine code, and shows how the code of all kernels
 * changed. It needs a compiler and no device. docs/adr/judged-by-code.md argues it. */
#pragma once

#include "loop/build_phase.h"
#include "loop/code_changes.h"

/* Begins to list the machine code of all kernels that differ from their base, and to build the
 * first ones with source lines. All are jobs of the project's listings. */
void pawl_code_phase_begin(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                           struct pawl_code_changes *out);

/* Replaces the verdicts of kernels that are built without their GPU, and lists how the code of each
 * kernel changed. A row is MAINTAINED if its code is the base's for each architecture of the
 * baseline, and if its check is the base's too. Any other entry of a GPU needs a GPU, its code is
 * over a limit of the gate, or it is missing. This holds for optional kernels too. */
pawl_status pawl_code_phase(const struct pawl_run_context *run, const struct pawl_built *built,
                            const struct pawl_arm_pairs *pairs,
                            const struct pawl_baseline *baseline,
                            struct pawl_ratchet_report *ratchet, struct pawl_code_changes *changes,
                            struct pawl_error *err);
