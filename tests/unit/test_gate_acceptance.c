/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/acceptance.h"
#include "gate/ratchet.h"
#include "results_support.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static struct pawl_baseline baseline_of(struct pawl_result *rows, size_t count) {
  const struct pawl_ratchet_options record = {.gate = {.detect = 0.03, .improve = 0.05},
                                              .update = true};
  struct pawl_results results = results_of(rows, count);
  struct pawl_ratchet_report ignored;
  struct pawl_baseline baseline = {0};
  struct pawl_error err = {0};
  if (pawl_ratchet(&baseline, &results, &record, &arena, &ignored, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return baseline;
}

static struct pawl_baseline accepted(const struct pawl_baseline *judge, struct pawl_result *row,
                                     const char *reason) {
  struct pawl_results results = results_of(row, 1);
  struct pawl_baseline ours = *judge;
  struct pawl_error err = {0};
  if (pawl_baseline_accept(&ours, &results, "k", "c", reason, &arena, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return ours;
}

static void test_found(void **state) {
  (void)state;
  struct pawl_result before[2] = {timed_result(&arena, "k", "c", 64, 1),
                                  timed_result(&arena, "k", "d", 128, 1)};
  struct pawl_result now = timed_result(&arena, "k", "c", 64, 1.1);
  const struct pawl_baseline judge = baseline_of(before, 2);
  struct pawl_baseline ours = accepted(&judge, &now, "worth it");
  struct pawl_acceptances found;
  pawl_acceptances_find(&ours, &judge, &arena, &found);
  assert_int_equal(found.count, 1);
  assert_string_equal(found.items[0].case_name, "c");
  assert_string_equal(found.items[0].reason, "worth it");
  assert_near(found.items[0].accepted_ms / found.items[0].judge_ms, 1.1, 1e-9);
  pawl_acceptances_find(&ours, &ours, &arena, &found); /* known to the judge: it is merged */
  assert_int_equal(found.count, 0);
  ours.move_count--; /* edited by hand */
  pawl_acceptances_find(&ours, &judge, &arena, &found);
  assert_int_equal(found.count, 0);
}

static bool covers(const struct pawl_acceptance *acceptance, double slowdown, const char *hash) {
  const struct pawl_comparison item = {.speedup = 1 / (1 + slowdown)};
  return pawl_acceptance_covers(acceptance, &item, hash, 0.03);
}

/* The same machine code is what was accepted; other code may be as slow, and a little more. */
static void test_covered(void **state) {
  (void)state;
  struct pawl_acceptance acceptance = {.accepted_ms = 1.1, .judge_ms = 1, .code_hash = "a"};
  assert_true(covers(&acceptance, 5, "a"));
  assert_true(covers(&acceptance, 0.12, "b"));
  assert_false(covers(&acceptance, 0.14, "b"));
  assert_false(covers(&acceptance, 0.14, NULL));
  acceptance.code_hash = NULL;
  assert_false(covers(&acceptance, 0.14, NULL)); /* two unknown codes are not the same */
  acceptance.judge_ms = NAN;
  assert_false(covers(&acceptance, 0.01, NULL));
}

static void test_judged(void **state) {
  (void)state;
  struct pawl_result before = timed_result(&arena, "k", "c", 64, 1),
                     now = timed_result(&arena, "k", "c", 64, 1.1);
  struct pawl_baseline judge = baseline_of(&before, 1), ours = accepted(&judge, &now, "worth it");
  struct pawl_ratchet_options options = {.gate = {.detect = 0.03, .improve = 0.05}};
  struct pawl_results results = results_of(&now, 1);
  struct pawl_ratchet_report report;
  struct pawl_error err = {0};
  assert_int_equal(pawl_ratchet(&judge, &results, &options, &arena, &report, &err), PAWL_OK);
  assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_REGRESSION);
  pawl_acceptances_find(&ours, &judge, &arena, &options.acceptances);
  options.acceptances.items[0].author = "Ann";
  assert_int_equal(pawl_ratchet(&judge, &results, &options, &arena, &report, &err), PAWL_OK);
  assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_ACCEPTED);
  assert_string_equal(report.rows[0].comparison.reason, "accepted here by Ann: worth it");
  assert_int_equal(pawl_ratchet_status(&report, true), PAWL_OK);
  assert_int_equal(report.counts[PAWL_VERDICT_ACCEPTED], 1);
  assert_int_equal(report.counts[PAWL_VERDICT_REGRESSION], 0);
  assert_int_equal(report.move_count, 0);
  options.acceptances.items[0].hardware = "another machine";
  assert_int_equal(pawl_ratchet(&judge, &results, &options, &arena, &report, &err), PAWL_OK);
  assert_int_equal(report.rows[0].comparison.verdict, PAWL_VERDICT_REGRESSION);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_found, clear_arena),
      cmocka_unit_test_teardown(test_covered, clear_arena),
      cmocka_unit_test_teardown(test_judged, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
