/* SPDX-License-Identifier: Apache-2.0 */
/* The sign test with its boundary, and the gate's sequential test on top of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/memory.h"
#include "stats/sequential.h"
#include "stats/serial.h"
#include "stats/sort.h"
#include "stats/variates.h"

/* Adds blocks until there is an answer or they run out. */
static enum pawl_decision run(struct pawl_sequential *test, const double *log_ratios, int count) {
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  for (int i = 0; i < count && decision == PAWL_DECISION_CONTINUE; i++)
    assert_int_equal(pawl_sequential_add(test, log_ratios[i], &decision, NULL), PAWL_OK);
  return decision;
}

static struct pawl_sequential start(const struct pawl_sequential_policy *policy) {
  struct pawl_sequential test;
  struct pawl_error err = {0};
  if (pawl_sequential_init(&test, policy, &err)) fail_msg("%s", err.message);
  return test;
}

static void p_of_a_test_meets_false_alarm_where_it_answers(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  policy.comparisons = 3;
  struct pawl_sequential test = start(&policy);
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  assert_true(isnan(pawl_sequential_p(&test)));
  while (decision == PAWL_DECISION_CONTINUE) {
    assert_true(test.blocks == 0 || pawl_sequential_p(&test) > policy.false_alarm);
    assert_int_equal(
        pawl_sequential_add(&test, 0.1 + 0.001 * (test.blocks * 7 % 5), &decision, NULL), PAWL_OK);
  }
  assert_int_equal(decision, PAWL_DECISION_REGRESSION);
  assert_true(pawl_sequential_p(&test) <= policy.false_alarm && pawl_sequential_p(&test) > 1e-5);
  pawl_sequential_release(&test);
  test = start(&policy);
  for (int i = 0; i < 6; i++)
    assert_int_equal(pawl_sequential_add(&test, 0, &decision, NULL), PAWL_OK);
  assert_true(pawl_sequential_p(&test) == 1);
  pawl_sequential_release(&test);
}

static void reach_is_what_later_blocks_can_do(void **state) {
  (void)state;
  for (int look_every = 1; look_every <= 2; look_every++) {
    struct pawl_sign_boundary boundary;
    assert_int_equal(pawl_sign_boundary_init(&boundary, 0.01, 21, look_every, NULL), PAWL_OK);
    for (int blocks = 0; blocks <= 21; blocks++) {
      for (int successes = 0; successes <= blocks; successes++) {
        bool reachable = pawl_sign_rejects(&boundary, blocks, successes);
        if (blocks < 21) reachable |= pawl_sign_can_reject(&boundary, blocks + 1, successes + 1);
        assert_int_equal(pawl_sign_can_reject(&boundary, blocks, successes), reachable);
        if (blocks % look_every) assert_false(pawl_sign_rejects(&boundary, blocks, successes));
      }
    }
    pawl_sign_boundary_release(&boundary);
  }
}

/* Every sequence of blocks that are one of two ratios, each with probability 1/2: the exact chance
 * of each answer. */
static void tally_coin(const struct pawl_sequential_policy *policy, double heads, double tails,
                       double chance[5]) {
  struct pawl_sequential fresh = start(policy);
  memset(chance, 0, 5 * sizeof *chance);
  const int blocks = policy->max_blocks;
  for (int tosses = 0; tosses < 1 << blocks; tosses++) {
    double log_ratios[16];
    for (int i = 0; i < blocks; i++) log_ratios[i] = log1p(tosses >> i & 1 ? heads : tails);
    struct pawl_sequential test = fresh;
    chance[run(&test, log_ratios, blocks)] += ldexp(1, -blocks);
  }
  pawl_sequential_release(&fresh);
}

static void wrong_answers_are_as_rare_as_promised(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  policy.max_blocks = 14;
  policy.false_alarm = 0.02;
  double chance[5];
  tally_coin(&policy, 0.2, -1 / 6.0,
             chance); /* two modes, no change: the worst case for both sides at once */
  assert_true(chance[PAWL_DECISION_REGRESSION] + chance[PAWL_DECISION_IMPROVEMENT] <= 0.02);
  assert_true(chance[PAWL_DECISION_REGRESSION] > 0.004 &&
              chance[PAWL_DECISION_IMPROVEMENT] > 0.004);
  assert_true(chance[PAWL_DECISION_CONTINUE] == 0);
  tally_coin(&policy, 0.009, 0.011, chance); /* the median at `tolerate` */
  assert_true(chance[PAWL_DECISION_REGRESSION] <= 0.01 && chance[PAWL_DECISION_IMPROVEMENT] == 0);
  policy.false_alarm = 0.001;
  tally_coin(&policy, 0.005, 0.0301,
             chance); /* at `detect`; a regression takes 12 blocks or more */
  assert_true(chance[PAWL_DECISION_MAINTAINED] <= 0.01 && chance[PAWL_DECISION_MAINTAINED] > 0);
  tally_coin(&policy, 0.0299, 0.0301, chance); /* no block is within `tolerate`: never maintained */
  assert_true(chance[PAWL_DECISION_MAINTAINED] == 0 && chance[PAWL_DECISION_REGRESSION] > 0.98);
}

static void agreeing_blocks_decide(void **state) {
  (void)state;
  const struct {
    double change;
    enum pawl_decision decision;
    int blocks;
  } cases[] = {{0.05, PAWL_DECISION_REGRESSION, 12},   {0.031, PAWL_DECISION_REGRESSION, 12},
               {-0.05, PAWL_DECISION_IMPROVEMENT, 12}, {0, PAWL_DECISION_MAINTAINED, 8},
               {0.029, PAWL_DECISION_REGRESSION, 12},  {-0.029, PAWL_DECISION_IMPROVEMENT, 12},
               {0.009, PAWL_DECISION_MAINTAINED, 8},   {-0.009, PAWL_DECISION_MAINTAINED, 8}};
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct pawl_sequential test = start(&policy);
    double log_ratios[60];
    for (int i = 0; i < 60; i++) log_ratios[i] = log1p(cases[c].change);
    assert_int_equal(run(&test, log_ratios, 60), cases[c].decision);
    assert_int_equal(test.blocks, cases[c].blocks);
    struct pawl_slowdown slowdown;
    pawl_sequential_estimate(&test, &slowdown);
    assert_true(fabs(slowdown.estimate - cases[c].change) <= 1e-12 &&
                slowdown.low == slowdown.estimate);
    pawl_sequential_release(&test);
  }
}

static void correction_asks_for_more_blocks(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  double log_ratios[60];
  for (int i = 0; i < 60; i++) log_ratios[i] = 0.1;
  policy.comparisons = 10;
  struct pawl_sequential test = start(&policy);
  assert_int_equal(run(&test, log_ratios, 60), PAWL_DECISION_REGRESSION);
  assert_in_range(test.blocks, 15, 16); /* 2^-15 < 0.001 / 20 */
  pawl_sequential_release(&test);
}

static void nothing_to_say_is_said_early(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test = start(&policy);
  double log_ratios[80];
  for (int i = 0; i < 80; i++) log_ratios[i] = i % 2 ? 0.08 : -0.08;
  assert_int_equal(run(&test, log_ratios, 80), PAWL_DECISION_INCONCLUSIVE);
  assert_in_range(test.blocks, 40, 60); /* no later blocks could turn it */
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  struct pawl_error err;
  assert_int_equal(pawl_sequential_add(&test, 0, &decision, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "'inconclusive'"));
  assert_int_equal(decision, PAWL_DECISION_CONTINUE);
  pawl_sequential_release(&test);
}

/* A slow-down is excluded, a speed-up is still open: measuring goes on, and the slow-down's answer
 * is not lost. */
static void rule_1_waits_for_an_open_improvement(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  policy.rule = 1;
  policy.max_blocks = 60;
  struct pawl_sequential test = start(&policy);
  double log_ratios[60];
  for (int i = 0; i < 60; i++) log_ratios[i] = i % 3 ? -0.04 : -0.005;
  assert_int_equal(run(&test, log_ratios, 8), PAWL_DECISION_CONTINUE);
  assert_true(test.slow_excluded && !test.fast_excluded);
  assert_int_equal(run(&test, log_ratios, 52), PAWL_DECISION_MAINTAINED);
  assert_true(test.blocks > 30);
  pawl_sequential_release(&test);
  /* The exclusion at block 8 stays, whatever comes while an improvement is open. */
  test = start(&policy);
  for (int i = 8; i < 60; i++) log_ratios[i] = i % 2 ? 0.05 : -0.04;
  for (int i = 0; i < 8; i++) log_ratios[i] = -0.04;
  assert_int_equal(run(&test, log_ratios, 60), PAWL_DECISION_MAINTAINED);
  assert_false(pawl_sign_rejects(&test.maintained, test.blocks, test.not_slower));
  pawl_sequential_release(&test);
}

/* The code is identical, and the place may have any effect. If the place decides, one block of a
   pair is slower and the other is faster. With the same chance q, both blocks are slower or both
   are faster. A place decides all (q = 0), nothing (q = 1/4), or changes from pair to pair. */
static void a_place_of_any_effect_keeps_the_level(void **state) {
  (void)state;
  enum { PAIRS = 7 };
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  policy.max_blocks = 2 * PAIRS;
  policy.false_alarm = 0.02;
  struct pawl_sequential fresh = start(&policy);
  double worst = 0;
  for (int kinds = 0; kinds < 1 << PAIRS; kinds++) { /* in which pairs the place decides */
    double chance = 0;
    for (int tosses = 0; tosses < 1 << 2 * PAIRS; tosses++) {
      double log_ratios[2 * PAIRS];
      for (int i = 0; i < 2 * PAIRS; i++) {
        const int first = tosses >> (i & ~1) & 1, own = tosses >> i & 1;
        const bool place = kinds >> i / 2 & 1;
        log_ratios[i] = (place ? first ^ (i & 1) : own) ? 0.05 : -0.05;
      }
      struct pawl_sequential test = fresh;
      const enum pawl_decision decision = run(&test, log_ratios, 2 * PAIRS);
      chance += decision == PAWL_DECISION_REGRESSION || decision == PAWL_DECISION_IMPROVEMENT;
    }
    worst = fmax(worst, ldexp(chance, -2 * PAIRS));
  }
  assert_true(worst <= 0.02 && worst > 0.008);
  pawl_sequential_release(&fresh);
}

/* Whatever the change and the noise: MAINTAINED contradicts neither its limits nor its promise, and
   the limits after each pair lie within those before. */
static void maintained_fits_its_limits(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  int seen[5] = {0}, doubts[PAWL_DOUBT_SERIAL + 1] = {0};
  struct pawl_sequential fresh = start(&policy);
  for (uint64_t trial = 0; trial < 4000; trial++) {
    struct pawl_random random = pawl_random_init(14, trial);
    const double change = 0.1 * pawl_random_double(&random) - 0.05,
                 sd = 0.08 * pow(pawl_random_double(&random), 2);
    struct pawl_sequential test = fresh;
    enum pawl_decision decision = PAWL_DECISION_CONTINUE;
    struct pawl_slowdown now, before = {0, -1, INFINITY};
    while (decision == PAWL_DECISION_CONTINUE) {
      assert_int_equal(
          pawl_sequential_add(&test, change + sd * pawl_draw_normal(&random), &decision, NULL),
          PAWL_OK);
      pawl_sequential_estimate(&test, &now);
      assert_true(now.low >= before.low && now.high <= before.high);
      assert_true(now.low <= now.estimate && now.estimate <= now.high);
      before = now;
    }
    assert_int_equal(test.blocks % 2, 0);
    if (decision == PAWL_DECISION_MAINTAINED)
      assert_true(now.low <= 0.0101 && now.high >= -0.0101 && now.high < 0.03);
    if (decision == PAWL_DECISION_REGRESSION) assert_true(now.low > 0.01);
    if (decision == PAWL_DECISION_IMPROVEMENT) assert_true(now.high < -0.0099);
    assert_int_equal(decision == PAWL_DECISION_INCONCLUSIVE, test.doubt != PAWL_DOUBT_NONE);
    if (test.doubt == PAWL_DOUBT_SLOWER) assert_true(now.low > 0.01);
    if (test.doubt == PAWL_DOUBT_FASTER) assert_true(now.high < -0.0099);
    seen[decision]++;
    doubts[test.doubt]++;
  }
  for (int i = PAWL_DECISION_REGRESSION; i <= PAWL_DECISION_INCONCLUSIVE; i++)
    assert_true(seen[i] > 100);
  for (int i = PAWL_DOUBT_NOISE; i <= PAWL_DOUBT_FASTER; i++)
    assert_true(doubts[i] > 50 && pawl_doubt_text((enum pawl_doubt)i));
  pawl_sequential_release(&fresh);
}

/* One block is disturbed: the median of single blocks would read the place, that of the pairs does
 * not. */
static void the_estimate_does_not_read_the_place(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test = start(&policy);
  const double log_ratios[] = {0.009, -0.009, -0.009, 0.009, 0.3, 0.009, -0.009, 0.009};
  struct pawl_slowdown slowdown;
  run(&test, log_ratios, 7);
  pawl_sequential_estimate(&test, &slowdown); /* the seventh waits for its pair */
  assert_true(fabs(slowdown.estimate) < 1e-12);
  pawl_sequential_release(&test);
  test = start(&policy);
  run(&test, log_ratios, 8);
  pawl_sequential_estimate(&test, &slowdown);
  assert_true(fabs(slowdown.estimate) < 1e-12);
  pawl_sequential_release(&test);
}

/* Times on the grid of a clock, whose ratio is exactly a threshold: within it, however the
 * logarithms round. */
static void exactly_a_threshold_is_within_it(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test = start(&policy);
  for (int ticks = 100; ticks < 60 * 100; ticks += 100) {
    enum pawl_decision decision;
    test.decision = PAWL_DECISION_CONTINUE;
    assert_int_equal(pawl_sequential_add(&test, log(ticks * 1.01 / ticks), &decision, NULL),
                     PAWL_OK);
  }
  assert_int_equal(test.slower + test.faster, 0);
  pawl_sequential_release(&test);
}

/* The next one in lexicographic order. */
static void next_order(int *values, int count) {
  int i = count - 1, j = count - 1;
  while (i > 0 && values[i - 1] > values[i]) i--;
  if (i == 0) return;
  while (values[j] < values[i - 1]) j--;
  const int kept = values[j];
  values[j] = values[i - 1];
  values[i - 1] = kept;
  for (int a = i, b = count - 1; a < b; a++, b--) {
    const int swap = values[a];
    values[a] = values[b];
    values[b] = swap;
  }
}

static void serial_correlation_is_standardised_exactly(void **state) {
  (void)state;
  enum { COUNT = 8, ORDERS = 40320 };
  double sorted[COUNT], values[COUNT], sum = 0, squares = 0;
  int order[COUNT];
  for (int i = 0; i < COUNT; i++) sorted[i] = order[i] = i;
  for (int i = 0; i < ORDERS; i++, next_order(order, COUNT)) {
    for (int k = 0; k < COUNT; k++) values[k] = order[k];
    const double z = pawl_serial_correlation(values, sorted, COUNT);
    sum += z;
    squares += z * z;
  }
  assert_true(fabs(sum / ORDERS) < 1e-9 && fabs(squares / ORDERS - 1) < 1e-9);
  assert_true(pawl_serial_correlation(sorted, sorted, COUNT) > 2.1); /* ascending */
  assert_true(pawl_serial_correlation(sorted, sorted, COUNT - 1) == 0);
  const double equal[COUNT] = {1, 1, 1, 1, 1, 1, 1, 1};
  assert_true(pawl_serial_correlation(equal, equal, COUNT) == 0);
}

/* Noise that sticks to an arm from block to block (an autoregression of .9) is no change. The
   answer waits, and few answers are wrong. Independent blocks hardly wait. */
static void what_sticks_to_an_arm_is_doubted(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential fresh = start(&policy);
  int doubted[2] = {0}, wrong[2] = {0};
  for (uint64_t trial = 0; trial < 2000; trial++) {
    const double stick = trial % 2 ? 0.9 : 0;
    struct pawl_random random = pawl_random_init(15, trial);
    struct pawl_sequential test = fresh;
    enum pawl_decision decision = PAWL_DECISION_CONTINUE;
    double luck = pawl_draw_normal(&random);
    while (decision == PAWL_DECISION_CONTINUE) {
      luck = stick * luck + sqrt(1 - stick * stick) * pawl_draw_normal(&random);
      assert_int_equal(pawl_sequential_add(&test, 0.022 * luck, &decision, NULL), PAWL_OK);
    }
    doubted[trial % 2] += test.doubt == PAWL_DOUBT_SERIAL;
    wrong[trial % 2] +=
        decision == PAWL_DECISION_REGRESSION || decision == PAWL_DECISION_IMPROVEMENT;
  }
  assert_true(doubted[0] <= 10 && wrong[0] <= 1);
  assert_true(doubted[1] > 200 && wrong[1] < 100); /* 165 by rule 1 */
  pawl_sequential_release(&fresh);
}

/* Blocks that drift up and down make an answer wait, but not one of a change that is far larger
 * than the drift. */
static void a_change_far_beyond_the_drift_does_not_wait(void **state) {
  (void)state;
  const struct {
    int rule;
    double change;
    enum pawl_decision decision;
    int blocks;
  } expected[] = {
      {3, 2.3, PAWL_DECISION_REGRESSION, 12},      {3, -2.3, PAWL_DECISION_IMPROVEMENT, 12},
      {3, 0.265, PAWL_DECISION_REGRESSION, 12},    {3, 0.255, PAWL_DECISION_INCONCLUSIVE, 80},
      {3, -0.255, PAWL_DECISION_INCONCLUSIVE, 80}, {2, 2.3, PAWL_DECISION_INCONCLUSIVE, 80}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    struct pawl_sequential_policy policy = pawl_sequential_default_policy();
    double log_ratios[80];
    /* a wave of range .1: its lowest block is .05 below the change */
    for (int b = 0; b < 80; b++) log_ratios[b] = expected[i].change + 0.05 * cos(b * M_PI / 11);
    policy.rule = expected[i].rule;
    struct pawl_sequential test = start(&policy);
    assert_int_equal(run(&test, log_ratios, 80), expected[i].decision);
    assert_int_equal(test.blocks, expected[i].blocks);
    pawl_sequential_release(&test);
  }
}

static void sides_mirror_and_blocks_replay(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  int seen[5] = {0};
  for (uint64_t trial = 0; trial < 400; trial++) {
    struct pawl_random random = pawl_random_init(12, trial);
    const double change = trial % 2 ? 0.07 : 0.0, sd = 0.005 + 0.03 * pawl_random_double(&random);
    double log_ratios[60], mirrored[60];
    for (int i = 0; i < 60; i++) {
      log_ratios[i] = change + sd * pawl_draw_normal(&random);
      mirrored[i] = -log_ratios[i];
    }
    struct pawl_sequential test = start(&policy), again = start(&policy), mirror = start(&policy);
    const enum pawl_decision decision = run(&test, log_ratios, 60),
                             other = run(&mirror, mirrored, 60);
    assert_int_equal(run(&again, log_ratios, 60), decision);
    assert_int_equal(again.blocks, test.blocks);
    if (decision == PAWL_DECISION_REGRESSION) assert_int_equal(other, PAWL_DECISION_IMPROVEMENT);
    if (change == 0)
      assert_true(decision == PAWL_DECISION_MAINTAINED || decision == PAWL_DECISION_INCONCLUSIVE);
    seen[decision]++;
    pawl_sequential_release(&test);
    pawl_sequential_release(&again);
    pawl_sequential_release(&mirror);
  }
  assert_true(seen[PAWL_DECISION_REGRESSION] > 190 && seen[PAWL_DECISION_MAINTAINED] > 150);
}

/* The limits taken wherever the test stopped hold the truth at least 95 % of the time, on skewed
 * noise too. */
static void limits_cover_where_it_stops(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  int covered = 0, finite = 0;
  for (uint64_t trial = 0; trial < 1000; trial++) {
    struct pawl_random random = pawl_random_init(13, trial);
    struct pawl_sequential test = start(&policy);
    const double truth = 0.02;
    double log_ratios[60];
    for (int i = 0; i < 60; i++)
      log_ratios[i] = log1p(truth) + 0.03 * (pawl_draw_exponential(&random) - M_LN2);
    run(&test, log_ratios, 60);
    struct pawl_slowdown slowdown;
    pawl_sequential_estimate(&test, &slowdown);
    covered += slowdown.low <= truth && truth <= slowdown.high;
    finite += isfinite(slowdown.high) && slowdown.low > -1;
    assert_true(slowdown.low <= slowdown.estimate && slowdown.estimate <= slowdown.high);
    pawl_sequential_release(&test);
  }
  assert_true(covered >= 950 && finite == 1000);
}

static void power_grows_with_change_and_blocks(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test = start(&policy);
  assert_true(pawl_sequential_power(&test, 0.03, 0.0219, 80) >
              0.98); /* as noisy as docs/results/gate-simulation.md */
  assert_true(pawl_sequential_power(&test, 0.03, 0.0219, 30) <
              pawl_sequential_power(&test, 0.03, 0.0219, 80));
  assert_true(pawl_sequential_power(&test, 0.01, 0.005, 80) <=
              0.0005); /* at tolerate: the false alarm of a side */
  assert_true(pawl_sequential_power(&test, 0.05, 0.001, 11) == 0 &&
              pawl_sequential_power(&test, 0.05, 0.001, 12) > 0.99);
  assert_true(isnan(pawl_sequential_power(&test, 0.05, NAN, 60)) &&
              isnan(pawl_sequential_power(&test, -1, 0.01, 60)));
  const double visible = pawl_sequential_detectable(&test, 0.0219, 0.9);
  assert_true(visible > 0.025 && visible < 0.028);
  assert_true(fabs(pawl_sequential_power(&test, visible, 0.0219, 80) - 0.9) < 1e-9);
  assert_true(isnan(pawl_sequential_detectable(&test, 0, 0.9)) &&
              isnan(pawl_sequential_detectable(&test, 0.01, 1)));
  assert_int_equal(pawl_sequential_blocks_needed(&test, 0.05, 0.001, 0.99), 12);
  const int blocks = pawl_sequential_blocks_needed(&test, 0.03, 0.0219, 0.5);
  assert_true(pawl_sequential_power(&test, 0.03, 0.0219, blocks) >= 0.5);
  assert_true(pawl_sequential_power(&test, 0.03, 0.0219, blocks - 1) < 0.5);
  assert_int_equal(pawl_sequential_blocks_needed(&test, 0.01, 0.005, 0.5),
                   0); /* at tolerate: never */
  pawl_sequential_release(&test);
}

static void impossible_policies_are_refused(void **state) {
  (void)state;
  const struct pawl_sequential_policy good = pawl_sequential_default_policy();
  struct pawl_sequential_policy bad[8];
  for (int i = 0; i < 8; i++) bad[i] = good;
  bad[0].tolerate = 0.03;
  bad[1].tolerate = -0.01;
  bad[2].detect = NAN;
  bad[3].false_alarm = 0;
  bad[4].miss = 1;
  bad[5].max_blocks = 10; /* 2^-10 is above .0005 */
  bad[6].comparisons = 0;
  bad[7].max_blocks = PAWL_SIGN_MAX_BLOCKS + 1;
  for (int i = 0; i < 8; i++) {
    struct pawl_sequential test = {.blocks = 77};
    struct pawl_error err = {0};
    assert_int_equal(pawl_sequential_init(&test, &bad[i], &err), PAWL_CONFIG);
    assert_true(err.message[0] && test.blocks == 77);
    if (i == 5) assert_non_null(strstr(err.message, "allow 12 or more"));
  }
}

static void bad_blocks_count_for_nothing(void **state) {
  (void)state;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test = start(&policy);
  struct pawl_slowdown slowdown;
  enum pawl_decision decision;
  pawl_sequential_estimate(&test, &slowdown);
  assert_true(isnan(slowdown.estimate) && isnan(slowdown.low));
  assert_int_equal(pawl_sequential_add(&test, NAN, &decision, NULL), PAWL_BAD_DATA);
  assert_int_equal(pawl_sequential_add(&test, -INFINITY, &decision, NULL), PAWL_BAD_DATA);
  assert_int_equal(test.blocks, 0);
  assert_int_equal(pawl_sequential_add(&test, 0.5, &decision, NULL), PAWL_OK);
  pawl_sequential_estimate(&test, &slowdown);
  assert_true(fabs(slowdown.estimate - expm1(0.5)) < 1e-12 && slowdown.low == -1 &&
              slowdown.high == INFINITY);
  pawl_sequential_release(&test);
  pawl_sequential_release(NULL);
}

static void long_budgets_work(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  policy.max_blocks = PAWL_SIGN_MAX_BLOCKS;
  struct pawl_sequential test = start(&policy);
  assert_true(test.change.spent <= test.change.level && test.change.spent > test.change.level / 2);
  pawl_sequential_release(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(p_of_a_test_meets_false_alarm_where_it_answers),
      cmocka_unit_test(reach_is_what_later_blocks_can_do),
      cmocka_unit_test(wrong_answers_are_as_rare_as_promised),
      cmocka_unit_test(agreeing_blocks_decide),
      cmocka_unit_test(correction_asks_for_more_blocks),
      cmocka_unit_test(nothing_to_say_is_said_early),
      cmocka_unit_test(rule_1_waits_for_an_open_improvement),
      cmocka_unit_test(a_place_of_any_effect_keeps_the_level),
      cmocka_unit_test(maintained_fits_its_limits),
      cmocka_unit_test(the_estimate_does_not_read_the_place),
      cmocka_unit_test(exactly_a_threshold_is_within_it),
      cmocka_unit_test(serial_correlation_is_standardised_exactly),
      cmocka_unit_test(a_change_far_beyond_the_drift_does_not_wait),
      cmocka_unit_test(what_sticks_to_an_arm_is_doubted),
      cmocka_unit_test(sides_mirror_and_blocks_replay),
      cmocka_unit_test(limits_cover_where_it_stops),
      cmocka_unit_test(power_grows_with_change_and_blocks),
      cmocka_unit_test(impossible_policies_are_refused),
      cmocka_unit_test(bad_blocks_count_for_nothing),
      cmocka_unit_test(long_budgets_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
