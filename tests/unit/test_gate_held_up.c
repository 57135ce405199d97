/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline of a busy machine: a time that other programs held up counts until a better one
 * comes. */
#include "gate/ratchet.h"
#include "results_support.h"

static struct pawl_arena arena;
static const struct pawl_ratchet_options update = {.gate = {.detect = 0.03, .improve = 0.05},
                                                   .update = true};

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static struct pawl_ratchet_report run(struct pawl_baseline *baseline, struct pawl_result *result) {
  const struct pawl_results results = results_of(result, 1);
  struct pawl_ratchet_report report;
  struct pawl_error err = {0};
  if (pawl_ratchet(baseline, &results, &update, &arena, &report, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return report;
}

/* Makes a result of 6 processes; with `held_up`, other programs delayed its calls. */
static struct pawl_result busy_result(double scale, double spread, bool held_up) {
  struct pawl_result result = timed_result(&arena, "k", "c", 64, scale);
  double *samples = pawl_arena_alloc(&arena, 6, sizeof *samples);
  struct pawl_process_samples *processes = pawl_arena_alloc(&arena, 6, sizeof *processes);
  for (int i = 0; i < 6; i++) {
    samples[i] = scale * (1 + spread * i);
    processes[i] = (struct pawl_process_samples){&samples[i], 1};
  }
  result.processes = processes;
  result.process_count = 6;
  result.code.hash = "00";
  if (held_up) result.environment = json_pack("{s:i}", PAWL_HELD_UP, 6);
  return result;
}

static void try_busy(struct pawl_baseline *baseline, double scale, double spread, bool held_up,
                     enum pawl_verdict verdict, double wanted_ms) {
  struct pawl_result result = busy_result(scale, spread, held_up);
  const struct pawl_ratchet_report report = run(baseline, &result);
  assert_int_equal(report.rows[0].comparison.verdict, verdict);
  assert_near(baseline->entries[0].median_ms, wanted_ms * 1.00495, 1e-12);
  json_decref(result.environment);
}

/* A time from a busy machine is recorded, and a better time of the same code replaces it. */
static void test_a_busy_machine_records_and_a_quiet_one_replaces(void **state) {
  (void)state;
  struct pawl_baseline baseline = {0};
  try_busy(&baseline, 2, 0.1, true, PAWL_VERDICT_NEW, 2);
  assert_true(baseline.entries[0].held_up);
  try_busy(&baseline, 3, 0.2, true, PAWL_VERDICT_MAINTAINED, 2); /* no better */
  try_busy(&baseline, 1.5, 0.05, true, PAWL_VERDICT_MAINTAINED, 1.5);
  assert_true(baseline.entries[0].held_up);
  try_busy(&baseline, 1, 0.01, false, PAWL_VERDICT_MAINTAINED, 1);
  assert_false(baseline.entries[0].held_up);
  assert_int_equal(baseline.count, 1);
  assert_int_equal(baseline.move_count, 3);
  try_busy(&baseline, 0.5, 0.001, false, PAWL_VERDICT_MAINTAINED, 1); /* the entry is good */
  baseline.entries[0].code_hash = "11";
  try_busy(&baseline, 2, 0.1, true, PAWL_VERDICT_INCONCLUSIVE, 1); /* no loss by load alone */
}

/* Two arms of one code prove nothing about an entry of other code, which names a wrong commit. */
static void test_same_arms_replace_no_time_of_other_code(void **state) {
  (void)state;
  struct pawl_baseline baseline = {0};
  try_busy(&baseline, 1, 0.1, true, PAWL_VERDICT_NEW, 1);
  struct pawl_result result = busy_result(1, 0.01, false);
  const struct pawl_results results = results_of(&result, 1);
  struct pawl_paired_test paired;
  pawl_paired_test_init(&paired);
  paired.kernel_name = "k";
  paired.case_name = "c";
  paired.identical = true;
  paired.decision = PAWL_DECISION_MAINTAINED;
  struct pawl_ratchet_options options = update;
  options.paired = &paired;
  options.paired_count = 1;
  struct pawl_ratchet_report report;
  for (int same = 0; same < 2; same++) {
    result.code.hash = same ? "00" : "11";
    assert_int_equal(pawl_ratchet(&baseline, &results, &options, &arena, &report, NULL), PAWL_OK);
    assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_MAINTAINED);
    assert_int_equal(report.move_count, same);
  }
}

/* Load only lengthens a time, so a longer time of the same code on a quiet machine contradicts the
 * entry. The row says so, and the entry stays. */
static void test_a_longer_time_replaces_nothing(void **state) {
  (void)state;
  struct pawl_baseline baseline = {0};
  try_busy(&baseline, 1, 0.1, true, PAWL_VERDICT_NEW, 1);
  try_busy(&baseline, 3, 0.01, false, PAWL_VERDICT_MAINTAINED, 1);
  assert_true(baseline.entries[0].held_up);
  baseline.entries[0].process_ci_95_low = NAN; /* fewer than 6 processes */
  baseline.entries[0].process_ci_95_high = NAN;
  struct pawl_result slow = busy_result(1.6, 0.01, false);
  const struct pawl_ratchet_report report = run(&baseline, &slow);
  assert_int_equal(report.move_count, 0);
  assert_non_null(strstr(report.rows[0].comparison.reason, "upper bound"));
}

/* A time after a flush that left dirty lines is measured anew once, and compares with no other. */
static void test_an_older_flush_is_replaced(void **state) {
  (void)state;
  struct pawl_baseline baseline = {0};
  try_busy(&baseline, 2, 0.01, false, PAWL_VERDICT_NEW, 2);
  assert_false(baseline.entries[0].clean_flush);
  struct pawl_result clean = busy_result(1, 0.01, false);
  clean.environment = json_pack("{s:b}", PAWL_CLEAN_FLUSH, 1);
  clean.code.hash = "11";
  struct pawl_ratchet_report report = run(&baseline, &clean);
  assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_INCONCLUSIVE);
  assert_int_equal(report.move_count, 0);
  clean.code.hash = "00";
  report = run(&baseline, &clean);
  assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_MAINTAINED);
  assert_true(baseline.entries[0].clean_flush);
  assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
  report = run(&baseline, &clean);
  assert_int_equal(report.move_count, 0);
  for (int noise = 0; noise < 2; noise++) { /* the noise of another day is no contradiction */
    struct pawl_baseline older = {0};
    try_busy(&older, noise ? 0.94 : 0.9, 0.01, false, PAWL_VERDICT_NEW, noise ? 0.94 : 0.9);
    assert_int_equal(run(&older, &clean).move_count, noise);
  }
  json_decref(clean.environment);
}

/* An update that leaves a row without a time must say so. */
static void test_rows_without_a_time_are_counted(void **state) {
  (void)state;
  struct pawl_baseline baseline = {0}, recorded = {0};
  struct pawl_result first = timed_result(&arena, "k", "c", 64, 1);
  run(&recorded, &first);
  struct pawl_result late = timed_result(&arena, "k", "c", 64, 1);
  late.outcome = PAWL_OUTCOME_INCONCLUSIVE;
  struct pawl_ratchet_report report = run(&baseline, &late);
  assert_int_equal(pawl_ratchet_unrecorded(&report), 1);
  report = run(&recorded, &late);
  assert_int_equal(pawl_ratchet_unrecorded(&report), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_a_busy_machine_records_and_a_quiet_one_replaces, clear_arena),
      cmocka_unit_test_teardown(test_same_arms_replace_no_time_of_other_code, clear_arena),
      cmocka_unit_test_teardown(test_a_longer_time_replaces_nothing, clear_arena),
      cmocka_unit_test_teardown(test_an_older_flush_is_replaced, clear_arena),
      cmocka_unit_test_teardown(test_rows_without_a_time_are_counted, clear_arena)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
