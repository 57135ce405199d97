/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that chooses a setting by the shape of a case, on tables whose answer is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/philox.h"
#include "tune/rule.h"

static const int64_t sizes[] = {256, 1024, 4096, 65536};

static void check_sum(const struct pawl_rule_table *table, const struct pawl_tune_rule *rule) {
  double sum = 0;
  for (size_t i = 0; i < table->cases; i++) {
    const size_t setting = pawl_rule_choose(rule, &table->values[i * table->dims]);
    assert_true(setting < table->settings);
    sum += log(table->ratios[setting * table->cases + i]);
  }
  assert_true(fabs(exp(sum / (double)table->cases) - rule->ratio) < 1e-12);
}

static void test_threshold(void **state) {
  (void)state;
  /* the first is good up to 1024, the second from 4096 on */
  static const double ratios[] = {0.5, 0.5, 1, 1, 1, 1, 0.5, 0.5, 0.8, 0.8, 0.8, 0.8};
  const struct pawl_rule_table table = {3, 4, 1, ratios, sizes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 2, 0, &rule);
  check_sum(&table, &rule);
  assert_false(rule.one_is_enough);
  assert_int_equal(rule.settings, 2);
  assert_int_equal(rule.count, 3);
  assert_int_equal(rule.nodes[0].limit, 2048); /* the geometric mean of 1024 and 4096 */
  assert_int_equal(rule.nodes[0].under, 1024);
  assert_int_equal(rule.nodes[0].over, 4096);
  assert_int_equal(pawl_rule_choose(&rule, (int64_t[]){2048}), 0);
  assert_int_equal(pawl_rule_choose(&rule, (int64_t[]){2049}), 1);
  assert_true(fabs(rule.ratio - 0.5) < 1e-12 && fabs(rule.best - 0.5) < 1e-12 &&
              fabs(rule.one - 0.8) < 1e-12);
}

static void test_second_dimension(void **state) {
  (void)state;
  /* n says nothing; d decides, though it is the second */
  static const int64_t shapes[] = {256, 64, 4096, 64, 256, 128, 4096, 128};
  static const double ratios[] = {0.5, 0.5, 0.9, 0.9, 0.9, 0.9, 0.5, 0.5};
  const struct pawl_rule_table table = {2, 4, 2, ratios, shapes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 0, 0, &rule);
  check_sum(&table, &rule);
  assert_int_equal(rule.count, 3);
  assert_int_equal(rule.nodes[0].dim, 1);
  assert_int_equal(rule.nodes[0].limit, 90);
}

static void test_two_dimensions(void **state) {
  (void)state;
  /* the second setting is better only where both are large */
  static const int64_t shapes[] = {256, 64, 4096, 64, 256, 128, 4096, 128};
  static const double ratios[] = {0.5, 0.5, 0.5, 1, 0.9, 0.9, 0.9, 0.5};
  const struct pawl_rule_table table = {2, 4, 2, ratios, shapes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 0, 0, &rule);
  check_sum(&table, &rule);
  assert_int_equal(rule.count, 5); /* two splits */
  assert_int_equal(rule.settings, 2);
  for (size_t i = 0; i < 4; i++) assert_int_equal(pawl_rule_choose(&rule, &shapes[2 * i]), i == 3);
}

static void test_band(void **state) {
  (void)state;
  /* four settings, one for each size: two splits join three; the nodes of a tree of three splits
   * are in order */
  double ratios[16];
  struct pawl_tune_rule rule;
  for (size_t i = 0; i < 16; i++) ratios[i] = i / 4 == i % 4 ? 0.5 : 1;
  const struct pawl_rule_table table = {4, 4, 1, ratios, sizes};
  pawl_rule_find(&table, 1, 0, &rule);
  check_sum(&table, &rule);
  assert_int_equal(rule.settings, 4);
  assert_int_equal(rule.count, 7);
  for (size_t i = 0; i < 4; i++) assert_int_equal(pawl_rule_choose(&rule, &sizes[i]), i);
}

static void test_simplest(void **state) {
  (void)state;
  /* a third setting would gain 0.5 % on one of four cases: not worth a setting */
  static const double ratios[] = {0.5, 0.5, 1, 1, 1, 1, 0.5, 0.5, 1, 1, 1, 0.49};
  const struct pawl_rule_table table = {3, 4, 1, ratios, sizes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 0, 0, &rule);
  assert_int_equal(rule.settings, 2);
  assert_int_equal(pawl_rule_choose(&rule, &sizes[3]), 1);
  assert_true(rule.ratio > rule.best);
}

/* Standard normal, from two uniform numbers. */
static double normal(struct pawl_random *random) {
  const double u = (pawl_random_below(random, 1000000) + 0.5) / 1e6,
               v = (pawl_random_below(random, 1000000) + 0.5) / 1e6;
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void test_noise(void **state) {
  (void)state;
  /* six settings that are the same, with 3 % of noise: in at most one of a hundred tables a rule is
   * worth it */
  size_t rules = 0, told = 0;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct pawl_random random = pawl_random_init(seed, 7);
    double ratios[24];
    struct pawl_tune_rule rule;
    for (size_t i = 0; i < 24; i++) ratios[i] = 0.8 * exp(0.03 * normal(&random));
    const struct pawl_rule_table table = {6, 4, 1, ratios, sizes};
    pawl_rule_find(&table, 0, 0.03, &rule);
    rules += !rule.one_is_enough;
    pawl_rule_find(&table, 0, 0, &rule);
    told += !rule.one_is_enough;
  }
  assert_true(rules <= 2);
  assert_true(
      told >
      100); /* without the knowledge of the noise most would have been rules: it is what decides */
}

static void test_small_gain(void **state) {
  (void)state;
  static const double ratios[] = {0.50, 0.50, 0.51, 0.51, 0.515, 0.515, 0.50, 0.50};
  const struct pawl_rule_table table = {2, 4, 1, ratios, sizes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 0, 0, &rule);
  assert_true(rule.one_is_enough);
  assert_int_equal(rule.count, 1);
  assert_int_equal(rule.settings, 1);
  assert_true(rule.ratio == rule.one);
}

static void test_ties(void **state) {
  (void)state;
  /* equal in all: the one setting stays, not the first */
  static const double same[] = {0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7};
  /* two thresholds part the two groups alike (d follows n): the first dimension is taken */
  static const int64_t shapes[] = {256, 8, 4096, 16};
  static const double ratios[] = {0.5, 1, 1, 0.5};
  const struct pawl_rule_table equal = {2, 4, 1, same, sizes}, apart = {2, 2, 2, ratios, shapes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&equal, 1, 0, &rule);
  assert_true(rule.one_is_enough);
  assert_int_equal(pawl_rule_choose(&rule, &sizes[0]), 1);
  pawl_rule_find(&apart, 0, 0, &rule);
  assert_int_equal(rule.count, 3);
  assert_int_equal(rule.nodes[0].dim, 0);
  assert_int_equal(rule.nodes[0].limit, 1024);
}

static void test_one_case(void **state) {
  (void)state;
  static const double ratios[] = {0.7, 0.5};
  const struct pawl_rule_table table = {2, 1, 1, ratios, sizes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 1, 0, &rule);
  assert_true(rule.one_is_enough);
  pawl_rule_find(&table, 0, 0, &rule); /* another one would be faster: no threshold is needed */
  assert_int_equal(rule.count, 1);
  assert_int_equal(pawl_rule_choose(&rule, sizes), 1);
}

static void test_not_timed(void **state) {
  (void)state;
  /* the fastest of the first case does not work on the others */
  static const double ratios[] = {0.4, NAN, NAN, NAN, 0.5, 0.6, 0.6, 0.6};
  const struct pawl_rule_table table = {2, 4, 1, ratios, sizes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 1, 0, &rule);
  check_sum(&table, &rule);
  assert_int_equal(rule.count, 3);
  assert_int_equal(pawl_rule_choose(&rule, &sizes[0]), 0);
  assert_int_equal(pawl_rule_choose(&rule, &sizes[1]), 1);
  pawl_rule_find(&table, 0, 0, &rule);
  assert_false(rule.one_is_enough);
  assert_true(isinf(rule.one));
}

static void test_same_shapes(void **state) {
  (void)state;
  /* cases that differ in their type alone cannot be told apart by a size */
  static const int64_t shapes[] = {256, 256};
  static const double ratios[] = {0.5, 1, 1, 0.5, 0.8, 0.8};
  const struct pawl_rule_table table = {3, 2, 1, ratios, shapes};
  struct pawl_tune_rule rule;
  pawl_rule_find(&table, 0, 0, &rule);
  assert_int_equal(rule.count, 1);
  assert_true(rule.ratio > 0.7 && rule.best < 0.51);
}

/* Many cases and settings: it ends, and finds the threshold. */
static void test_large(void **state) {
  (void)state;
  enum { CASES = 27, SETTINGS = 12, DIMS = 3 };
  double ratios[SETTINGS * CASES];
  int64_t shapes[CASES * DIMS];
  struct pawl_tune_rule rule;
  for (int i = 0; i < CASES; i++) {
    const int levels[DIMS] = {i % 3, i / 3 % 3, i / 9};
    for (int dim = 0; dim < DIMS; dim++) shapes[i * DIMS + dim] = 16 << levels[dim];
    for (int setting = 0; setting < SETTINGS; setting++)
      ratios[setting * CASES + i] = setting == (levels[2] > 0 ? 5 : 9) ? 0.6 : 0.7 + 0.01 * setting;
  }
  const struct pawl_rule_table table = {SETTINGS, CASES, DIMS, ratios, shapes};
  pawl_rule_find(&table, 0, 0, &rule);
  check_sum(&table, &rule);
  assert_int_equal(rule.count, 3);
  assert_int_equal(rule.nodes[0].dim, 2);
  assert_int_equal(rule.nodes[1].setting, 9);
  assert_int_equal(rule.nodes[2].setting, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_threshold),      cmocka_unit_test(test_second_dimension),
      cmocka_unit_test(test_two_dimensions), cmocka_unit_test(test_band),
      cmocka_unit_test(test_simplest),       cmocka_unit_test(test_noise),
      cmocka_unit_test(test_small_gain),     cmocka_unit_test(test_ties),
      cmocka_unit_test(test_one_case),       cmocka_unit_test(test_not_timed),
      cmocka_unit_test(test_same_shapes),    cmocka_unit_test(test_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
