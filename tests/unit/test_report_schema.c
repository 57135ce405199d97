/* SPDX-License-Identifier: Apache-2.0 */
#include "report_support.h"
#include "schema_support.h"

#include "gate/compare.h"
#include "gate/selftest.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static void test_verdict(void **state) {
  (void)state;
  struct pawl_result before[] = {timed_result(&arena, "k", "a", 64, 1),
                                 timed_result(&arena, "k", "b", 128, 1),
                                 timed_result(&arena, "k", "gone", 256, 1)};
  struct pawl_result now[] = {timed_result(&arena, "k", "a", 64, 1.2),
                              timed_result(&arena, "k", "b", 128, 0.5),
                              timed_result(&arena, "k", "new", 96, 1)};
  struct made_run run;
  judge_run(&run, &arena, before, 3, now, 3);
  const struct pawl_report_build builds[] = {{"k", true, 1, 1, -1, NULL},
                                             {"l", false, 1, 1, 0, "error"}};
  struct pawl_check_row row = {
      .config = before[0].config, .distribution = "normal", .seed = UINT64_MAX, .reason = "x"};
  row.outcome = PAWL_OUTCOME_CRASHED;
  const struct pawl_check_report report = {
      .rows = &row, .count = 1, .failed = 1, .total = {true, false, NAN, 1, 2}};
  const struct pawl_report_check check = {"k", &report};
  const char *notice = "a notice";
  run.report.builds = builds, run.report.build_count = 2;
  run.report.checks = &check, run.report.check_count = 1;
  run.report.notices = &notice, run.report.notice_count = 1;
  run.report.moves = run.ratchet.moves, run.report.move_count = run.ratchet.move_count;
  const struct pawl_run_phases phases = {.build = 1, .judge = 2.5, .spent = {.hashing = 0.25}};
  run.report.phases = &phases;
  const struct pawl_gate_spec limits = {.tolerate = 0.01,
                                        .detect = 0.03,
                                        .improve = 0.05,
                                        .inconclusive = PAWL_INCONCLUSIVE_FAIL,
                                        .static_code = PAWL_STATIC_WARN};
  for (size_t i = 0; i < run.ratchet.count; i++)
    run.ratchet.rows[i].limits = &limits;         /* absent if no rule decides */
  run.report.expected = PAWL_DECISION_REGRESSION; /* absent if unknown */
  assert_true(run.report.move_count > 0);
  json_t *document = NULL, *schema = read_schema("verdict");
  struct pawl_error err;
  assert_int_equal(pawl_verdict_to_json(&run.report, &document, &err), PAWL_OK);
  check_schema(schema, schema, document, "verdict");
  const json_t *told = json_object_get(document, "phases");
  assert_true(json_number_value(json_object_get(told, "judge")) == 2.5);
  assert_true(json_number_value(json_object_get(told, "hashing")) == 0.25);
  json_decref(document);
  json_decref(schema);
}

static void test_comparison(void **state) {
  (void)state;
  struct pawl_result before = timed_result(&arena, "k", "a", 64, 1),
                     now = timed_result(&arena, "k", "a", 64, 1.2);
  const struct pawl_results b = results_of(&before, 1), c = results_of(&now, 1);
  const struct pawl_compare_options rule = {0};
  struct pawl_comparisons out;
  struct pawl_error err;
  assert_int_equal(pawl_compare(&b, &c, &rule, &arena, &out, &err), PAWL_OK);
  json_t *item = pawl_comparison_to_json(out.items), *schema = read_schema("comparison");
  check_schema(schema, json_object_get(json_object_get(schema, "$defs"), "comparison"), item,
               "comparison");
  json_decref(item);
  json_decref(schema);
}

static void test_baseline(void **state) {
  (void)state;
  char scratch[] = "/tmp/pawl-test-schema.XXXXXX";
  const int fd = mkstemp(scratch);
  assert_true(fd >= 0);
  pawl_close(&(int){fd});
  struct pawl_result result = timed_result(&arena, "k", "a", 64, 1);
  result.code = (struct pawl_code){.arch = "sm_90a", .registers = 128, .occupancy_pct = 25};
  const struct pawl_results results = results_of(&result, 1);
  const struct pawl_ratchet_options update = {.gate = {.detect = 0.03, .improve = 0.05},
                                              .update = true};
  struct pawl_baseline baseline = {0};
  struct pawl_ratchet_report report;
  struct pawl_error err;
  assert_int_equal(pawl_ratchet(&baseline, &results, &update, &arena, &report, &err), PAWL_OK);
  assert_int_equal(pawl_baseline_accept(&baseline, &results, "k", "a", "why", &arena, &err),
                   PAWL_OK);
  baseline.entries[0].held_up = baseline.entries[0].clean_flush = true; /* absent if false */
  assert_int_equal(pawl_baseline_write(scratch, &baseline, &err), PAWL_OK);
  json_t *document = NULL, *schema = read_schema("baseline");
  assert_int_equal(pawl_json_read(scratch, &document, &err), PAWL_OK);
  check_schema(schema, schema, document, "baseline");
  json_decref(document);
  json_decref(schema);
  remove(scratch);
}

/* One selftest, and several in one document. */
static void test_selftest(void **state) {
  (void)state;
  struct pawl_selftest_trial trials[2] = {
      {0, 7, PAWL_DECISION_MAINTAINED, 8, 1, 0.001, 0.01},
      {0.05, UINT64_MAX, PAWL_DECISION_REGRESSION, 12, 0, NAN, NAN}};
  struct pawl_selftest one = {.kernel_name = "k",
                              .case_name = "a",
                              .policy = pawl_sequential_default_policy(),
                              .samples = 20,
                              .base_ms = 0.5,
                              .delay_ms = NAN,
                              .trials = trials,
                              .count = 2};
  one.policy.discovery = true; /* absent if false */
  const struct pawl_selftest both[2] = {one, one};
  json_t *schema = read_schema("selftest"), *kinds = json_object_get(schema, "$defs");
  for (size_t count = 1; count <= 2; count++) {
    json_t *document = pawl_selftests_to_json(both, count);
    check_schema(schema, json_object_get(kinds, count == 1 ? "selftest" : "selftests"), document,
                 "selftest");
    assert_int_equal(json_array_size(json_object_get(document, "selftests")), count == 1 ? 0 : 2);
    json_decref(document);
  }
  json_decref(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_verdict, clear_arena),
      cmocka_unit_test_teardown(test_comparison, clear_arena),
      cmocka_unit_test_teardown(test_baseline, clear_arena),
      cmocka_unit_test_teardown(test_selftest, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
