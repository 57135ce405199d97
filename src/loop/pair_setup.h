/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up the measurement of a pair in a run. */
#pragma once

#include "loop/arm_pairs.h"
#include "pairs/request.h"

/* `comparisons` is the number of pairs that share the rate of false alarms. */
pawl_status pawl_pair_set_up(const struct pawl_run_context *run, const struct pawl_arm_pair *pair,
                             int comparisons, struct pawl_paired_bench_request *out,
                             struct pawl_error *err);
