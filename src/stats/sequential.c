/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/sequential.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "stats/describe.h"

static const char *const decisions[] = {"continue", "regression", "improvement", "maintained", "inconclusive"};

const char *pawl_decision_name(enum pawl_decision decision) {
  return decisions[decision];
}

bool pawl_decision_parse(const char *name, enum pawl_decision *out) {
  const int found = pawl_name_index(decisions, sizeof decisions / sizeof *decisions, name);
  if (found >= 0) *out = (enum pawl_decision)found;
  return found >= 0;
}

struct pawl_sequential_policy pawl_sequential_default_policy(void) {
  return (struct pawl_sequential_policy){
      .tolerate = 0.01, .detect = 0.03, .false_alarm = 0.001, .miss = 0.01, .max_blocks = 60, .comparisons = 1};
}

static pawl_status check_policy(const struct pawl_sequential_policy *policy, struct pawl_error *err) {
  if (!(policy->tolerate >= 0 && policy->tolerate < policy->detect && isfinite(policy->detect)))
    return pawl_fail(err, PAWL_CONFIG, "cannot tell a change of %g from one of %g: 'detect' must be above 'tolerate'",
                     policy->tolerate, policy->detect);
  if (policy->comparisons < 1)
    return pawl_fail(err, PAWL_CONFIG, "cannot correct for %d comparisons: there is at least one", policy->comparisons);
  return PAWL_OK;
}

pawl_status pawl_sequential_init(struct pawl_sequential *test, const struct pawl_sequential_policy *policy,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_sequential_release)
  struct pawl_sequential made = {
      .policy = *policy, .log_tolerate = log1p(policy->tolerate), .log_detect = log1p(policy->detect)};
  PAWL_TRY(check_policy(policy, err));
  if (pawl_sign_boundary_init(&made.change, policy->false_alarm / 2 / policy->comparisons, policy->max_blocks, err))
    return pawl_prefix(err, "false_alarm %g over %d comparison%s", policy->false_alarm, policy->comparisons,
                       policy->comparisons == 1 ? "" : "s");
  if (pawl_sign_boundary_init(&made.maintained, policy->miss, policy->max_blocks, err))
    return pawl_prefix(err, "miss %g", policy->miss);
  PAWL_TRY(pawl_sign_boundary_init(&made.interval, (1 - PAWL_SEQUENTIAL_CONFIDENCE) / 2, policy->max_blocks, err));
  made.sorted = pawl_alloc((size_t)policy->max_blocks, sizeof *made.sorted);
  *test = made;
  made = (struct pawl_sequential){0}; /* handed over */
  return PAWL_OK;
}

void pawl_sequential_release(struct pawl_sequential *test) {
  if (!test) return;
  pawl_sign_boundary_release(&test->change);
  pawl_sign_boundary_release(&test->maintained);
  pawl_sign_boundary_release(&test->interval);
  pawl_free(test->sorted);
  *test = (struct pawl_sequential){0};
}

static void insert_sorted(double *sorted, int count, double value) {
  int at = count;
  for (; at > 0 && sorted[at - 1] > value; at--) sorted[at] = sorted[at - 1];
  sorted[at] = value;
}

static enum pawl_decision decide(const struct pawl_sequential *test) {
  const int blocks = test->blocks;
  if (pawl_sign_rejects(&test->change, blocks, test->slower)) return PAWL_DECISION_REGRESSION;
  if (pawl_sign_rejects(&test->change, blocks, test->faster)) return PAWL_DECISION_IMPROVEMENT;
  const bool over = blocks == test->policy.max_blocks;
  const bool can_improve = !over && pawl_sign_can_reject(&test->change, blocks, test->faster);
  if (test->slow_excluded)
    return test->fast_excluded || !can_improve ? PAWL_DECISION_MAINTAINED : PAWL_DECISION_CONTINUE;
  const bool within_reach = can_improve || pawl_sign_can_reject(&test->change, blocks, test->slower) ||
                            pawl_sign_can_reject(&test->maintained, blocks, test->not_slower);
  return over || !within_reach ? PAWL_DECISION_INCONCLUSIVE : PAWL_DECISION_CONTINUE;
}

pawl_status pawl_sequential_add(struct pawl_sequential *test, double log_ratio, enum pawl_decision *decision,
                                struct pawl_error *err) {
  if (!isfinite(log_ratio))
    return pawl_fail(err, PAWL_BAD_DATA, "log-ratio of block %d is '%g': it must be a finite number", test->blocks,
                     log_ratio);
  if (test->decision != PAWL_DECISION_CONTINUE)
    return pawl_fail(err, PAWL_BAD_DATA, "block %d comes after the answer '%s': stop there", test->blocks,
                     pawl_decision_name(test->decision));
  insert_sorted(test->sorted, test->blocks, log_ratio);
  test->blocks++;
  test->slower += log_ratio > test->log_tolerate;
  test->faster += log_ratio < -test->log_tolerate;
  test->not_slower += log_ratio < test->log_detect;
  test->not_faster += log_ratio > -test->log_detect;
  test->slow_excluded |= pawl_sign_rejects(&test->maintained, test->blocks, test->not_slower);
  test->fast_excluded |= pawl_sign_rejects(&test->maintained, test->blocks, test->not_faster);
  test->decision = decide(test);
  *decision = test->decision;
  return PAWL_OK;
}

void pawl_sequential_estimate(const struct pawl_sequential *test, struct pawl_slowdown *out) {
  if (test->blocks == 0) {
    *out = (struct pawl_slowdown){NAN, NAN, NAN, NAN, NAN};
    return;
  }
  double low, high, fixed_low, fixed_high;
  pawl_sign_limits(&test->interval, test->sorted, test->blocks, &low, &high);
  pawl_sign_fixed_limits(test->sorted, test->blocks, PAWL_SEQUENTIAL_CONFIDENCE, &fixed_low, &fixed_high);
  *out = (struct pawl_slowdown){.estimate = expm1(pawl_median(test->sorted, (size_t)test->blocks)),
                                .low = expm1(low),
                                .high = expm1(high),
                                .fixed_low = expm1(fixed_low),
                                .fixed_high = expm1(fixed_high)};
}

double pawl_sequential_power(const struct pawl_sequential *test, double slowdown, double block_sd, int blocks) {
  if (!(block_sd > 0 && slowdown > -1)) return NAN;
  const double distance = (log1p(slowdown) - test->log_tolerate) / block_sd;
  return pawl_sign_power(&test->change, erfc(-distance * M_SQRT1_2) / 2, blocks);
}

double pawl_sequential_detectable(const struct pawl_sequential *test, double block_sd, double power) {
  const int blocks = test->policy.max_blocks;
  double unseen = test->log_tolerate, seen = test->log_tolerate + 10 * block_sd; /* there, every block agrees */
  if (!(block_sd > 0 && power > 0 && power < 1 && isfinite(expm1(seen)))) return NAN;
  for (int step = 0; step < 60; step++) {
    const double middle = (unseen + seen) / 2;
    if (pawl_sequential_power(test, expm1(middle), block_sd, blocks) >= power)
      seen = middle;
    else
      unseen = middle;
  }
  return expm1(seen);
}

int pawl_sequential_blocks_needed(const struct pawl_sequential *test, double slowdown, double block_sd, double power) {
  for (int blocks = 1; blocks <= test->policy.max_blocks; blocks++)
    if (pawl_sequential_power(test, slowdown, block_sd, blocks) >= power) return blocks;
  return 0;
}
