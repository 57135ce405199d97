/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a run's output again before pawl posts it. The claims of its rows must follow from their
 * blocks and samples, by the rules and the baseline of the base. */
#pragma once

#include "forge/base_rules.h"
#include "record/stored_run.h"

/* PAWL_BAD_DATA names the first fault: a claim of forge/claims.h; a row that occurs twice, has
 * neither blocks nor samples, contradicts them or follows other rules; an anchor that is neither
 * the merge base nor the baseline's commit; a kernel and case of the suite or the baseline without
 * a row. A run that fails needs no rows for the kernels that it did not reach. */
pawl_status pawl_forge_recompute(const struct pawl_stored_run *run,
                                 const struct pawl_forge_expected *expected,
                                 struct pawl_arena *arena, struct pawl_error *err);

/* Judges the rows by the base's rules and moves *moved, a copy of its baseline, as the run may.
 * Fails as pawl_ratchet. */
pawl_status pawl_forge_ratchet_anew(const struct pawl_stored_run *run,
                                    const struct pawl_forge_expected *expected,
                                    struct pawl_arena *arena, struct pawl_baseline *moved,
                                    struct pawl_ratchet_report *out, struct pawl_error *err);
