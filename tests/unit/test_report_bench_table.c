/* SPDX-License-Identifier: Apache-2.0 */
#include "report/bench_table.h"
#include "results_support.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

/* With an interval by process of `share` of the median to each side. */
static struct pawl_result measured(const char *kernel, const char *name, double ms, double share) {
  struct pawl_result result = timed_result(&arena, kernel, name, 64, 1);
  result.performance.median_ms = ms;
  result.performance.throughput_gflops = NAN;
  result.process_count = 6;
  result.processes = pawl_arena_alloc(&arena, 6, sizeof *result.processes);
  double *medians = pawl_arena_alloc(
      &arena, 6, sizeof *medians); /* the interval of six processes is their extremes */
  for (int i = 0; i < 6; i++) {
    medians[i] = ms * (1 + (i == 0 ? -share : i == 5 ? share : 0));
    result.processes[i] = (struct pawl_process_samples){&medians[i], 1};
  }
  return result;
}

static void test_ratio(void **state) {
  (void)state;
  const struct pawl_result fast = measured("a", "c", 2, 0.03), slow = measured("b", "c", 5, 0.04);
  struct pawl_ratio ratio = pawl_result_ratio(&fast, &slow);
  assert_near(ratio.times, 2.5, 1e-12);
  assert_near(ratio.half_width, 2.5 * 0.05, 1e-12); /* 3, 4, 5 */
  struct pawl_result few = slow;
  few.process_count = 5;
  assert_true(isnan(pawl_result_ratio(&fast, &few).half_width) != 0);
}

static void test_table(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct pawl_result rows[5] = {
      measured("sdpa", "small", 5, 0.04), measured("sdpa", "large", 20, 0.01),
      measured("torch", "small", 2, 0.03), measured("torch", "large", 20.06, 0.02),
      make_result("broken", make_case(&arena, "small", 64))};
  rows[4].outcome = PAWL_OUTCOME_CRASHED;
  rows[4].reason = "no\nanswer";
  const char *warning = "noisy";
  rows[1].warnings = &warning;
  rows[1].warning_count = 1;
  const struct pawl_results results = results_of(rows, 5);
  struct pawl_text text = {0};
  pawl_report_bench(&results, &pipe, &text);
  assert_string_equal(text.data,
                      "  case   kernel    median            95 % CI     CV  GFLOP/s  GB/s\n"
                      "  small  torch   2.000 ms  [1.940, 2.060] ms  0.3 %        -  8.00\n"
                      "         sdpa    5.000 ms  [4.800, 5.200] ms  0.3 %        -  8.00\n"
                      "         broken   crashed\n"
                      "  large  sdpa    20.00 ms  [19.80, 20.20] ms  0.3 %        -  8.00\n"
                      "         torch   20.06 ms  [19.66, 20.46] ms  0.3 %        -  8.00\n"
                      "\nsmall: torch is\n  2.50 +- 0.13 times faster than sdpa\n"
                      "\nlarge: sdpa is\n  not known to be faster than torch: 1.00 +- 0.02 times\n"
                      "\ncrashed: broken on small: no answer\nwarning: sdpa on large: noisy\n");
  pawl_text_clear(&text);
}

/* A row says how much of the limit that binds it the kernel reaches. A limit that pawl does not
   know leaves the cell empty. */
static void test_limit(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct pawl_result rows[3] = {measured("sdpa", "small", 5, 0.04),
                                measured("torch", "small", 2, 0.03),
                                measured("triton", "small", 3, 0.03)};
  rows[0].roofline = (struct pawl_roofline){.bottleneck = "compute", .efficiency_pct = 23.32};
  rows[1].roofline = (struct pawl_roofline){.bottleneck = "compute", .efficiency_pct = 58.3};
  rows[2].roofline = (struct pawl_roofline){.efficiency_pct = NAN};
  const struct pawl_results results = results_of(rows, 3);
  struct pawl_text text = {0};
  pawl_report_bench(&results, &pipe, &text);
  assert_non_null(strstr(text.data, "  GB/s    of the limit\n"));
  assert_non_null(strstr(text.data, "  8.00  compute 23.3 %\n"));
  assert_non_null(strstr(text.data, "  8.00  compute 58.3 %\n"));
  assert_non_null(strstr(text.data, "  8.00\n"));
  pawl_text_clear(&text);
}

/* Limits below 0 are no ratio: nothing may read "105.24 +- 88440.49 times faster". */
static void test_wide_intervals(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct pawl_result rows[2] = {measured("a", "c", 2, 0.9), measured("b", "c", 50, 0.8)};
  const struct pawl_results results = results_of(rows, 2);
  struct pawl_text text = {0};
  pawl_report_bench(&results, &pipe, &text);
  assert_non_null(strstr(
      text.data,
      "\nc: a is\n  not known to be faster than b: the intervals are too wide for a ratio\n"));
  assert_null(strstr(text.data, "times faster"));
  pawl_text_clear(&text);
}

/* All benchmarks of a harness share what its runs met. */
static void test_shared_warnings(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  const char *busy[] = {"2.1 CPUs busy", "0.9 CPUs busy", "13 CPUs busy", "2.1 CPUs busy"},
             *both[] = {"noisy", busy[1]};
  struct pawl_result rows[4] = {measured("h", "a", 1, 0.1), measured("h", "b", 1, 0.1),
                                measured("h", "c", 1, 0.1), measured("k", "a", 1, 0.1)};
  for (int i = 0; i < 4; i++) {
    rows[i].warnings = i == 1 ? both : &busy[i];
    rows[i].warning_count = i == 1 ? 2 : 1;
  }
  const struct pawl_results results = results_of(rows, 4);
  struct pawl_text text = {0};
  pawl_report_bench(&results, &pipe, &text);
  const char *warnings = strstr(text.data, "warning:");
  assert_non_null(warnings);
  assert_string_equal(warnings,
                      "warning: h on a: 2.1 CPUs busy (2 more like it)\nwarning: k on a: 2.1 CPUs "
                      "busy\nwarning: h on b: noisy\n");
  pawl_text_clear(&text);
}

/* The report names a failure once if all cases have it for one reason. It names another reason,
   or another kernel, too. */
static void test_shared_failures(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  static const char *const reasons[] = {"no main", "no main", "bad flag", "no main"};
  struct pawl_result rows[4];
  for (int i = 0; i < 4; i++) {
    rows[i] = make_result(i == 3 ? "k" : "h", make_case(&arena,
                                                        i == 0   ? "a"
                                                        : i == 1 ? "b"
                                                                 : "c",
                                                        64));
    rows[i].outcome = PAWL_OUTCOME_BUILD;
    rows[i].reason = reasons[i];
  }
  const struct pawl_results results = results_of(rows, 4);
  struct pawl_text text = {0};
  pawl_report_bench(&results, &pipe, &text);
  const char *failures = strstr(text.data, "\n\nbuild_failed:");
  assert_non_null(failures);
  assert_string_equal(
      failures,
      "\n\nbuild_failed: h on a: no main (1 more like it)\nbuild_failed: h on c: bad flag\n"
      "build_failed: k on c: no main\n");
  pawl_text_clear(&text);
}

static void test_nothing(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  const struct pawl_results results = results_of(NULL, 0);
  struct pawl_text text = {0};
  pawl_report_bench(&results, &pipe, &text);
  assert_string_equal(pawl_text_string(&text), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_ratio, clear_arena),
      cmocka_unit_test_teardown(test_table, clear_arena),
      cmocka_unit_test_teardown(test_limit, clear_arena),
      cmocka_unit_test_teardown(test_wide_intervals, clear_arena),
      cmocka_unit_test_teardown(test_shared_warnings, clear_arena),
      cmocka_unit_test_teardown(test_shared_failures, clear_arena),
      cmocka_unit_test(test_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
