/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that the rows of a run prove together, by their e-values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/memory.h"
#include "gate/discovery.h"
#include "gate/paired_test.h"
#include "gate/ratchet.h"
#include "stats/variates.h"

enum { ROWS = 40 };

static struct pawl_paired_test test_of(double e_value, int comparisons) {
  struct pawl_paired_test test;
  pawl_paired_test_init(&test);
  test.policy.discovery = true;
  test.policy.false_alarm = 0.05;
  test.policy.comparisons = comparisons;
  test.decision = PAWL_DECISION_INCONCLUSIVE;
  test.e_value = e_value;
  test.slowdown.estimate = 0.02;
  return test;
}

static size_t discover(struct pawl_paired_test *tests, size_t count) {
  struct pawl_paired_test *all[ROWS];
  size_t called = 0;
  for (size_t i = 0; i < count; i++) all[i] = &tests[i];
  pawl_paired_tests_discover(all, count);
  for (size_t i = 0; i < count; i++) called += tests[i].decision == PAWL_DECISION_REGRESSION;
  return called;
}

static void as_many_as_prove_themselves_are_called(void **state) {
  (void)state;
  /* 10 comparisons at 5 %: 200 for one, 100 each for two, 66.7 each for three */
  static const struct {
    double values[4];
    size_t called;
  } runs[] = {
      {{199, 1, 1, 1}, 0},   {{200, 1, 1, 1}, 1},      {{199, 99, 1, 1}, 0},
      {{100, 100, 1, 1}, 2}, {{1, 1e9, 67, 100}, 3},   {{67, 67, 66, 1}, 0},
      {{67, 67, 67, 50}, 4}, {{0, 0, 0, INFINITY}, 1}, {{50, 50, 50, 50}, 4},
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    struct pawl_paired_test tests[4];
    for (int j = 0; j < 4; j++) tests[j] = test_of(runs[i].values[j], 10);
    if (discover(tests, 4) != runs[i].called) fail_msg("run %zu calls another number", i);
  }
}

/* Every set of rows that the definition allows lies in the set that is called. */
static void the_largest_set_is_called(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(7, 0);
  for (int trial = 0; trial < 2000; trial++) {
    struct pawl_paired_test tests[ROWS];
    size_t largest = 0;
    for (int i = 0; i < ROWS; i++)
      tests[i] = test_of(exp(9 * pawl_random_double(&random)), ROWS + trial % 3 * ROWS);
    const double needed = tests[0].policy.comparisons / 0.05;
    for (size_t k = 1; k <= ROWS; k++) {
      size_t enough = 0;
      for (int i = 0; i < ROWS; i++) enough += tests[i].e_value >= needed / (double)k;
      if (enough >= k) largest = k;
    }
    assert_int_equal(discover(tests, ROWS), largest);
  }
}

static void other_rows_only_add_changes(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(8, 0);
  for (int trial = 0; trial < 500; trial++) {
    struct pawl_paired_test few[ROWS], many[ROWS];
    for (int i = 0; i < ROWS; i++)
      few[i] = many[i] = test_of(exp(9 * pawl_random_double(&random)), ROWS);
    discover(few, ROWS / 2);
    discover(many, ROWS);
    for (int i = 0; i < ROWS / 2; i++)
      if (few[i].decision == PAWL_DECISION_REGRESSION)
        assert_int_equal(many[i].decision, PAWL_DECISION_REGRESSION);
  }
}

static void answers_and_other_policies_stay(void **state) {
  (void)state;
  struct pawl_paired_test tests[4];
  for (int i = 0; i < 4; i++) tests[i] = test_of(1e6, 10);
  tests[0].decision = PAWL_DECISION_MAINTAINED;
  tests[1].policy.discovery = false;
  tests[2].identical = true;
  tests[3].slowdown.estimate = -0.02;
  discover(tests, 4);
  assert_int_equal(tests[0].decision, PAWL_DECISION_MAINTAINED);
  assert_int_equal(tests[1].decision, PAWL_DECISION_INCONCLUSIVE);
  assert_int_equal(tests[2].decision, PAWL_DECISION_INCONCLUSIVE);
  assert_int_equal(tests[3].decision, PAWL_DECISION_IMPROVEMENT);
}

/* --- the rows of a run --- */

/* Two parts of a run, each with two losses: alone 100 is too small for two of 20 comparisons at 5
   %, together four prove each other. A broken row stays broken, and the tests of the parts stay. */
static void joined_parts_prove_more_than_each(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_paired_test tests[5];
  struct pawl_ratchet_row rows[5] = {0};
  for (int i = 0; i < 5; i++) {
    tests[i] = test_of(i < 4 ? 100 : 1e6, 20);
    pawl_comparison_init(&rows[i].comparison);
    rows[i].comparison.verdict = i < 4 ? PAWL_VERDICT_INCONCLUSIVE : PAWL_VERDICT_BROKEN;
    rows[i].paired = &tests[i];
  }
  struct pawl_ratchet_report part = {.rows = rows, .count = 2}, whole = {.rows = rows, .count = 5};
  assert_int_equal(pawl_ratchet_discover(&part, &arena, NULL), PAWL_OK);
  assert_int_equal(rows[0].comparison.verdict, PAWL_VERDICT_INCONCLUSIVE);
  assert_int_equal(pawl_ratchet_discover(&whole, &arena, NULL), PAWL_OK);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(rows[i].comparison.verdict, PAWL_VERDICT_REGRESSION);
    assert_int_equal(rows[i].paired->decision, PAWL_DECISION_REGRESSION);
    assert_int_equal(tests[i].decision, PAWL_DECISION_INCONCLUSIVE);
  }
  assert_int_equal(rows[4].comparison.verdict, PAWL_VERDICT_BROKEN);
  pawl_arena_clear(&arena);
}

/* --- the e-value of blocks --- */

static struct pawl_paired_test judge(const double *ratios, size_t count, int comparisons,
                                     int max_blocks) {
  static struct pawl_paired_block blocks[ROWS];
  struct pawl_paired_test test;
  struct pawl_error err = {0};
  pawl_paired_test_init(&test);
  test.policy.discovery = true;
  test.policy.false_alarm = 0.05;
  test.policy.comparisons = comparisons;
  test.policy.max_blocks = max_blocks;
  for (size_t i = 0; i < count; i++) blocks[i] = (struct pawl_paired_block){1, ratios[i], NULL, 0};
  test.blocks = blocks;
  test.block_count = count;
  if (pawl_paired_test_judge(&test, &err) != PAWL_OK) fail_msg("%s", err.message);
  return test;
}

static void a_row_alone_needs_the_whole_limit(void **state) {
  (void)state;
  static const double slower[] = {1.2, 1.21, 1.19, 1.2, 1.21, 1.2, 1.19, 1.2, 1.2, 1.21, 1.2, 1.19};
  /* 12 blocks: (2^12 / 2 + 1.5^12 / 2 + 0.5^12 / 2) / 2 = 1056.4 */
  assert_float_equal(judge(slower, 12, 1000, 12).e_value, 1056.4366, 1e-3);
  assert_int_equal(judge(slower, 12, 1000, 12).decision, PAWL_DECISION_INCONCLUSIVE);
  assert_int_equal(judge(slower, 12, 53, 12).decision, PAWL_DECISION_INCONCLUSIVE);
  assert_int_equal(judge(slower, 12, 52, 12).decision, PAWL_DECISION_REGRESSION);
  assert_int_equal((int)judge(slower, 11, 1000, 12).counted, 11);
  /* the last look is after 10 blocks */
  assert_true(judge(slower, 11, 1000, 12).e_value == judge(slower, 10, 1000, 12).e_value);
  assert_true(judge(slower, 0, 1000, 12).e_value == 1);
}

static void unchanged_rows_and_drifts_have_no_e_value(void **state) {
  (void)state;
  static const double same[] = {1, 1.001, 0.999, 1, 1.001, 0.999, 1, 1.001};
  static const double drift[] = {1.011, 1.012, 1.013, 1.014, 1.015, 1.016, 1.017, 1.018};
  assert_int_equal(judge(same, 8, 1000, 12).decision, PAWL_DECISION_MAINTAINED);
  assert_true(judge(same, 8, 1000, 12).e_value == 0);
  assert_true(judge(drift, 8, 1000, 12).e_value == 0);
}

/* Under a fair coin the mean e-value is at most 1 wherever the measurement stops. The sum runs over
   all sequences of 12 signs, each as slower and faster blocks far from the others, so that no
   answer waits. It stops after `stop` blocks, or when the row alone is called. */
static void the_mean_e_value_of_noise_is_at_most_one(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_error err;
  policy.discovery = true;
  policy.false_alarm = 0.05;
  policy.comparisons = 3;
  policy.max_blocks = 12;
  for (int stop = 2; stop <= 12; stop += 2) {
    double sum = 0;
    for (unsigned signs = 0; signs < 1u << 12; signs++) {
      struct pawl_sequential test;
      enum pawl_decision decision = PAWL_DECISION_CONTINUE;
      assert_int_equal(pawl_sequential_init(&test, &policy, &err), PAWL_OK);
      for (int i = 0; i < stop && decision == PAWL_DECISION_CONTINUE; i++)
        assert_int_equal(pawl_sequential_add(&test, signs >> i & 1 ? 0.05 : -0.05, &decision, &err),
                         PAWL_OK);
      sum += pawl_sequential_e_value(&test);
      pawl_sequential_release(&test);
    }
    if (!(sum / (1u << 12) <= 1 + 1e-12)) fail_msg("%g after %d blocks", sum / (1u << 12), stop);
  }
}

/* 1000 rows may have 12 blocks, although no row alone can prove a change with them. */
static void few_blocks_suffice_for_many_rows(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test;
  struct pawl_error err = {0};
  policy.comparisons = 1000;
  policy.max_blocks = 12;
  assert_int_equal(pawl_sequential_init(&test, &policy, &err), PAWL_CONFIG);
  policy.discovery = true;
  assert_int_equal(pawl_sequential_fewest_blocks(&policy), 12);
  assert_int_equal(pawl_sequential_init(&test, &policy, &err), PAWL_OK);
  pawl_sequential_release(&test);
  policy.max_blocks = 11;
  assert_int_equal(pawl_sequential_init(&test, &policy, &err), PAWL_CONFIG);
  policy.max_blocks = 12;
  policy.rule = 2;
  assert_int_equal(pawl_sequential_init(&test, &policy, &err), PAWL_CONFIG);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_many_as_prove_themselves_are_called),
      cmocka_unit_test(the_largest_set_is_called),
      cmocka_unit_test(other_rows_only_add_changes),
      cmocka_unit_test(answers_and_other_policies_stay),
      cmocka_unit_test(joined_parts_prove_more_than_each),
      cmocka_unit_test(a_row_alone_needs_the_whole_limit),
      cmocka_unit_test(unchanged_rows_and_drifts_have_no_e_value),
      cmocka_unit_test(the_mean_e_value_of_noise_is_at_most_one),
      cmocka_unit_test(few_blocks_suffice_for_many_rows),
  };
  return cmocka_run_group_tests_name("gate_discovery", tests, NULL, NULL);
}
