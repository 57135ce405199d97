/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that were not measured side by side: intervals by process, and what they are allowed to
 * decide. */
#include <unistd.h>

#include "base/philox.h"
#include "gate/compare.h"
#include "gate/ratchet.h"
#include "gate/result_interval.h"
#include "model/gate_rules.h"
#include "results_support.h"
#include "stats/variates.h"

enum { PROCESSES = 6, SAMPLES = 5 }; /* the processes of a run, the samples of a process */

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

/* Kernel k on case c: process i has the median medians[i], and samples within 0.2 % of it. */
static struct pawl_result run_of(const double *medians, size_t count) {
  struct pawl_result result = make_result("k", make_case(&arena, "c", 64));
  struct pawl_performance *p = &result.performance;
  p->samples_ms = pawl_arena_alloc(&arena, count * SAMPLES, sizeof(double));
  p->sample_count = count * SAMPLES;
  result.processes = pawl_arena_alloc(&arena, count, sizeof *result.processes);
  result.process_count = count;
  for (size_t i = 0; i < count; i++) {
    double *samples = p->samples_ms + i * SAMPLES;
    for (int j = 0; j < SAMPLES; j++) samples[j] = medians[i] * (1 + 0.001 * (j - SAMPLES / 2));
    result.processes[i] = (struct pawl_process_samples){samples, SAMPLES};
  }
  return result;
}

/* Six processes about `centre`, 1 % apart from the least to the greatest. */
static struct pawl_result steady_run(double centre) {
  double medians[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) medians[i] = centre * (1 + 0.002 * (i - 2.5));
  return run_of(medians, PROCESSES);
}

static struct pawl_comparison compare(struct pawl_result baseline, struct pawl_result candidate) {
  const struct pawl_results b = results_of(&baseline, 1), c = results_of(&candidate, 1);
  const struct pawl_compare_options rule = {0};
  struct pawl_comparisons out;
  struct pawl_error err = {0};
  if (pawl_compare(&b, &c, &rule, &arena, &out, &err) != PAWL_OK) fail_msg("%s", err.message);
  return out.items[0];
}

static struct pawl_ratchet_row judge(struct pawl_baseline *baseline, struct pawl_result *result,
                                     double between_runs) {
  const struct pawl_ratchet_options options = {
      .gate = {.detect = 0.03, .improve = 0.05, .between_runs = between_runs}, .update = true};
  const struct pawl_results results = results_of(result, 1);
  struct pawl_ratchet_report report;
  struct pawl_error err = {0};
  if (pawl_ratchet(baseline, &results, &options, &arena, &report, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  assert_int_equal(report.count, 1);
  return report.rows[0];
}

/* The verdict on a run `factor` as long as the run that recorded the baseline. */
static struct pawl_comparison judge_factor(double factor, double between_runs) {
  struct pawl_baseline baseline = {0};
  struct pawl_result first = steady_run(1), next = steady_run(factor);
  judge(&baseline, &first, between_runs);
  return judge(&baseline, &next, between_runs).comparison;
}

static void the_interval_is_over_processes(void **state) {
  (void)state;
  const double medians[] = {1.03, 1.00, 1.05, 1.02, 1.01, 1.04};
  double low, high;
  struct pawl_result result = run_of(medians, 6);
  result.performance.ci_95_low = 1.02, result.performance.ci_95_high = 1.03;
  assert_true(pawl_result_interval(&result, &low, &high));
  assert_true(low == 1.00 && high == 1.05);
  result.process_count = 5;
  assert_true(pawl_result_interval(&result, &low, &high));
  assert_true(isnan(low) && isnan(high));
  result.process_count = 0;
  assert_false(pawl_result_interval(&result, &low, &high)); /* as the file says */
  assert_true(low == 1.02 && high == 1.03);
}

static void compare_judges_by_process(void **state) {
  (void)state;
  const double here[] = {1.00, 1.01, 1.02, 1.03, 1.04, 1.10},
               there[] = {1.05, 1.06, 1.07, 1.08, 1.09, 1.10};
  struct pawl_comparison item =
      compare(run_of(here, 6), run_of(there, 6)); /* 4.9 % apart: the samples' CIs, too */
  assert_int_equal(item.verdict, PAWL_VERDICT_NO_DIFFERENCE);
  assert_true(item.ci_known && item.ci_overlap);
  assert_int_equal(item.baseline_ci_of, PAWL_INTERVAL_PROCESSES);
  assert_int_equal(item.current_ci_of, PAWL_INTERVAL_PROCESSES);
  item = compare(steady_run(1), steady_run(1.05));
  assert_int_equal(item.verdict, PAWL_VERDICT_REGRESSION);
  item = compare(steady_run(1), steady_run(0.8));
  assert_int_equal(item.verdict, PAWL_VERDICT_IMPROVEMENT);
  item = compare(timed_result(&arena, "k", "c", 64, 1),
                 timed_result(&arena, "k", "c", 64, 1.04)); /* samples alone */
  assert_int_equal(item.verdict, PAWL_VERDICT_REGRESSION);
  assert_int_equal(item.current_ci_of, PAWL_INTERVAL_SAMPLES);
}

static void too_few_processes_decide_nothing(void **state) {
  (void)state;
  const double medians[] = {1, 1.001, 1.002, 1.003, 1.004};
  const struct pawl_comparison item = compare(steady_run(0.5), run_of(medians, 5));
  assert_int_equal(item.verdict, PAWL_VERDICT_INCONCLUSIVE);
  assert_string_equal(item.reason, "fewer than 6 processes give no interval");
  assert_near(item.delta_pct, -100.4, 0.01); /* the figures stay */
  struct pawl_baseline baseline = {0};
  struct pawl_result first = run_of(medians, 5), next = steady_run(1);
  judge(&baseline, &first, 1);
  assert_true(isnan(baseline.entries[0].process_ci_95_low));
  assert_int_equal(judge(&baseline, &next, 1).comparison.verdict, PAWL_VERDICT_INCONCLUSIVE);
}

static void equal_code_is_no_difference(void **state) {
  (void)state;
  struct pawl_result a = steady_run(1), b = steady_run(1.5);
  a.code.hash = b.code.hash = "sha256:1234";
  struct pawl_comparison item = compare(a, b);
  assert_int_equal(item.verdict, PAWL_VERDICT_NO_DIFFERENCE);
  assert_string_equal(item.reason, "the machine code is the same");
  struct pawl_baseline baseline = {0};
  judge(&baseline, &a, 0.01);
  item = judge(&baseline, &b, 0.01).comparison;
  assert_int_equal(item.verdict, PAWL_VERDICT_MAINTAINED);
  assert_string_equal(item.reason, "the machine code is the same");
  b.code.hash = "sha256:5678";
  assert_int_equal(compare(a, b).verdict, PAWL_VERDICT_REGRESSION);
  b.code.hash = NULL;
  assert_int_equal(compare(a, b).verdict, PAWL_VERDICT_REGRESSION);
}

static void other_hardware_is_a_difference_of_equal_code(void **state) {
  (void)state;
  struct pawl_result a = steady_run(1), b = steady_run(1.5);
  a.code.hash = b.code.hash = "sha256:1234";
  struct pawl_results left = results_of(&a, 1), right = results_of(&b, 1);
  right.hardware = "another";
  const struct pawl_compare_options rule = {0};
  struct pawl_comparisons out;
  struct pawl_error err = {0};
  assert_int_equal(pawl_compare(&left, &right, &rule, &arena, &out, &err), PAWL_OK);
  assert_int_equal(out.items[0].verdict, PAWL_VERDICT_REGRESSION);
}

static void the_ratchet_calls_only_what_runs_of_equal_code_do_not_do(void **state) {
  (void)state;
  assert_int_equal(judge_factor(1.02, 0).verdict, PAWL_VERDICT_MAINTAINED); /* within the limits */
  assert_int_equal(judge_factor(1.5, 0).verdict, PAWL_VERDICT_INCONCLUSIVE);
  assert_int_equal(judge_factor(0.5, 0).verdict, PAWL_VERDICT_INCONCLUSIVE);
  assert_non_null(strstr(judge_factor(1.5, 0).reason, "side by side"));
  assert_int_equal(judge_factor(1.12, 0.1).verdict,
                   PAWL_VERDICT_INCONCLUSIVE); /* beyond 10 %, not 10 % and 3 % */
  assert_int_equal(judge_factor(1.14, 0.1).verdict, PAWL_VERDICT_REGRESSION);
  assert_int_equal(judge_factor(1 / 1.14, 0.1).verdict,
                   PAWL_VERDICT_INCONCLUSIVE); /* improve is 5 % */
  assert_int_equal(judge_factor(1 / 1.17, 0.1).verdict, PAWL_VERDICT_IMPROVEMENT);
  assert_int_equal(judge_factor(3, 1).verdict, PAWL_VERDICT_REGRESSION);
}

/* The same loss on three cases: one rule tolerates it, another one makes doubt fail the run. */
static void rows_have_limits_of_their_own(void **state) {
  (void)state;
  static const struct pawl_gate_rule items[] = {
      {"k*", "b", {.detect = 0.5, .lines = {[PAWL_LIMIT_DETECT] = 1}}},
      {"*",
       "c",
       {.inconclusive = PAWL_INCONCLUSIVE_FAIL, .lines = {[PAWL_LIMIT_INCONCLUSIVE] = 2}}},
  };
  static const struct pawl_gate_rules rules = {items, 2};
  const struct pawl_gate_spec gate = {.detect = 0.03,
                                      .improve = 0.05,
                                      .between_runs = 0.1,
                                      .inconclusive = PAWL_INCONCLUSIVE_WARN,
                                      .rules = &rules};
  static const char *const names[] = {"a", "b", "c"};
  static const double factors[] = {1.2, 1.2, 1.12};
  struct pawl_result first[3], next[3];
  for (int i = 0; i < 3; i++) {
    first[i] = steady_run(1);
    next[i] = steady_run(factors[i]);
    first[i].kernel_name = next[i].kernel_name = "kernel";
    first[i].config.name = next[i].config.name = names[i];
  }
  const struct pawl_results before = results_of(first, 3), after = results_of(next, 3);
  const struct pawl_ratchet_options options = {.gate = gate, .update = true};
  struct pawl_baseline baseline = {0};
  struct pawl_ratchet_report report;
  assert_int_equal(pawl_ratchet(&baseline, &before, &options, &arena, &report, NULL), PAWL_OK);
  assert_int_equal(pawl_ratchet(&baseline, &after, &options, &arena, &report, NULL), PAWL_OK);
  assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_REGRESSION);
  assert_null(report.rows[0].limits);
  assert_int_equal(report.rows[1].comparison.verdict, PAWL_VERDICT_MAINTAINED);
  assert_true(report.rows[1].limits->detect == 0.5 && report.rows[1].comparison.threshold == -50);
  assert_int_equal(report.rows[2].comparison.verdict, PAWL_VERDICT_INCONCLUSIVE);
  report.rows += 1; /* without the loss, the doubt decides */
  report.count -= 1;
  assert_int_equal(pawl_ratchet_status(&report, false), PAWL_UNDECIDED);
  report.count -= 1;
  assert_int_equal(pawl_ratchet_status(&report, false), PAWL_OK);
}

/* Six processes about `centre`, in one of which other programs hold up most calls for longer than
 * any change. */
static struct pawl_result held_up_run(double centre) {
  struct pawl_result run = steady_run(centre);
  for (size_t i = 0; i + 1 < run.processes[4].count; i++)
    run.processes[4].samples_ms[i] = 375 + (double)i;
  return run;
}

static enum pawl_verdict judge_runs(struct pawl_result first, struct pawl_result next,
                                    double between_runs) {
  struct pawl_baseline baseline = {0};
  judge(&baseline, &first, between_runs);
  return judge(&baseline, &next, between_runs).comparison.verdict;
}

static void held_up_calls_do_not_hide_a_loss(void **state) {
  (void)state;
  assert_int_equal(judge_runs(held_up_run(1), steady_run(50), 0.5), PAWL_VERDICT_REGRESSION);
  assert_int_equal(judge_runs(held_up_run(1), held_up_run(50), 0.5), PAWL_VERDICT_REGRESSION);
  assert_int_equal(judge_runs(held_up_run(1), held_up_run(50), 0), PAWL_VERDICT_INCONCLUSIVE);
  assert_int_equal(judge_runs(held_up_run(1), held_up_run(1.4), 0.5), PAWL_VERDICT_INCONCLUSIVE);
  /* they do not make one either, and they move no baseline */
  assert_int_equal(judge_runs(steady_run(1), held_up_run(1), 0.5), PAWL_VERDICT_NO_DIFFERENCE);
  assert_int_equal(judge_runs(held_up_run(50), steady_run(1), 0.5), PAWL_VERDICT_IMPROVEMENT);
  assert_int_equal(judge_runs(steady_run(50), held_up_run(1), 0.5), PAWL_VERDICT_INCONCLUSIVE);
}

static void too_few_processes_have_no_fastest_calls(void **state) {
  (void)state;
  struct pawl_result few = steady_run(1);
  double least, greatest;
  pawl_result_fastest(&few, &least, &greatest);
  assert_near(least, 0.995 * 0.998, 1e-12);
  assert_near(greatest, 1.005 * 0.998, 1e-12);
  few.process_count = 5;
  pawl_result_fastest(&few, &least, &greatest);
  assert_true(isnan(least) && isnan(greatest));
}

static void the_baseline_keeps_the_interval(void **state) {
  (void)state;
  char path[] = "/tmp/pawl-test-unpaired.XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  struct pawl_baseline baseline = {0}, again;
  struct pawl_result first = steady_run(1);
  struct pawl_error err = {0};
  judge(&baseline, &first, 0);
  assert_near(baseline.entries[0].process_ci_95_low, 0.995, 1e-12);
  assert_near(baseline.entries[0].process_ci_95_high, 1.005, 1e-12);
  assert_int_equal(pawl_baseline_write(path, &baseline, &err), PAWL_OK);
  assert_int_equal(pawl_baseline_read(path, &arena, &again, &err), PAWL_OK);
  assert_true(again.entries[0].process_ci_95_low == baseline.entries[0].process_ci_95_low);
  assert_near(again.entries[0].process_fastest_ms, 1.005 * 0.998, 1e-12);
  assert_true(again.entries[0].process_ci_95_high == baseline.entries[0].process_ci_95_high);
  unlink(path);
}

/* A machine whose mood walks by 2 % from process to process, for the life of the baseline: the code
 * never changes. */
static void a_moody_machine_raises_no_alarm(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(20261122, 1);
  struct pawl_baseline baseline = {0};
  double mood = 0;
  int undecided = 0;
  for (int push = 0; push <= 500; push++) {
    double medians[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
      mood += 0.02 * pawl_draw_normal(&random);
      medians[i] = exp(mood + 0.007 * pawl_draw_normal(&random));
    }
    struct pawl_result result = run_of(medians, PROCESSES);
    const struct pawl_ratchet_row row = judge(&baseline, &result, 0);
    if (push == 0) continue;
    assert_int_equal(row.change, PAWL_RATCHET_KEPT);
    assert_true(row.comparison.verdict != PAWL_VERDICT_REGRESSION &&
                row.comparison.verdict != PAWL_VERDICT_IMPROVEMENT);
    undecided += row.comparison.verdict == PAWL_VERDICT_INCONCLUSIVE;
  }
  assert_true(undecided > 400); /* the runs do differ, and the answer says so */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(the_interval_is_over_processes, clear_arena),
      cmocka_unit_test_teardown(compare_judges_by_process, clear_arena),
      cmocka_unit_test_teardown(too_few_processes_decide_nothing, clear_arena),
      cmocka_unit_test_teardown(equal_code_is_no_difference, clear_arena),
      cmocka_unit_test_teardown(other_hardware_is_a_difference_of_equal_code, clear_arena),
      cmocka_unit_test_teardown(the_ratchet_calls_only_what_runs_of_equal_code_do_not_do,
                                clear_arena),
      cmocka_unit_test_teardown(rows_have_limits_of_their_own, clear_arena),
      cmocka_unit_test_teardown(held_up_calls_do_not_hide_a_loss, clear_arena),
      cmocka_unit_test_teardown(too_few_processes_have_no_fastest_calls, clear_arena),
      cmocka_unit_test_teardown(the_baseline_keeps_the_interval, clear_arena),
      cmocka_unit_test_teardown(a_moody_machine_raises_no_alarm, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
