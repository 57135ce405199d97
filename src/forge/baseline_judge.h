/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the baseline that a run left, before pawl commits it. */
#pragma once

#include "forge/base_rules.h"
#include "record/stored_run.h"

/* `run` must have passed pawl_forge_recompute. `files` are the baselines of the run's parts.
 * PAWL_BAD_DATA names the first fault: the history of the checkout lacks the measured commit, the
 * ratchet does not make an entry or a move from the measurements, or the file changes a move of the
 * base. */
pawl_status pawl_forge_judge_baseline(const struct pawl_stored_run *run,
                                      const struct pawl_forge_expected *expected,
                                      char *const *files, int count, struct pawl_arena *arena,
                                      struct pawl_error *err);
