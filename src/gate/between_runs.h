/* SPDX-License-Identifier: Apache-2.0 */
/* Judges two runs that were not measured side by side: docs/adr/interval-by-process.md. All
 * processes of a run share its clock, neighbours and pages, so neither run shows how much these
 * vary between runs. `between_runs` is how far two runs of the same code differ on this machine, as
 * a fraction; 0: unknown. If that is true, the rule calls two runs of the same code, with six
 * processes each, a change with probability 3/C(12, 6) = 0.32 % at most. */
#pragma once

#include "gate/comparison.h"
#include "gate/two_sample.h"

/* Within the limits, applies the rule of pawl_two_sample_verdict. Beyond them, it calls a change
 * only if the intervals differ by more than between_runs, and the medians by more than that and the
 * limit together. For a regression, it suffices that the fastest calls of all processes differ by
 * that much. Otherwise, or if an interval is unknown, the verdict is INCONCLUSIVE. *reason says
 * why, or is NULL. */
enum pawl_verdict pawl_between_runs_verdict(const struct pawl_comparison *figures,
                                            const struct pawl_two_sample_limits *limits,
                                            double between_runs, const char **reason);

/* The reason if a side by process has no interval. */
#define PAWL_TOO_FEW_PROCESSES "fewer than 6 processes give no interval"
