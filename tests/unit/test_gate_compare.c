/* SPDX-License-Identifier: Apache-2.0 */
/* Expected numbers are numpy 1.24.2's and scipy 1.10.1's: medians by numpy.median, p by
   mannwhitneyu(c, b, alternative='two-sided', method='auto'), Cliff's delta as the mean of sign(b_i
   - c_j) over all pairs, intervals by scipy.stats.bootstrap(method='percentile',
   n_resamples=10000), whose random numbers are not ours. */
#include "gate/compare.h"
#include "results_support.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static const struct pawl_compare_options rule = {0};

static struct pawl_comparison compare_one(struct pawl_result baseline, struct pawl_result candidate,
                                          const struct pawl_compare_options *options) {
  const struct pawl_results b = results_of(&baseline, 1), c = results_of(&candidate, 1);
  struct pawl_comparisons out;
  struct pawl_error err = {0};
  if (pawl_compare(&b, &c, options, &arena, &out, &err) != PAWL_OK) fail_msg("%s", err.message);
  assert_int_equal(out.count, 1);
  return out.items[0];
}

static struct pawl_comparison compare_scales(double baseline, double candidate) {
  return compare_one(timed_result(&arena, "k", "c", 64, baseline),
                     timed_result(&arena, "k", "c", 64, candidate), &rule);
}

static void refuses(struct pawl_result baseline, struct pawl_result candidate,
                    const struct pawl_compare_options *options, const char *words) {
  const struct pawl_results b = results_of(&baseline, 1), c = results_of(&candidate, 1);
  struct pawl_comparisons out = {(struct pawl_comparison *)&arena, 77};
  struct pawl_error err = {0};
  assert_int_equal(pawl_compare(&b, &c, options, &arena, &out, &err), PAWL_BAD_DATA);
  if (!strstr(err.message, words)) fail_msg("'%s' does not say '%s'", err.message, words);
  assert_int_equal(out.count, 77);
}

static enum pawl_status_code status_of(struct pawl_comparison item) {
  const struct pawl_comparisons one = {&item, 1};
  return pawl_comparisons_status(&one);
}

/* --- the rule --- */

static void test_regression(void **state) {
  (void)state;
  const struct pawl_comparison item = compare_scales(1, 1.04);
  assert_int_equal(item.verdict, PAWL_VERDICT_REGRESSION);
  assert_near(item.baseline_ms, 1.00495, 1e-12);
  assert_near(item.current_ms, 1.045148, 1e-12);
  assert_near(item.delta_pct, -4, 1e-9);
  assert_near(item.speedup, 0.9615384615384616, 1e-12);
  assert_near(item.cliffs_delta, -1, 0);
  assert_string_equal(item.cliffs_label, "large");
  assert_true(fabs(item.mann_whitney_p / 2.562143669163401e-34 - 1) < 1e-6);
  assert_true(item.ci_known && !item.ci_overlap);
  assert_near(item.baseline_ci_low, 1.004, 0.0003);
  assert_near(item.baseline_ci_high, 1.0059, 0.0003);
  assert_near(item.current_ci_low, 1.04416, 0.0003);
  assert_near(item.current_ci_high, 1.046136, 0.0003);
  assert_int_equal(item.baseline_count, 100);
  assert_int_equal(status_of(item), PAWL_FAILED);
}

static void test_improvement_needs_ten_percent(void **state) {
  (void)state;
  const struct pawl_comparison fast = compare_scales(1, 0.88), little = compare_scales(1, 0.93);
  assert_int_equal(fast.verdict, PAWL_VERDICT_IMPROVEMENT);
  assert_near(fast.delta_pct, 12, 1e-9);
  assert_near(fast.cliffs_delta, 1, 0);
  assert_int_equal(status_of(fast), PAWL_OK);
  assert_int_equal(little.verdict, PAWL_VERDICT_MAINTAINED);
  assert_near(little.delta_pct, 7, 1e-9);
  assert_int_equal(status_of(little), PAWL_OK);
}

static void test_small_loss_is_maintained(void **state) {
  (void)state;
  assert_int_equal(compare_scales(1, 1.02).verdict, PAWL_VERDICT_MAINTAINED);
  /* exactly 3 % and exactly 10 % are not more than 3 % and 10 %, whatever binary fractions make of
   * them */
  assert_int_equal(compare_scales(1, 1.03).verdict, PAWL_VERDICT_MAINTAINED);
  assert_int_equal(compare_scales(1, 1.0301).verdict, PAWL_VERDICT_REGRESSION);
  assert_int_equal(compare_scales(1, 0.90).verdict, PAWL_VERDICT_MAINTAINED);
  assert_int_equal(compare_scales(1, 0.8999).verdict, PAWL_VERDICT_IMPROVEMENT);
}

static void test_no_difference(void **state) {
  (void)state;
  const struct pawl_comparison near = compare_scales(1, 1.001), same = compare_scales(1, 1);
  assert_int_equal(near.verdict, PAWL_VERDICT_NO_DIFFERENCE);
  assert_near(near.cliffs_delta, -0.1989, 1e-12);
  assert_near(near.mann_whitney_p, 0.015151833657795979, 1e-8);
  assert_int_equal(status_of(near), PAWL_UNDECIDED);
  assert_int_equal(same.verdict, PAWL_VERDICT_NO_DIFFERENCE);
  assert_near(same.delta_pct, 0, 0);
  assert_near(same.mann_whitney_p, 1, 0);
  assert_int_equal(status_of(same), PAWL_UNDECIDED);
}

static void test_overlap_forgives_a_large_loss(void **state) {
  (void)state;
  double few_before[] = {1.0, 1.1, 1.2, 1.3, 1.4},
         few_after[] = {1.15, 1.25, 1.35, 1.45, 1.55, 1.65};
  struct pawl_result before = make_result("k", make_case(&arena, "c", 64)), after = before;
  before.performance.samples_ms = few_before, before.performance.sample_count = 5;
  after.performance.samples_ms = few_after, after.performance.sample_count = 6;
  const struct pawl_comparison item = compare_one(before, after, &rule);
  assert_near(item.delta_pct, -16.666666666666664, 1e-9);
  assert_near(item.cliffs_delta, -0.6, 1e-12);
  assert_near(item.mann_whitney_p, 0.12554112554112554, 1e-9); /* exact */
  assert_true(item.ci_overlap);
  assert_int_equal(item.verdict, PAWL_VERDICT_NO_DIFFERENCE);
}

static void test_order_of_samples_is_nothing(void **state) {
  (void)state;
  struct pawl_result before = timed_result(&arena, "k", "c", 64, 1),
                     after = timed_result(&arena, "k", "c", 64, 1.02);
  const struct pawl_comparison first = compare_one(before, after, &rule);
  for (int shift = 1; shift < 100; shift += 7) {
    double *turned = pawl_arena_alloc(&arena, 100, sizeof *turned);
    for (int i = 0; i < 100; i++) turned[i] = before.performance.samples_ms[(i * 11 + shift) % 100];
    struct pawl_result other = before;
    other.performance.samples_ms = turned;
    const struct pawl_comparison again = compare_one(other, after, &rule);
    assert_near(again.baseline_ci_low, first.baseline_ci_low, 0);
    assert_near(again.baseline_ci_high, first.baseline_ci_high, 0);
    assert_near(again.mann_whitney_p, first.mann_whitney_p, 0);
    assert_near(again.cliffs_delta, first.cliffs_delta, 0);
    assert_near(again.delta_pct, first.delta_pct, 0);
    assert_int_equal(again.verdict, first.verdict);
  }
}

/* --- figures without samples, and files that lie --- */

static struct pawl_result figures(double median, double low, double high) {
  struct pawl_result result = make_result("k", make_case(&arena, "c", 64));
  result.performance.median_ms = median;
  result.performance.ci_95_low = low;
  result.performance.ci_95_high = high;
  return result;
}

static void test_intervals_of_the_file_do(void **state) {
  (void)state;
  struct pawl_comparison item =
      compare_one(figures(1, 0.99, 1.01), figures(1.1, 1.09, 1.11), &rule);
  assert_int_equal(item.verdict, PAWL_VERDICT_REGRESSION);
  assert_true(isnan(item.cliffs_delta) && isnan(item.mann_whitney_p));
  /* (1 - 1.03) * 100 is a little below -3 in binary; more than 3 % it is not */
  item = compare_one(figures(1, 0.999, 1.001), figures(1.03, 1.029, 1.031), &rule);
  assert_true(item.delta_pct < -3);
  assert_int_equal(item.verdict, PAWL_VERDICT_MAINTAINED);
  item = compare_one(figures(1, 0.99, 1.01), figures(1.1, 1.01, 1.2),
                     &rule); /* touching is overlapping */
  assert_int_equal(item.verdict, PAWL_VERDICT_NO_DIFFERENCE);
  item = compare_one(figures(1, 0.99, 1.01), figures(0.5, 0.49, 0.51),
                     &rule); /* no effect size, no improvement */
  assert_int_equal(item.verdict, PAWL_VERDICT_MAINTAINED);
  assert_non_null(item.reason);
}

static void test_bad_figures_are_refused(void **state) {
  (void)state;
  struct pawl_result good = timed_result(&arena, "k", "c", 64, 1), bad = good;
  refuses(figures(1, NAN, NAN), good, &rule, "the baseline has neither two samples nor a median");
  refuses(good, figures(1, NAN, NAN), &rule, "the candidate has neither two samples nor a median");
  const double wrong[] = {NAN, INFINITY, -1, 0};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    bad = timed_result(&arena, "k", "c", 64, 1);
    bad.performance.samples_ms[17] = wrong[i];
    refuses(good, bad, &rule, "number 18");
    refuses(bad, good, &rule, "number 18");
  }
  refuses(good, figures(1, 1.2, 0.9), &rule, "confidence interval");
  refuses(good, figures(-1, 0.9, 1.2), &rule, "finite and positive");
  bad = timed_result(&arena, "k", "c", 64, 1);
  bad.performance.median_ms = 0.5; /* as if somebody had edited the median alone */
  refuses(good, bad, &rule, "contradicts itself");
}

static void test_threshold_mode(void **state) {
  (void)state;
  const struct pawl_compare_options three = {.threshold_mode = true, .threshold = -3};
  struct pawl_comparison item = compare_one(figures(1, NAN, NAN), figures(1.031, NAN, NAN), &three);
  assert_int_equal(item.verdict, PAWL_VERDICT_REGRESSION);
  assert_int_equal(compare_one(figures(1, NAN, NAN), figures(1.03, NAN, NAN), &three).verdict,
                   PAWL_VERDICT_MAINTAINED);
  assert_int_equal(compare_one(figures(1, NAN, NAN), figures(1, NAN, NAN), &three).verdict,
                   PAWL_VERDICT_MAINTAINED);
  struct pawl_result mean = figures(NAN, NAN, NAN), both = figures(1, NAN, NAN);
  mean.performance.mean_time_ms = 2;
  both.performance.mean_time_ms = 2; /* like is compared with like: the means are equal */
  assert_int_equal(compare_one(both, mean, &three).verdict, PAWL_VERDICT_MAINTAINED);
  refuses(mean, mean, &rule, "compare with --threshold");
  mean.performance.ci_95_low = 1.9,
  mean.performance.ci_95_high = 2.1; /* an interval of a median that is not given */
  refuses(mean, mean, &rule, "compare with --threshold");
  const struct pawl_results none = results_of(&mean, 1);
  struct pawl_comparisons out;
  struct pawl_error err = {0};
  const struct pawl_compare_options nan_threshold = {.threshold_mode = true, .threshold = NAN};
  assert_int_equal(pawl_compare(&none, &none, &nan_threshold, &arena, &out, &err), PAWL_USAGE);
}

/* --- pairing and what stands on one side only --- */

static struct pawl_comparisons compare_lists(struct pawl_result *b, size_t b_count,
                                             struct pawl_result *c, size_t c_count) {
  const struct pawl_results baseline = results_of(b, b_count), candidate = results_of(c, c_count);
  struct pawl_comparisons out;
  struct pawl_error err = {0};
  if (pawl_compare(&baseline, &candidate, &rule, &arena, &out, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return out;
}

static void test_pairs_by_name_then_shape(void **state) {
  (void)state;
  struct pawl_result b[] = {timed_result(&arena, "k", "one", 64, 1),
                            timed_result(&arena, "k", "two", 128, 2)};
  struct pawl_result c[] = {timed_result(&arena, "k", "zwei", 128, 2.2),
                            timed_result(&arena, "k", "one", 64, 1.02)};
  struct pawl_dim turned[4]; /* the same shape, its dimensions in another order */
  for (int i = 0; i < 4; i++) turned[i] = c[0].config.dims[3 - i];
  c[0].config.dims = turned;
  const struct pawl_comparisons out = compare_lists(b, 2, c, 2);
  assert_int_equal(out.count, 2);
  assert_int_equal(out.items[0].verdict, PAWL_VERDICT_REGRESSION);
  assert_string_equal(out.items[0].reason, "the baseline has the same shape as case 'two'");
  assert_int_equal(out.items[1].verdict, PAWL_VERDICT_MAINTAINED);
}

static void test_a_renamed_kernel_is_loud(void **state) {
  (void)state;
  struct pawl_result b[] = {timed_result(&arena, "k", "one", 64, 1),
                            timed_result(&arena, "l", "one", 64, 1)};
  struct pawl_result c[] = {timed_result(&arena, "k", "one", 64, 1),
                            timed_result(&arena, "m", "one", 64, 0.5)};
  const struct pawl_comparisons out = compare_lists(b, 2, c, 2);
  assert_int_equal(out.count, 3);
  assert_int_equal(out.items[1].verdict, PAWL_VERDICT_NEW);
  assert_int_equal(out.items[2].verdict, PAWL_VERDICT_MISSING);
  assert_string_equal(out.items[2].kernel_name, "l");
  assert_int_equal(pawl_comparisons_status(&out), PAWL_FAILED);
}

static void test_a_changed_shape_is_not_the_same_case(void **state) {
  (void)state;
  struct pawl_result b[] = {timed_result(&arena, "k", "one", 64, 1),
                            timed_result(&arena, "k", "two", 96, 1)};
  struct pawl_result c[] = {timed_result(&arena, "k", "one", 128, 1),
                            timed_result(&arena, "k", "two", 96, 1)};
  const struct pawl_comparisons out = compare_lists(b, 2, c, 2);
  assert_int_equal(out.count, 3);
  assert_int_equal(out.items[0].verdict, PAWL_VERDICT_NEW);
  assert_int_equal(out.items[2].verdict, PAWL_VERDICT_MISSING);
}

static void test_files_without_kernel_names(void **state) {
  (void)state;
  struct pawl_result b[] = {timed_result(&arena, PAWL_KERNEL_UNNAMED, "one", 64, 1)};
  struct pawl_result c[] = {timed_result(&arena, "k", "one", 64, 1.1),
                            timed_result(&arena, "k", "two", 128, 1)};
  const struct pawl_comparisons out = compare_lists(b, 1, c, 2);
  assert_int_equal(out.count, 2);
  assert_int_equal(out.items[0].verdict, PAWL_VERDICT_REGRESSION);
  assert_int_equal(out.items[1].verdict, PAWL_VERDICT_NEW);
  /* two single results of different kernels are what the user asked to compare */
  struct pawl_result one = timed_result(&arena, "a", "one", 64, 1),
                     other = timed_result(&arena, "b", "one", 64, 1.1);
  assert_int_equal(compare_one(one, other, &rule).verdict, PAWL_VERDICT_REGRESSION);
  assert_string_equal(compare_one(one, other, &rule).reason,
                      "the comparison is with another kernel, 'a'");
}

static void test_duplicates_are_refused(void **state) {
  (void)state;
  struct pawl_result twice[] = {timed_result(&arena, "k", "one", 64, 1),
                                timed_result(&arena, "k", "one", 64, 2)};
  const struct pawl_results two = results_of(twice, 2), one = results_of(twice, 1);
  struct pawl_comparisons out;
  struct pawl_error err = {0};
  assert_int_equal(pawl_compare(&two, &one, &rule, &arena, &out, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "the baseline has two results of kernel 'k', case 'one'"));
  assert_int_equal(pawl_compare(&one, &two, &rule, &arena, &out, &err), PAWL_BAD_DATA);
}

static enum pawl_verdict outcome_verdict(enum pawl_outcome before, enum pawl_outcome after) {
  struct pawl_result b = timed_result(&arena, "k", "c", 64, 1),
                     c = timed_result(&arena, "k", "c", 64, 0.1);
  b.outcome = before;
  c.outcome = after;
  return compare_one(b, c, &rule).verdict;
}

static void test_failures_are_never_improvements(void **state) {
  (void)state;
  assert_int_equal(outcome_verdict(PAWL_OUTCOME_OK, PAWL_OUTCOME_OK), PAWL_VERDICT_IMPROVEMENT);
  const enum pawl_outcome failures[] = {PAWL_OUTCOME_WRONG, PAWL_OUTCOME_BUILD,
                                        PAWL_OUTCOME_CRASHED};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(outcome_verdict(PAWL_OUTCOME_OK, failures[i]), PAWL_VERDICT_BROKEN);
    assert_int_equal(outcome_verdict(failures[i], failures[i]), PAWL_VERDICT_BROKEN);
    assert_int_equal(outcome_verdict(failures[i], PAWL_OUTCOME_OK), PAWL_VERDICT_NEW);
  }
  assert_int_equal(outcome_verdict(PAWL_OUTCOME_OK, PAWL_OUTCOME_UNSUPPORTED),
                   PAWL_VERDICT_DROPPED);
  assert_int_equal(outcome_verdict(PAWL_OUTCOME_OK, PAWL_OUTCOME_DROPPED), PAWL_VERDICT_DROPPED);
  assert_int_equal(outcome_verdict(PAWL_OUTCOME_UNSUPPORTED, PAWL_OUTCOME_DROPPED),
                   PAWL_VERDICT_DROPPED);
  assert_int_equal(outcome_verdict(PAWL_OUTCOME_OK, PAWL_OUTCOME_ABSENT),
                   PAWL_VERDICT_INCONCLUSIVE);
  assert_int_equal(outcome_verdict(PAWL_OUTCOME_UNSUPPORTED, PAWL_OUTCOME_UNSUPPORTED),
                   PAWL_VERDICT_UNSUPPORTED);
  struct pawl_result b = timed_result(&arena, "k", "c", 64, 1),
                     c = timed_result(&arena, "k", "c", 64, 0.1);
  c.correctness.passed = false; /* an older file has no outcome, only this */
  assert_int_equal(compare_one(b, c, &rule).verdict, PAWL_VERDICT_BROKEN);
  struct pawl_result untimed = make_result("k", make_case(&arena, "c", 64));
  assert_int_equal(compare_one(b, untimed, &rule).verdict, PAWL_VERDICT_BROKEN);
}

static void test_status_of_several(void **state) {
  (void)state;
  struct pawl_comparison items[3] = {0};
  const struct pawl_comparisons all = {items, 3}, none = {items, 0};
  items[0].verdict = items[1].verdict = items[2].verdict = PAWL_VERDICT_MAINTAINED;
  assert_int_equal(pawl_comparisons_status(&all), PAWL_OK);
  items[1].verdict = PAWL_VERDICT_NO_DIFFERENCE;
  assert_int_equal(pawl_comparisons_status(&all), PAWL_UNDECIDED);
  items[2].verdict = PAWL_VERDICT_REGRESSION;
  assert_int_equal(pawl_comparisons_status(&all), PAWL_FAILED);
  items[0].verdict = items[1].verdict = items[2].verdict = PAWL_VERDICT_UNSUPPORTED;
  assert_int_equal(pawl_comparisons_status(&all), PAWL_UNDECIDED);
  assert_int_equal(pawl_comparisons_status(&none), PAWL_UNDECIDED);
}

/* Several CPUs share 1000 rows. Each row says what it says alone, and the first bad row is named.
 */
static void test_many_rows(void **state) {
  (void)state;
  enum { ROWS = 1000 };
  struct pawl_result base[ROWS], candidate[ROWS];
  for (int i = 0; i < ROWS; i++) {
    const char *name = pawl_arena_printf(&arena, "c%d", i);
    base[i] = timed_result(&arena, "k", name, 64 + i, 1);
    candidate[i] = timed_result(&arena, "k", name, 64 + i, 1 + 0.0001 * (i % 700));
  }
  const struct pawl_results b = results_of(base, ROWS), c = results_of(candidate, ROWS);
  struct pawl_comparisons out;
  struct pawl_error err = {0};
  assert_int_equal(pawl_compare(&b, &c, &rule, &arena, &out, &err), PAWL_OK);
  assert_int_equal(out.count, ROWS);
  for (int i = 0; i < ROWS; i += 37) {
    const struct pawl_comparison alone = compare_one(base[i], candidate[i], &rule);
    assert_string_equal(out.items[i].config.name, base[i].config.name);
    assert_int_equal(out.items[i].verdict, alone.verdict);
    assert_near(out.items[i].mann_whitney_p, alone.mann_whitney_p, 0);
    assert_near(out.items[i].current_ci_high, alone.current_ci_high, 0);
  }
  candidate[900].performance.median_ms = candidate[333].performance.median_ms = -1;
  assert_int_equal(pawl_compare(&b, &c, &rule, &arena, &out, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "'c333'"));
}

static void test_json(void **state) {
  (void)state;
  struct pawl_comparison items[2] = {compare_scales(1, 1.04), compare_scales(1, 1)};
  const struct pawl_comparisons one = {items, 1}, two = {items, 2};
  json_t *flat = pawl_comparisons_to_json(&one), *list = pawl_comparisons_to_json(&two);
  const char *const keys[] = {
      "speedup",        "improvement_pct", "is_regression", "baseline_time_ms", "current_time_ms",
      "threshold",      "delta_pct",       "ci_overlap",    "cliffs_delta",     "cliffs_label",
      "mann_whitney_p", "verdict",         "schema_version"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    assert_non_null(json_object_get(flat, keys[i]));
  assert_true(json_is_true(json_object_get(flat, "is_regression")));
  assert_near(json_real_value(json_object_get(flat, "improvement_pct")), -4, 1e-9);
  assert_int_equal(json_array_size(json_object_get(list, "comparisons")), 2);
  const json_t *same = json_array_get(json_object_get(list, "comparisons"), 1);
  assert_string_equal(json_string_value(json_object_get(same, "verdict")),
                      "no significant difference");
  assert_near(json_real_value(json_object_get(same, "delta_pct")), 0, 0); /* 0, not null */
  json_decref(flat);
  json_decref(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_regression, clear_arena),
      cmocka_unit_test_teardown(test_improvement_needs_ten_percent, clear_arena),
      cmocka_unit_test_teardown(test_small_loss_is_maintained, clear_arena),
      cmocka_unit_test_teardown(test_no_difference, clear_arena),
      cmocka_unit_test_teardown(test_overlap_forgives_a_large_loss, clear_arena),
      cmocka_unit_test_teardown(test_order_of_samples_is_nothing, clear_arena),
      cmocka_unit_test_teardown(test_intervals_of_the_file_do, clear_arena),
      cmocka_unit_test_teardown(test_bad_figures_are_refused, clear_arena),
      cmocka_unit_test_teardown(test_threshold_mode, clear_arena),
      cmocka_unit_test_teardown(test_pairs_by_name_then_shape, clear_arena),
      cmocka_unit_test_teardown(test_a_renamed_kernel_is_loud, clear_arena),
      cmocka_unit_test_teardown(test_a_changed_shape_is_not_the_same_case, clear_arena),
      cmocka_unit_test_teardown(test_files_without_kernel_names, clear_arena),
      cmocka_unit_test_teardown(test_duplicates_are_refused, clear_arena),
      cmocka_unit_test_teardown(test_failures_are_never_improvements, clear_arena),
      cmocka_unit_test_teardown(test_status_of_several, clear_arena),
      cmocka_unit_test_teardown(test_many_rows, clear_arena),
      cmocka_unit_test_teardown(test_json, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
