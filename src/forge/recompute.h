/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a run's output again before pawl posts it. The claims of each row must follow from its
 * blocks and samples, by the rules and the baseline of the base. */
#pragma once

#include "forge/base_rules.h"
#include "record/stored_run.h"

/* PAWL_BAD_DATA names the first fault. The faults are: a fault of forge/claims.h; a row that occurs
 * twice, has neither blocks nor samples, contradicts them or follows other rules; an anchor that is
 * neither the merge base nor the baseline's commit; a kernel and case of the suite or the baseline
 * without a row. A failed run needs no rows for the kernels that it did not reach. */
pawl_status pawl_forge_recompute(const struct pawl_stored_run *run,
                                 const struct pawl_forge_expected *expected,
                                 struct pawl_arena *arena, struct pawl_error *err);

/* Judges the rows by the base's rules and moves *moved, a copy of the base's baseline. Fails as
 * pawl_ratchet does. */
pawl_status pawl_forge_ratchet_anew(const struct pawl_stored_run *run,
                                    const struct pawl_forge_expected *expected,
                                    struct pawl_arena *arena, struct pawl_baseline *moved,
                                    struct pawl_ratchet_report *out, struct pawl_error *err);
