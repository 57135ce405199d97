/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the verdicts that follow from a kernel's outcome alone, without times. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"
#include "gate/comparison.h"
#include "gate/two_sample.h"
#include "model/result.h"

/* Returns whether the kernel ran, is not wrong and has a time. */
bool pawl_result_timed(const struct pawl_result *result);

/* Sets verdict and reason of *out and returns true if they are clear without times: one side is
 * NULL (it has no such row), or has no usable time. Returns false if there are two times to
 * compare. */
bool pawl_outcome_verdict(const struct pawl_result *baseline, const struct pawl_result *candidate,
                          struct pawl_arena *arena, struct pawl_comparison *out);

struct pawl_sample_side pawl_result_sample_side(const struct pawl_result *result);
