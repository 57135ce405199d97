/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/sequential.h"

#include <math.h>

#include "base/count.h"
#include "base/memory.h"
#include "stats/describe.h"
#include "stats/serial.h"
#include "stats/sort.h"

/* A ratio exactly at a threshold is not beyond it, whichever way the logarithms round. */
#define ROUNDING_SLACK 1e-9
/* Standard deviations of the serial correlation above which an answer waits.
   docs/adr/sequential-test.md has the cost where blocks are independent, and the benefit where they
   are not. */
#define MOST_SERIAL 1.85
/* An answer does not wait if the nearest block is farther from `tolerate` than this many ranges of
 * the blocks. A drift that small does not drift that far. docs/adr/sequential-test.md has the
 * cost. */
#define FAR_RANGES 2

static const char *const decisions[] = {"continue", "regression", "improvement", "maintained",
                                        "inconclusive"};

const char *pawl_decision_name(enum pawl_decision decision) { return decisions[decision]; }

const char *pawl_doubt_text(enum pawl_doubt doubt) {
  switch (doubt) {
    case PAWL_DOUBT_NONE: break;
    case PAWL_DOUBT_NOISE:
      return "the change is too near a threshold for this noise and this number of blocks";
    case PAWL_DOUBT_SLOWER:
      return "probably slower than 'tolerate' allows, but there are too few blocks for a proof";
    case PAWL_DOUBT_FASTER:
      return "probably faster than 'tolerate', but there are too few blocks for a proof";
    case PAWL_DOUBT_SERIAL:
      return "each block resembles the one before: something drifts that is not the code";
  }
  return NULL;
}

struct pawl_sequential_policy pawl_sequential_default_policy(void) {
  return (struct pawl_sequential_policy){.rule = PAWL_SEQUENTIAL_RULE,
                                         .tolerate = 0.01,
                                         .detect = 0.03,
                                         .false_alarm = 0.001,
                                         .miss = 0.01,
                                         .max_blocks = 80,
                                         .comparisons = 1};
}

bool pawl_sequential_same_rules(const struct pawl_sequential_policy *a,
                                const struct pawl_sequential_policy *b) {
  const double mine[] = {a->rule, a->tolerate,   a->detect,   a->false_alarm,
                         a->miss, a->max_blocks, a->discovery};
  const double theirs[] = {b->rule, b->tolerate,   b->detect,   b->false_alarm,
                           b->miss, b->max_blocks, b->discovery};
  for (size_t i = 0; i < PAWL_COUNT(mine); i++) {
    if (!(fabs(mine[i] - theirs[i]) <= 1e-12)) return false;
  }
  return true;
}

static pawl_status sequential_check_policy(const struct pawl_sequential_policy *policy,
                                           struct pawl_error *err) {
  if (policy->rule < 1 || policy->rule > PAWL_SEQUENTIAL_RULE)
    return pawl_fail(err, PAWL_CONFIG, "cannot judge by rule %d: this pawl knows 1 to %d",
                     policy->rule, PAWL_SEQUENTIAL_RULE);
  if (!(policy->tolerate >= 0 && policy->tolerate < policy->detect && isfinite(policy->detect)))
    return pawl_fail(
        err, PAWL_CONFIG,
        "cannot distinguish a change of %g from a change of %g: 'detect' must be above 'tolerate'",
        policy->tolerate, policy->detect);
  if (policy->discovery && policy->rule < 3)
    return pawl_fail(err, PAWL_CONFIG, "cannot control false discoveries by rule %d: use 3",
                     policy->rule);
  if (policy->comparisons < 1)
    return pawl_fail(err, PAWL_CONFIG,
                     "cannot correct for %d comparisons: the smallest number is 1",
                     policy->comparisons);
  return PAWL_OK;
}

int pawl_sequential_fewest_blocks(const struct pawl_sequential_policy *policy) {
  const int look_every = policy->rule == 1 ? 1 : 2;
  const int change =
      policy->discovery
          ? pawl_sign_fewest_blocks_to(2 / policy->false_alarm, look_every)
          : pawl_sign_fewest_blocks(policy->false_alarm / 2 / policy->comparisons, look_every);
  const int maintained = pawl_sign_fewest_blocks(policy->miss, look_every);
  return change > maintained ? change : maintained;
}

/* Each side has half of the error. */
static pawl_status init_change(struct pawl_sequential *test, int look_every,
                               struct pawl_error *err) {
  const struct pawl_sequential_policy *policy = &test->policy;
  const double level = policy->false_alarm / 2, alone = level / policy->comparisons;
  const int limit = policy->max_blocks;
  if (!policy->discovery)
    return pawl_sign_boundary_init(&test->change, alone, limit, look_every, err);
  PAWL_TRY(pawl_sign_boundary_by_wealth(&test->change, alone, limit, look_every, err));
  if (limit >= pawl_sequential_fewest_blocks(policy))
    return pawl_sign_boundary_by_wealth(&test->together, level, limit, look_every, err);
  return pawl_fail(err, PAWL_CONFIG, "%d blocks cannot prove anything: allow %d or more", limit,
                   pawl_sequential_fewest_blocks(policy));
}

pawl_status pawl_sequential_init(struct pawl_sequential *test,
                                 const struct pawl_sequential_policy *policy,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_sequential_release)
  struct pawl_sequential made = {.policy = *policy,
                                 .log_tolerate = log1p(policy->tolerate),
                                 .log_detect = log1p(policy->detect),
                                 .slack = policy->rule == 1 ? 0 : ROUNDING_SLACK,
                                 .log_low = -INFINITY,
                                 .log_high = INFINITY};
  const int limit = policy->max_blocks, look_every = policy->rule == 1 ? 1 : 2;
  PAWL_TRY(sequential_check_policy(policy, err));
  if (init_change(&made, look_every, err))
    return pawl_prefix(err, "false_alarm %g over %d comparison%s", policy->false_alarm,
                       policy->comparisons, policy->comparisons == 1 ? "" : "s");
  if (pawl_sign_boundary_init(&made.maintained, policy->miss, limit, look_every, err))
    return pawl_prefix(err, "miss %g", policy->miss);
  PAWL_TRY(pawl_sign_boundary_init(&made.interval, (1 - PAWL_SEQUENTIAL_CONFIDENCE) / 2, limit,
                                   look_every, err));
  made.sorted = pawl_alloc((size_t)limit, sizeof *made.sorted);
  made.log_ratios = pawl_alloc((size_t)limit, sizeof *made.log_ratios);
  *test = made;
  made = (struct pawl_sequential){0}; /* the caller owns it now */
  return PAWL_OK;
}

void pawl_sequential_release(struct pawl_sequential *test) {
  if (!test) return;
  pawl_sign_boundary_release(&test->change);
  pawl_sign_boundary_release(&test->maintained);
  pawl_sign_boundary_release(&test->interval);
  pawl_sign_boundary_release(&test->together);
  pawl_free(test->sorted);
  pawl_free(test->log_ratios);
  *test = (struct pawl_sequential){0};
}

static void insert_sorted(double *sorted, int count, double value) {
  int place = count;
  for (; place > 0 && sorted[place - 1] > value; place--) sorted[place] = sorted[place - 1];
  sorted[place] = value;
}

/* Decides documents without a rule, so that they replay. */
static enum pawl_decision decide_by_rule_1(const struct pawl_sequential *test) {
  const int blocks = test->blocks;
  if (pawl_sign_rejects(&test->change, blocks, test->slower)) return PAWL_DECISION_REGRESSION;
  if (pawl_sign_rejects(&test->change, blocks, test->faster)) return PAWL_DECISION_IMPROVEMENT;
  const bool over = blocks == test->policy.max_blocks;
  const bool can_improve = !over && pawl_sign_can_reject(&test->change, blocks, test->faster);
  if (test->slow_excluded)
    return test->fast_excluded || !can_improve ? PAWL_DECISION_MAINTAINED : PAWL_DECISION_CONTINUE;
  const bool within_reach = can_improve ||
                            pawl_sign_can_reject(&test->change, blocks, test->slower) ||
                            pawl_sign_can_reject(&test->maintained, blocks, test->not_slower);
  return over || !within_reach ? PAWL_DECISION_INCONCLUSIVE : PAWL_DECISION_CONTINUE;
}

static enum pawl_decision sequential_give_up(struct pawl_sequential *test, enum pawl_doubt doubt) {
  test->doubt = doubt;
  return PAWL_DECISION_INCONCLUSIVE;
}

/* Decides by the signs alone after a pair of blocks. */
static enum pawl_decision decide_by_signs(struct pawl_sequential *test, bool over) {
  const struct pawl_sign_boundary *reach = test->policy.discovery ? &test->together : &test->change;
  const int blocks = test->blocks;
  if (pawl_sign_rejects(&test->change, blocks, test->slower)) return PAWL_DECISION_REGRESSION;
  if (pawl_sign_rejects(&test->change, blocks, test->faster)) return PAWL_DECISION_IMPROVEMENT;
  const bool can_slow = !over && pawl_sign_can_reject(reach, blocks, test->slower);
  const bool can_improve = !over && pawl_sign_can_reject(reach, blocks, test->faster);
  /* an interval that excludes all small changes contradicts "maintained", and a proof may still
     come */
  if (test->log_low > test->log_tolerate + test->slack)
    return can_slow ? PAWL_DECISION_CONTINUE : sequential_give_up(test, PAWL_DOUBT_SLOWER);
  if (test->log_high < -test->log_tolerate - test->slack)
    return can_improve ? PAWL_DECISION_CONTINUE : sequential_give_up(test, PAWL_DOUBT_FASTER);
  if (test->slow_excluded) { /* waits for an improvement that most blocks suggest */
    const bool wait = can_improve && !test->fast_excluded && 2 * test->faster >= blocks;
    return wait ? PAWL_DECISION_CONTINUE : PAWL_DECISION_MAINTAINED;
  }
  const bool can_maintain =
      !over && pawl_sign_can_reject(&test->maintained, blocks, test->not_slower);
  return can_slow || can_improve || can_maintain ? PAWL_DECISION_CONTINUE
                                                 : sequential_give_up(test, PAWL_DOUBT_NOISE);
}

/* Returns, from rule 3 on, whether a change is so much larger than the range of the blocks that
   their resemblance cannot explain it. */
static bool sequential_is_far(const struct pawl_sequential *test, enum pawl_decision change) {
  const double least = test->sorted[0], most = test->sorted[test->blocks - 1];
  double distance = -INFINITY;
  if (change == PAWL_DECISION_REGRESSION) distance = least - test->log_tolerate;
  if (change == PAWL_DECISION_IMPROVEMENT) distance = -test->log_tolerate - most;
  return test->policy.rule >= 3 && distance > FAR_RANGES * (most - least);
}

/* Returns whether an answer waits, because successive blocks resemble each other. */
static bool sequential_waits(const struct pawl_sequential *test, enum pawl_decision decision) {
  return !sequential_is_far(test, decision) &&
         pawl_serial_correlation(test->log_ratios, test->sorted, test->blocks) > MOST_SERIAL;
}

static enum pawl_decision sequential_decide(struct pawl_sequential *test) {
  const bool over = test->blocks + 2 > test->policy.max_blocks;
  const enum pawl_decision decision = decide_by_signs(test, over);
  test->drifts = false;
  if (decision == PAWL_DECISION_CONTINUE || decision == PAWL_DECISION_INCONCLUSIVE) return decision;
  if (!sequential_waits(test, decision)) return decision;
  test->drifts = true;
  return over ? sequential_give_up(test, PAWL_DOUBT_SERIAL) : PAWL_DECISION_CONTINUE;
}

/* Intersects the limits with those so far, so that excluded changes stay excluded. Ignores limits
   that exclude everything, because then they or the earlier ones are wrong. */
static void narrow_interval(struct pawl_sequential *test) {
  double low, high;
  pawl_sign_limits(&test->interval, test->sorted, test->blocks, &low, &high);
  low = fmax(low, test->log_low);
  high = fmin(high, test->log_high);
  if (low > high) return;
  test->log_low = low;
  test->log_high = high;
}

static enum pawl_decision look(struct pawl_sequential *test) {
  if (test->blocks % test->change.look_every != 0) return PAWL_DECISION_CONTINUE;
  test->slow_excluded |= pawl_sign_rejects(&test->maintained, test->blocks, test->not_slower);
  test->fast_excluded |= pawl_sign_rejects(&test->maintained, test->blocks, test->not_faster);
  if (test->policy.rule == 1) return decide_by_rule_1(test);
  narrow_interval(test);
  return sequential_decide(test);
}

pawl_status pawl_sequential_add(struct pawl_sequential *test, double log_ratio,
                                enum pawl_decision *decision, struct pawl_error *err) {
  if (!isfinite(log_ratio))
    return pawl_fail(err, PAWL_BAD_DATA, "log-ratio of block %d must be a finite number",
                     test->blocks);
  if (test->decision != PAWL_DECISION_CONTINUE || test->blocks == test->policy.max_blocks)
    return pawl_fail(err, PAWL_BAD_DATA, "block %d comes after the answer '%s': stop there",
                     test->blocks, pawl_decision_name(test->decision));
  insert_sorted(test->sorted, test->blocks, log_ratio);
  test->log_ratios[test->blocks++] = log_ratio;
  test->slower += log_ratio > test->log_tolerate + test->slack;
  test->faster += log_ratio < -test->log_tolerate - test->slack;
  test->not_slower += log_ratio < test->log_detect - test->slack;
  test->not_faster += log_ratio > -test->log_detect + test->slack;
  test->decision = look(test);
  *decision = test->decision;
  return PAWL_OK;
}

/* Returns whether the test could answer after `more` blocks that all agree. */
static bool could_answer(const struct pawl_sequential *test, int more) {
  const int blocks = test->blocks + more;
  if (blocks % test->change.look_every != 0) return false;
  return test->slow_excluded || pawl_sign_rejects(&test->change, blocks, test->slower + more) ||
         pawl_sign_rejects(&test->change, blocks, test->faster + more) ||
         pawl_sign_rejects(&test->maintained, blocks, test->not_slower + more);
}

int pawl_sequential_fewest_more(const struct pawl_sequential *test) {
  const int left = test->policy.max_blocks - test->blocks;
  int more = 1;
  if (test->decision != PAWL_DECISION_CONTINUE) return 0;
  while (more < left && !could_answer(test, more)) more++;
  return left > 0 ? more : 0;
}

/* Returns the median of the pairs' means, which cancel an effect of the place. A block without its
   partner waits for it. */
static double median_of_pairs(const struct pawl_sequential *test) {
  const int pairs = test->blocks / 2;
  if (pairs == 0) return test->log_ratios[0];
  double *means = pawl_alloc((size_t)pairs, sizeof *means);
  for (int i = 0; i < pairs; i++)
    means[i] = (test->log_ratios[2 * i] + test->log_ratios[2 * i + 1]) / 2;
  pawl_sort_doubles(means, (size_t)pairs);
  const double median = pawl_median(means, (size_t)pairs);
  pawl_free(means);
  return median;
}

void pawl_sequential_estimate(const struct pawl_sequential *test, struct pawl_slowdown *out) {
  if (test->blocks == 0) {
    *out = (struct pawl_slowdown){NAN, NAN, NAN};
    return;
  }
  double median, low = test->log_low, high = test->log_high;
  if (test->policy.rule == 1) {
    median = pawl_median(test->sorted, (size_t)test->blocks);
    pawl_sign_limits(&test->interval, test->sorted, test->blocks, &low, &high);
  } else {
    median = fmin(fmax(median_of_pairs(test), low), high);
  }
  *out = (struct pawl_slowdown){.estimate = expm1(median), .low = expm1(low), .high = expm1(high)};
}

double pawl_sequential_p(const struct pawl_sequential *test) {
  if (test->blocks == 0) return NAN;
  const size_t room = (size_t)test->blocks + 1;
  int *slower = pawl_alloc(room, sizeof *slower), *faster = pawl_alloc(room, sizeof *faster);
  for (int i = 0; i < test->blocks; i++) {
    slower[i + 1] = slower[i] + (test->log_ratios[i] > test->log_tolerate + test->slack);
    faster[i + 1] = faster[i] + (test->log_ratios[i] < -test->log_tolerate - test->slack);
  }
  const double least = fmin(pawl_sign_p(&test->change, slower, test->blocks),
                            pawl_sign_p(&test->change, faster, test->blocks));
  pawl_free(slower);
  pawl_free(faster);
  return fmin(1, 2 * test->policy.comparisons * least);
}

double pawl_sequential_e_value(const struct pawl_sequential *test) {
  const int looked = test->blocks - test->blocks % test->change.look_every;
  int slower = 0, faster = 0;
  for (int i = 0; i < looked; i++) {
    slower += test->log_ratios[i] > test->log_tolerate + test->slack;
    faster += test->log_ratios[i] < -test->log_tolerate - test->slack;
  }
  const enum pawl_decision change =
      slower > faster ? PAWL_DECISION_REGRESSION : PAWL_DECISION_IMPROVEMENT;
  if (looked == 0) return 1; /* the stake */
  if (test->decision == PAWL_DECISION_MAINTAINED || sequential_waits(test, change)) return 0;
  return (pawl_sign_wealth(looked, slower) + pawl_sign_wealth(looked, faster)) / 2;
}

double pawl_sequential_block_sd(const struct pawl_sequential *test) {
  struct pawl_summary summary;
  struct pawl_error ignored;
  if (test->blocks < 2 ||
      pawl_summarize(test->log_ratios, (size_t)test->blocks, &summary, &ignored))
    return NAN;
  return summary.std;
}

double pawl_sequential_power(const struct pawl_sequential *test, double slowdown, double block_sd,
                             int blocks) {
  if (!(block_sd > 0 && slowdown > -1)) return NAN;
  const double distance = (log1p(slowdown) - test->log_tolerate) / block_sd;
  return pawl_sign_power(&test->change, erfc(-distance * M_SQRT1_2) / 2, blocks);
}

double pawl_sequential_detectable(const struct pawl_sequential *test, double block_sd,
                                  double power) {
  const int blocks = test->policy.max_blocks;
  double unseen = test->log_tolerate,
         seen = test->log_tolerate + 10 * block_sd; /* there, every block agrees */
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

int pawl_sequential_blocks_needed(const struct pawl_sequential *test, double slowdown,
                                  double block_sd, double power) {
  for (int blocks = 1; blocks <= test->policy.max_blocks; blocks++)
    if (pawl_sequential_power(test, slowdown, block_sd, blocks) >= power) return blocks;
  return 0;
}
