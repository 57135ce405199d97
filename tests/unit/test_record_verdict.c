/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.json written, read back and written again: the same bytes, whatever the document holds;
 * and parts joined. */
#include "record/join.h"
#include "results_support.h"

#define SEED (UINT64_MAX - 1) /* more than 63 bits */

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

/* --- a run with every part --- */

struct full_run {
  struct pawl_acceptance acceptance;
  struct pawl_ratchet_row rows[7];
  struct pawl_baseline_entry entry;
  struct pawl_results results;
  struct pawl_result items[5];
  struct pawl_paired_test tests[4];
  struct pawl_paired_block blocks[3][60];
  struct pawl_code before, now;
  struct pawl_ratchet_report ratchet;
  struct pawl_report_build builds[2];
  struct pawl_check_row failure;
  struct pawl_check_report checked;
  struct pawl_report_check check;
  struct pawl_baseline_move move;
  const char *notices[2];
  struct pawl_report_profile profiles[2];
  struct pawl_report_line lines[2];
  struct pawl_report_code code_changes[2];
  struct pawl_run_phases phases;
  struct pawl_run_report report;
};

/* A test whose blocks all have this ratio, judged; the last block of an inconclusive one is
 * spoiled. */
static void make_test(struct full_run *run, size_t i, double ratio, size_t count) {
  struct pawl_paired_test *test = &run->tests[i];
  pawl_paired_test_init(test);
  test->kernel_name = "k", test->case_name = "c";
  test->anchor = "0123456789012345678901234567890123456789";
  test->anchor_kind = PAWL_ANCHOR_MERGE_BASE;
  test->gpu = "GPU-1234";
  test->seed = SEED;
  test->origin = PAWL_ORIGIN_HERE;
  test->blocks = run->blocks[i], test->block_count = count;
  for (size_t b = 0; b < count; b++)
    run->blocks[i][b] =
        (struct pawl_paired_block){.base_ms = 1.1 + (double)b / 7, .order = 1 + b % 2};
  for (size_t b = 0; b < count; b++)
    run->blocks[i][b].candidate_ms = run->blocks[i][b].base_ms * (ratio + 0.001 * (double)(b % 5));
  run->blocks[i][0].spoiled = "other processes used 1.2 CPUs";
  struct pawl_error err = {0};
  test->base_samples_ms = spread_samples(&arena, 1.5), test->base_sample_count = 10;
  test->candidate_samples_ms = spread_samples(&arena, 1.5 * ratio),
  test->candidate_sample_count = 10;
  assert_int_equal(pawl_paired_test_judge(test, &err), PAWL_OK);
}

static void make_rows(struct full_run *run) {
  struct pawl_error err = {0};
  struct pawl_comparison *items[7];
  for (size_t i = 0; i < 7; i++) {
    items[i] = &run->rows[i].comparison;
    pawl_comparison_init(items[i]);
    items[i]->kernel_name = "k";
    items[i]->config =
        make_case(&arena, pawl_arena_printf(&arena, "c%zu", i), 64 * ((int64_t)i + 1));
  }
  make_test(run, 0, 1.25, 30);
  make_test(run, 1, 0.75, 30);
  make_test(run, 2, 1.02, 3); /* ended by the run before the test had an answer */
  run->tests[2].decision = PAWL_DECISION_INCONCLUSIVE, run->tests[2].reason = "the kernel crashed";
  run->tests[1].confirmation = run->tests[1].blocks;
  run->tests[1].confirmation_count = run->tests[1].block_count;
  assert_int_equal(pawl_paired_test_judge(&run->tests[1], &err), PAWL_OK);
  assert_true(isfinite(run->tests[1].confirmed_slowdown) != 0);
  run->tests[3] = run->tests[2]; /* the same code: nothing was measured */
  run->tests[3].identical = true, run->tests[3].code_hash = "sha256:1",
  run->tests[3].block_count = 0, run->tests[3].reason = NULL;
  run->tests[3].p = run->tests[3].block_sd = run->tests[3].detectable = NAN;
  run->tests[3].base_sample_count = run->tests[3].candidate_sample_count = 0;
  assert_int_equal(pawl_paired_test_judge(&run->tests[3], &err), PAWL_OK);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(pawl_paired_test_compare(&run->tests[i], &arena, items[i], &err), PAWL_OK);
    run->rows[i].paired = &run->tests[i];
  }
  assert_int_equal(items[0]->verdict, PAWL_VERDICT_REGRESSION);
  assert_int_equal(items[1]->verdict, PAWL_VERDICT_IMPROVEMENT);
  items[0]->verdict = PAWL_VERDICT_ACCEPTED, items[0]->reason = "accepted here by Ann: why";
  run->acceptance = (struct pawl_acceptance){
      .reason = "why", .author = "Ann", .commit = "abcdef", .accepted_ms = 2.5};
  run->rows[0].accepted = &run->acceptance;
  items[0]->baseline_ci_of = PAWL_INTERVAL_SAMPLES,
  items[0]->current_ci_of = PAWL_INTERVAL_PROCESSES;
  items[4]->verdict = PAWL_VERDICT_NEW, items[4]->current_ms = 2;
  items[5]->verdict = PAWL_VERDICT_MISSING, items[5]->baseline_ms = 3,
  items[5]->reason = "not measured";
  items[6]->verdict = PAWL_VERDICT_BROKEN, items[6]->reason = "crashed";
  for (size_t i = 0; i < 5; i++) {
    run->items[i] = make_result("k", items[i]->config);
    run->items[i].performance.median_ms = items[i]->current_ms;
    run->rows[i].result = &run->items[i];
  }
  run->entry.git_commit = "fedcba", run->entry.timestamp = "2026-01-02 03:04:05",
  run->entry.median_ms = 1.5;
  run->entry.reason = "another why";
  run->rows[0].entry = run->rows[5].entry = &run->entry;
  run->rows[1].change = PAWL_RATCHET_IMPROVED, run->rows[4].change = PAWL_RATCHET_NEW;
  run->before = (struct pawl_code){NULL, "sm_90a", 64, 0, 0, 8, 1024, 4096, 50};
  run->now = (struct pawl_code){NULL, "sm_90a", 128, 16, 0, 8, 1024, 8192, (double)NAN};
  run->rows[0].code_before = &run->before, run->rows[0].code_now = &run->now;
  run->rows[1].code_now = &run->now;
  run->ratchet = (struct pawl_ratchet_report){.rows = run->rows,
                                              .count = 7,
                                              .counts[PAWL_VERDICT_ACCEPTED] = 1,
                                              .counts[PAWL_VERDICT_IMPROVEMENT] = 1,
                                              .counts[PAWL_VERDICT_INCONCLUSIVE] = 1,
                                              .counts[PAWL_VERDICT_MAINTAINED] = 1,
                                              .counts[PAWL_VERDICT_NEW] = 1,
                                              .counts[PAWL_VERDICT_MISSING] = 1,
                                              .counts[PAWL_VERDICT_BROKEN] = 1};
  run->ratchet.update_refused = "the tree is dirty";
}

static void make_run(struct full_run *run) {
  *run = (struct full_run){0};
  make_rows(run);
  run->results =
      (struct pawl_results){.items = run->items, .count = 5, .commit = "abc", .dirty = true};
  run->results.hardware = "cpu/x", run->results.hardware_name = "A CPU",
  run->results.toolchain = "cc 12";
  run->results.timestamp = "2026-01-02 03:04:05";
  run->builds[0] = (struct pawl_report_build){"k", true, 1.25, 2, 1, NULL};
  run->builds[1] = (struct pawl_report_build){"l", false, 0.1, 1, -1, "k.c:1: error: \"x\""};
  run->failure = (struct pawl_check_row){
      .config = make_case(&arena, "c", 7), .distribution = "normal", .seed = SEED};
  run->failure.number = 3;
  run->failure.outcome = PAWL_OUTCOME_CRASHED, run->failure.reason = "signal 11";
  run->checked = (struct pawl_check_report){.rows = &run->failure,
                                            .count = 1,
                                            .failed = 1,
                                            .reduced = true,
                                            .total = {true, false, 0.1, 0.2, 0.3, 0.4, 0.5}};
  run->check = (struct pawl_report_check){"k", &run->checked};
  run->move = (struct pawl_baseline_move){
      "k", "c1", "cpu/x", PAWL_MOVE_ACCEPTED, 2.5, 1.5, "abc", "2026-01-02", "why"};
  run->profiles[0] = (struct pawl_report_profile){"k",  "c0",  "1 us -> 2 us", "DRAM", "move less",
                                                  NULL, "all", "profiles/k-c0"};
  run->profiles[0].base_s = 1e-6;
  run->profiles[0].candidate_s = 2e-6;
  run->lines[0] =
      (struct pawl_report_line){"a.cu", 7, "x = y[i];", 0.5e-6, 1.4e-6, "1 LDG became 4 LDG"};
  run->lines[1] = (struct pawl_report_line){"a.cu", 8, NULL, 0.5e-6, 0, NULL};
  run->profiles[0].lines = run->lines;
  run->profiles[0].line_count = 2;
  run->profiles[1] = (struct pawl_report_profile){"k",
                                                  "c1",
                                                  NULL,
                                                  NULL,
                                                  NULL,
                                                  "no ncu",
                                                  NULL,
                                                  NULL,
                                                  .base_s = NAN,
                                                  .candidate_s = NAN,
                                                  .no_lines = "no samples"};
  run->code_changes[0] = (struct pawl_report_code){
      "k", "abcdef", "sm_90a", "1 LDS.128 became 4 LDS", NULL, "the loop at 0x140: ..."};
  run->code_changes[1] =
      (struct pawl_report_code){"l", "abcdef", NULL, NULL, "objdump is not installed", NULL};
  run->notices[0] = "first", run->notices[1] = "second";
  run->phases = (struct pawl_run_phases){1, 2, 3, 4, 5, 6, 7, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  run->report = (struct pawl_run_report){.results = &run->results,
                                         .ratchet = &run->ratchet,
                                         .builds = run->builds,
                                         .build_count = 2,
                                         .checks = &run->check,
                                         .check_count = 1,
                                         .profiles = run->profiles,
                                         .profile_count = 2,
                                         .code_changes = run->code_changes,
                                         .code_change_count = 2,
                                         .earlier_moves = &run->move,
                                         .earlier_move_count = 1,
                                         .moves = &run->move,
                                         .move_count = 1,
                                         .shard = 2,
                                         .shards = 3,
                                         .unpaired = true,
                                         .notices = run->notices,
                                         .notice_count = 2,
                                         .seconds = 10.1,
                                         .cost_usd = 10.1 / 3600 * 0.68,
                                         .phases = &run->phases};
}

/* --- there and back --- */

static json_t *write_report(const struct pawl_run_report *report, struct pawl_text *text) {
  struct pawl_error err = {0};
  json_t *document = NULL;
  assert_int_equal(pawl_verdict_to_json(report, &document, &err), PAWL_OK);
  pawl_json_write_text(document, true, text);
  return document;
}

static void check_round_trip(const struct pawl_run_report *report) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text first = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text again = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = write_report(report, &first);
  struct pawl_stored_run run;
  struct pawl_error err = {0};
  if (pawl_stored_run_parse(document, "verdict.json", &arena, &run, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  json_decref(write_report(&run.report, &again));
  assert_string_equal(again.data, first.data);
  pawl_stored_run_release(&run);
}

/* Each key of the objects holds something in one of them at least: nothing is tested by being
 * absent. */
static void check_filled(const json_t *objects) {
  const char *key;
  json_t *value, *object;
  size_t i;
  json_object_foreach(json_array_get(objects, 0), key, value) {
    bool filled = false;
    json_array_foreach(objects, i, object) {
      const json_t *found = json_object_get(object, key);
      filled =
          filled || !(json_is_null(found) || (json_is_array(found) && !json_array_size(found)));
    }
    if (!filled) fail_msg("'%s' is filled nowhere", key);
  }
}

static void test_every_part(void **state) {
  (void)state;
  static const char *const lists[] = {"comparisons", "builds",         "checks",
                                      "profiles",    "baseline_moves", "earlier_moves"};
  struct full_run run;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  make_run(&run);
  PAWL_CLEANUP(pawl_json_release) json_t *document = write_report(&run.report, &text);
  PAWL_CLEANUP(pawl_json_release) json_t *whole = json_array();
  PAWL_CLEANUP(pawl_json_release) json_t *tests = json_array();
  json_array_append(whole, document);
  check_filled(whole);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    check_filled(json_object_get(document, lists[i]));
  for (size_t i = 0; i < 4; i++)
    json_array_append(
        tests,
        json_object_get(json_array_get(json_object_get(document, "comparisons"), i), "paired"));
  check_filled(tests);
  check_round_trip(&run.report);
}

static void test_hardly_any_part(void **state) {
  (void)state;
  const struct pawl_results nothing = {0};
  struct pawl_run_report report = {.seconds = NAN, .cost_usd = NAN};
  check_round_trip(&report);
  report.results = &nothing;
  check_round_trip(&report);
  const struct pawl_ratchet_report empty = {0};
  report.ratchet = &empty;
  check_round_trip(&report);
}

static void test_seeds(void **state) {
  (void)state;
  struct full_run run;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_stored_run stored;
  struct pawl_error err = {0};
  make_run(&run);
  PAWL_CLEANUP(pawl_json_release) json_t *document = write_report(&run.report, &text);
  assert_int_equal(pawl_stored_run_parse(document, "v", &arena, &stored, &err), PAWL_OK);
  assert_true(stored.ratchet.rows[0].paired->seed == SEED);
  assert_true(stored.report.checks[0].report->rows[0].seed == SEED);
  pawl_stored_run_release(&stored);
  /* as earlier versions wrote a paired seed above 63 bits */
  json_t *paired =
      json_object_get(json_array_get(json_object_get(document, "comparisons"), 0), "paired");
  json_object_set_new(paired, "seed", json_integer(-2));
  assert_int_equal(pawl_stored_run_parse(document, "v", &arena, &stored, &err), PAWL_OK);
  assert_true(stored.ratchet.rows[0].paired->seed == SEED);
  pawl_stored_run_release(&stored);
}

/* Files are copied from the folder that a document names. */
static void test_folders_of_profiles(void **state) {
  (void)state;
  static const char *const folders[] = {
      "/etc", "../up", "profiles/", "profiles/..", "profiles/a/../..", "profilesx/a"};
  struct pawl_report_profile profile = {.kernel_name = "k", .case_name = "c", .missing = "no ncu"};
  const struct pawl_run_report report = {
      .profiles = &profile, .profile_count = 1, .seconds = NAN, .cost_usd = NAN};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    struct pawl_stored_run stored;
    struct pawl_error err = {0};
    profile.folder = folders[i];
    PAWL_CLEANUP(pawl_json_release) json_t *document = write_report(&report, &text);
    assert_int_equal(pawl_stored_run_parse(document, "v", &arena, &stored, &err), PAWL_BAD_DATA);
    assert_non_null(strstr(err.message, "folder must be 'profiles/NAME'"));
  }
  profile.folder = "profiles/k-c";
  check_round_trip(&report);
}

/* --- joined --- */

static void test_parts_add_up(void **state) {
  (void)state;
  const char *const names[] = {"one", "two"};
  struct pawl_run_phases phases = {1, 2, 3, 4, 5, 6, 7, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  struct pawl_report_profile profiles[2];
  struct pawl_report_code code_changes[2];
  struct pawl_stored_run parts[2] = {0};
  struct pawl_joined_run joined;
  struct pawl_error err = {0};
  for (int i = 0; i < 2; i++) {
    profiles[i] = (struct pawl_report_profile){.kernel_name = names[i], .case_name = "c"};
    parts[i].report = (struct pawl_run_report){
        .shard = i + 1, .shards = 2, .seconds = 10 + i, .cost_usd = 0.5, .phases = &phases};
    parts[i].report.profiles = &profiles[i];
    parts[i].report.profile_count = 1;
    code_changes[i] = (struct pawl_report_code){.kernel_name = names[i], .base = "abcdef"};
    parts[i].report.code_changes = &code_changes[i];
    parts[i].report.code_change_count = 1;
  }
  assert_int_equal(pawl_stored_run_join(parts, names, 2, &arena, &joined, &err), PAWL_OK);
  assert_int_equal(joined.report.profile_count, 2);
  assert_string_equal(joined.report.profiles[1].kernel_name, "two");
  assert_int_equal(joined.report.code_change_count, 2);
  assert_string_equal(joined.report.code_changes[1].kernel_name, "two");
  assert_near(joined.report.seconds, 21, 1e-12);
  assert_near(joined.report.cost_usd, 1, 1e-12);
  assert_non_null(joined.report.phases);
  const double *sums = (const double *)joined.report.phases, *one = (const double *)&phases;
  for (size_t i = 0; i < sizeof phases / sizeof *one; i++) assert_near(sums[i], 2 * one[i], 1e-12);
  parts[1].report.phases = NULL; /* a sum with an unknown part */
  assert_int_equal(pawl_stored_run_join(parts, names, 2, &arena, &joined, &err), PAWL_OK);
  assert_null(joined.report.phases);
  assert_near(phases.build, 1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_every_part, clear_arena),
      cmocka_unit_test_teardown(test_hardly_any_part, clear_arena),
      cmocka_unit_test_teardown(test_seeds, clear_arena),
      cmocka_unit_test_teardown(test_folders_of_profiles, clear_arena),
      cmocka_unit_test_teardown(test_parts_add_up, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
