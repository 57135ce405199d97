/* SPDX-License-Identifier: Apache-2.0 */
/* What two runs that were not measured side by side say of the code:
   docs/adr/interval-by-process.md.

   Each run has one mood (clock, neighbours, pages) that all its processes share, so that neither
   shows how far moods scatter. Only somebody who knows can tell the code from the mood:
   `between_runs` is how far two runs of the same code lie apart on this machine, as a fraction; 0:
   nobody knows. Where it holds, two runs of six processes each of the same code are called a change
   with probability 3/C(12, 6) = 0.32 % at most. */
#ifndef PAWL_GATE_BETWEEN_RUNS_H
#define PAWL_GATE_BETWEEN_RUNS_H

#include "gate/comparison.h"
#include "gate/two_sample.h"

/* Within the limits, the rule of pawl_two_sample_verdict. Beyond them a change is called only where
   the intervals are farther apart than between_runs and the medians farther than that and the limit
   together, or, for a regression, where the fastest calls of all processes are so far apart; else
   INCONCLUSIVE, as where an interval is unknown. *reason says why, or is NULL. */
enum pawl_verdict pawl_between_runs_verdict(const struct pawl_comparison *figures,
                                            const struct pawl_two_sample_limits *limits,
                                            double between_runs, const char **reason);

/* Why a side by process has no interval: it has too few processes. */
#define PAWL_TOO_FEW_PROCESSES "fewer than 6 processes give no interval"

#endif
