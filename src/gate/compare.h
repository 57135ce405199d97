/* SPDX-License-Identifier: Apache-2.0 */
/* Two stored results compared, unpaired: the figures are of different moments, and perhaps of
   different moods of the machine. Where a side has samples, its median and its confidence interval
   come from them; the figures that the file gives are used where it has none. */
#ifndef PAWL_GATE_COMPARE_H
#define PAWL_GATE_COMPARE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "gate/comparison.h"
#include "model/result.h"

struct pawl_compare_options {
  bool threshold_mode;
  double threshold; /* percent; a regression when delta_pct < threshold */
};

/* The first rule that fits: REGRESSION, slower by more than 3 % and the CIs apart; IMPROVEMENT,
   faster by more than 10 %, the CIs apart and abs(Cliff's delta) >= 0.3; NO_DIFFERENCE, the CIs
   overlap or abs(Cliff's delta) < 0.3; MAINTAINED. In threshold mode: REGRESSION when delta_pct <
   threshold, else MAINTAINED; no CI is needed, and means are compared where a side has no median.

   Pairs by kernel name and case name, else by kernel name and shape; results that name no kernel
   pair by case or shape alone, and two files of one result each pair whatever the kernels' names
   are. What stands on one side only is loud, never an improvement. The order is the candidate's,
   then what is missing.

   PAWL_BAD_DATA: neither samples nor CIs where they are needed; a file with two results of the same
   kernel and case, or with a median that its own samples contradict. */
pawl_status pawl_compare(const struct pawl_results *baseline, const struct pawl_results *candidate,
                         const struct pawl_compare_options *options, struct pawl_arena *arena,
                         struct pawl_comparisons *out, struct pawl_error *err);

#endif
