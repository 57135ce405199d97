/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/selftest.h"
#include "results_support.h"
#include "stats/binomial.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status != PAWL_OK) fail_msg("%s", err->message);
}

/* Through text, as a file would hold it. */
static json_t *through_text(json_t *value) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error err = {0};
  json_t *read = NULL;
  pawl_json_write_text(value, true, &text);
  json_decref(value);
  must(pawl_json_parse(text.data, text.length, "verdict.json", false, &read, &err), &err);
  return read;
}

/* Reference values: scipy.stats.binomtest(k, n).proportion_ci(method='exact'), binom.sf. */
static void test_binomial(void **state) {
  (void)state;
  double low, high;
  pawl_clopper_pearson(100, 0, 0.95, &low, &high);
  assert_near(low, 0, 0);
  assert_near(high, 0.036216693, 1e-8);
  pawl_clopper_pearson(20, 19, 0.95, &low, &high);
  assert_near(low, 0.751267, 1e-6);
  assert_near(high, 0.998735, 1e-6);
  pawl_clopper_pearson(0, 0, 0.95, &low, &high);
  assert_near(low, 0, 0);
  assert_near(high, 1, 0);
  assert_near(pawl_binomial_upper_tail(100, 1, 0.001), 0.0952078528, 1e-9);
  assert_near(pawl_binomial_upper_tail(10, 3, 0.5), 0.9453125, 1e-12);
  assert_true(isnan(pawl_binomial_upper_tail(10, 3, 1.5)));
}

static struct pawl_selftest selftest_of(int trials, int flagged) {
  struct pawl_selftest selftest = {
      .kernel_name = "k",
      .case_name = "c",
      .hardware = "cpu",
      .policy = pawl_sequential_default_policy(),
      .base_ms = 1,
      .delay_ms = 0.05,
      .samples = 20,
      .trials = pawl_arena_alloc(&arena, (size_t)trials * 2, sizeof(struct pawl_selftest_trial)),
      .count = (size_t)trials * 2};
  for (int i = 0; i < trials; i++) {
    const enum pawl_decision decision =
        i < flagged ? PAWL_DECISION_IMPROVEMENT : PAWL_DECISION_MAINTAINED;
    selftest.trials[2 * i] = (struct pawl_selftest_trial){
        0, pawl_selftest_seed(42, (size_t)i), decision, 8, 0, 0.001, 0.01};
    selftest.trials[2 * i + 1] = (struct pawl_selftest_trial){
        0.03, 1, i % 2 ? PAWL_DECISION_REGRESSION : PAWL_DECISION_INCONCLUSIVE, 12, 1, 0.03, NAN};
  }
  return selftest;
}

static void test_calibration(void **state) {
  (void)state;
  const struct pawl_selftest clean = selftest_of(200, 0), lucky = selftest_of(200, 1),
                             bad = selftest_of(200, 3);
  assert_false(pawl_selftest_failed(&clean));
  assert_false(pawl_selftest_failed(&lucky)); /* one of 200 comes with probability 18 % */
  assert_true(pawl_selftest_failed(&bad));    /* three of 200: 0.1 % */
  const struct pawl_selftest two = selftest_of(2, 0), enough = selftest_of(17, 0);
  assert_string_equal(pawl_selftest_word(&two), "too few trials to tell");
  assert_string_equal(pawl_selftest_word(&enough), "passed");
  assert_string_equal(pawl_selftest_word(&bad), "FAILED");
  struct pawl_selftest_tally tally;
  pawl_selftest_tally(&bad, 0.03, &tally);
  assert_int_equal(tally.trials, 200);
  assert_int_equal(tally.flagged, 100);
  assert_near(tally.rate, 0.5, 0);
  assert_near(tally.median_blocks, 12, 0);
  assert_true(tally.low > 0.42 && tally.high < 0.58);
}

/* A call of no length once read as 1e-06 ms: every slow-down of it was then a change of the delay
 * alone. */
static void test_call_beside_its_delay(void **state) {
  const double shortest = PAWL_SELFTEST_SHORTEST_DELAY_MS;
  const double too_short[] = {0, shortest / 2, shortest, shortest + 1e-6, shortest * 1.009, NAN};
  struct pawl_selftest selftest = {
      .kernel_name = "k", .case_name = "c", .base_ms = NAN, .delay_ms = NAN};
  struct pawl_error err = {0};
  (void)state;
  for (size_t i = 0; i < sizeof too_short / sizeof *too_short; i++) {
    assert_int_equal(pawl_selftest_calibrate(&selftest, too_short[i], &err), PAWL_UNAVAILABLE);
    assert_non_null(strstr(err.message, "kernel 'k' on 'c' is too short"));
    assert_true(isnan(selftest.base_ms) && isnan(selftest.delay_ms));
  }
  must(pawl_selftest_calibrate(&selftest, shortest + 0.01, &err), &err);
  assert_near(selftest.base_ms, 0.01, 1e-15);
  assert_near(selftest.delay_ms, shortest, 0);
  must(pawl_selftest_calibrate(&selftest, shortest + 10, &err), &err);
  assert_near(selftest.delay_ms, 0.5, 1e-15);
}

static void test_selftest_survives_its_file(void **state) {
  (void)state;
  struct pawl_error err = {0};
  struct pawl_selftest again;
  const struct pawl_selftest selftest = selftest_of(20, 2);
  PAWL_CLEANUP(pawl_json_release) json_t *document = through_text(pawl_selftest_to_json(&selftest));
  must(pawl_selftest_from_json(document, "s", &arena, &again, &err), &err);
  PAWL_CLEANUP(pawl_json_release) json_t *twice = pawl_selftest_to_json(&again);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text a = {0}, b = {0};
  pawl_json_write_text(document, true, &a);
  pawl_json_write_text(twice, true, &b);
  assert_string_equal(a.data, b.data);
  assert_true(isnan(again.trials[1].block_sd)); /* unknown stays unknown */
  pawl_text_clear(&b);
  json_array_append_new(json_object_get(document, "trials"), json_object());
  assert_int_equal(pawl_selftest_from_json(document, "s", &arena, &again, &err), PAWL_BAD_DATA);
}

static void test_seeds_are_far_apart(void **state) {
  (void)state;
  assert_true(pawl_selftest_seed(42, 1) - pawl_selftest_seed(42, 0) >
              1000000 + 2 * PAWL_SIGN_MAX_BLOCKS);
  assert_true(pawl_selftest_seed(42, 0) > 42 + 1000000 + 2 * PAWL_SIGN_MAX_BLOCKS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_binomial),
      cmocka_unit_test_teardown(test_calibration, clear_arena),
      cmocka_unit_test(test_call_beside_its_delay),
      cmocka_unit_test_teardown(test_selftest_survives_its_file, clear_arena),
      cmocka_unit_test(test_seeds_are_far_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
