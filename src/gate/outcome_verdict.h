/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts that follow from what became of a kernel, before any time is looked at. */
#ifndef PAWL_GATE_OUTCOME_VERDICT_H
#define PAWL_GATE_OUTCOME_VERDICT_H

#include <stdbool.h>

#include "base/memory.h"
#include "gate/comparison.h"
#include "gate/two_sample.h"
#include "model/result.h"

/* Whether a result's time may be used: it ran, it was not found wrong, it has a time. */
bool pawl_result_timed(const struct pawl_result *result);

/* Sets verdict and reason of *out and returns true when they are clear already: one side is NULL
   (it has no such row), or a side has no usable time. False when there are two times to compare. */
bool pawl_outcome_verdict(const struct pawl_result *baseline, const struct pawl_result *candidate,
                          struct pawl_arena *arena, struct pawl_comparison *out);

struct pawl_sample_side pawl_result_sample_side(const struct pawl_result *result);

#endif
