/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the claims of a run about its own measurement: the commit, the hardware, the shapes, the
 * order of the arms, and the checks. */
#pragma once

#include "forge/base_rules.h"
#include "record/stored_run.h"

/* PAWL_BAD_DATA names the first fault: another commit or a dirty tree; a part of a run;
 * results.json of another run or hardware; a kernel that the base cannot have; a shape that
 * differs from the base's case or baseline; samples that contradict each other or the blocks; arms
 * on different GPUs; blocks without balance; a check without the rows of the base's matrix. */
pawl_status pawl_forge_claims_check(const struct pawl_stored_run *run,
                                    const struct pawl_forge_expected *expected,
                                    struct pawl_arena *arena, struct pawl_error *err);

/* Fails with PAWL_BAD_DATA: "refused: kernel 'K' on case 'C' WHY". */
enum pawl_status_code pawl_forge_refuse_row(const struct pawl_comparison *row, const char *why,
                                            struct pawl_error *err);
