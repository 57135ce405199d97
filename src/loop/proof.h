/* SPDX-License-Identifier: Apache-2.0 */
/* Proves by machine code alone that a change needs no measurement: pawl run --code-only. */
#pragma once

#include "gate/baseline.h"
#include "loop/run_context.h"

/* Hides the GPU, so that the run times nothing. Fails with PAWL_UNDECIDED if machine code can prove
 * nothing: the commit has no merge base other than itself, the baseline is empty, or the suite of
 * the change or of its base has a kernel that is no plug-in for a GPU. */
pawl_status pawl_proof_begin(const struct pawl_run_context *run,
                             const struct pawl_baseline *baseline, struct pawl_error *err);

/* Returns what the rows leave open, or NULL. They leave nothing open if each of them, and each
 * entry of the baseline, has the machine code and the check of its base. */
const char *pawl_proof_gap(const struct pawl_run_context *run, const struct pawl_baseline *baseline,
                           const struct pawl_ratchet_report *ratchet);
