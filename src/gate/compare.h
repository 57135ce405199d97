/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two stored results, unpaired: the machine may have differed between the two. A side with
   samples takes its median and its confidence interval from them, and otherwise from the file. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "gate/comparison.h"
#include "model/result.h"

struct pawl_compare_options {
  bool threshold_mode;
  double threshold; /* percent; a regression if delta_pct < threshold */
};

/* Applies the first rule that fits. REGRESSION: slower by more than 3 % and the CIs apart.
   IMPROVEMENT: faster by more than 10 %, the CIs apart and abs(Cliff's delta) >= 0.3.
   NO_DIFFERENCE: the CIs overlap or abs(Cliff's delta) < 0.3. MAINTAINED: all else. In threshold
   mode, REGRESSION means delta_pct < threshold, all else is MAINTAINED; it needs no CI, and
   compares means if a side has no median.

   Pairs rows by kernel and case name, else by kernel and shape. Results without a kernel pair by
   case or shape alone, and two files of one result each always pair. A row on one side only is
   reported, never an improvement. The order is the candidate's, then the missing rows. Fails with
   PAWL_BAD_DATA without samples and CIs where it needs them, for two results of the same kernel and
   case in a file, and for a median that contradicts its own samples. */
pawl_status pawl_compare(const struct pawl_results *baseline, const struct pawl_results *candidate,
                         const struct pawl_compare_options *options, struct pawl_arena *arena,
                         struct pawl_comparisons *out, struct pawl_error *err);
