/* SPDX-License-Identifier: Apache-2.0 */
/* Whole reports against tests/unit/golden_report/NAME.md. With PAWL_UPDATE_GOLDEN=1 in the
   environment the files are written instead: look at the difference before committing it. */
#include "report/figures.h"
#include "report/row_change.h"
#include "report_support.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static void check_golden(const struct pawl_run_report *report, const char *name) {
  struct pawl_text text = {0}, wanted = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_report_markdown(report, NULL, &text, &err), PAWL_OK);
  const char *slash = strrchr(__FILE__, '/');
  const char *path = pawl_arena_printf(&arena, "%.*s/golden_report/%s.md", (int)(slash - __FILE__),
                                       __FILE__, name);
  if (getenv("PAWL_UPDATE_GOLDEN")) {
    assert_int_equal(pawl_file_write(path, text.data, text.length, &err), PAWL_OK);
  } else {
    if (pawl_file_read(path, 1 << 20, &wanted, &err) != PAWL_OK) fail_msg("%s", err.message);
    assert_string_equal(pawl_text_string(&text), pawl_text_string(&wanted));
  }
  pawl_text_clear(&text);
  pawl_text_clear(&wanted);
}

static void test_regression(void **state) {
  (void)state;
  struct pawl_result before[] = {timed_result(&arena, "sdpa_cpu", "training_512", 512, 1.234),
                                 timed_result(&arena, "sdpa_cpu", "inference_2k", 2048, 20)};
  struct pawl_result now[] = {timed_result(&arena, "sdpa_cpu", "training_512", 512, 1.234 * 1.12),
                              timed_result(&arena, "sdpa_cpu", "inference_2k", 2048, 20)};
  const char *const tips[] = {"use larger tiles", "keep K and V in the cache"};
  const char *warning = "CV 14 % > 12 %";
  now[0].roofline =
      (struct pawl_roofline){128, "compute", 63.25, (const char **)(uintptr_t)tips, 2};
  now[1].warnings = &warning;
  now[1].warning_count = 1;
  now[0].environment = json_pack("{s:s, s:f, s:i, s:n}", "cpu", "Test | CPU", "peak_gflops", 170.5,
                                 "cpus", 2, "load");
  struct made_run run;
  judge_run(&run, &arena, before, 2, now, 2);
  const char *notice = "no kept objects: every compilation ran";
  const struct pawl_report_build build = {"sdpa_cpu", true, 3.21, 2, 1, NULL};
  run.report.builds = &build;
  run.report.build_count = 1;
  run.report.notices = &notice;
  run.report.notice_count = 1;
  run.report.seconds = 42;
  run.report.cost_usd = 42.0 / 3600 * 0.68;
  check_golden(&run.report, "regression");
  json_decref(now[0].environment);
}

static int occurrences(const char *text, const char *wanted) {
  int count = 0;
  for (const char *p = strstr(text, wanted); p; p = strstr(p + 1, wanted)) count++;
  return count;
}

/* A row measured in pairs says one change, with one p, wherever it stands; other figures of it are
 * no verdict's. */
static void test_a_paired_row_says_one_thing(void **state) {
  (void)state;
  enum { BLOCKS = 12 };
  struct pawl_result before = timed_result(&arena, "k", "c", 512, 1),
                     now = timed_result(&arena, "k", "c", 512, 2);
  struct pawl_paired_block blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++)
    blocks[i] = (struct pawl_paired_block){
        .base_ms = 1.6 + 0.1 * (i % 3),
        .candidate_ms = (1.6 + 0.1 * (i % 3)) * (1.05 + 0.002 * (i * 5 % BLOCKS))};
  struct pawl_paired_test paired;
  struct pawl_text text = {0};
  struct pawl_error err = {0};
  struct made_run run;
  char change[PAWL_ROW_CHANGE], p[PAWL_FIGURE];
  pawl_paired_test_init(&paired);
  paired.kernel_name = "k", paired.case_name = "c";
  paired.blocks = blocks, paired.block_count = BLOCKS;
  assert_int_equal(pawl_paired_test_judge(&paired, &err), PAWL_OK);
  assert_int_equal(paired.decision, PAWL_DECISION_REGRESSION);
  judge_run(&run, &arena, &before, 1, &now, 1);
  run.report.unpaired = false;
  run.ratchet.rows[0].paired = &paired;
  assert_int_equal(run.ratchet.counts[PAWL_VERDICT_REGRESSION], 1);
  assert_int_equal(pawl_paired_test_compare(&paired, &arena, &run.ratchet.rows[0].comparison, &err),
                   PAWL_OK);
  assert_near(run.ratchet.rows[0].comparison.delta_pct, -100 * paired.slowdown.estimate, 1e-12);
  assert_near(run.ratchet.rows[0].comparison.baseline_ms, 1.7, 1e-12);
  assert_int_equal(pawl_report_markdown(&run.report, NULL, &text, &err), PAWL_OK);
  assert_string_equal(pawl_row_change(&run.ratchet.rows[0], change),
                      "6.10 % slower [+5.00, +7.00]");
  assert_non_null(strstr(text.data, "| 1.700 ms | 1.807 ms"));
  assert_int_equal(occurrences(text.data, change),
                   3); /* the first line, the table, how it was reached */
  assert_int_equal(occurrences(text.data, pawl_figure_p(paired.p, p)), 2);
  assert_int_equal(occurrences(text.data, "slower"),
                   6); /* and the totals, twice, and "plus means slower" */
  assert_null(strstr(text.data, "### Evidence"));
  assert_null(strstr(text.data, "npaired"));
  assert_non_null(strstr(text.data, "| 12 |"));
  const char *samples = strstr(text.data, "Samples (not replicates)");
  assert_true(samples && strstr(text.data, "Mann-Whitney") > samples &&
              strstr(text.data, "Cliff") > samples);
  pawl_text_clear(&text);
}

static void test_an_unpaired_row_says_so(void **state) {
  (void)state;
  struct pawl_result before = timed_result(&arena, "k", "c", 512, 1),
                     now = timed_result(&arena, "k", "c", 512, 1.2);
  struct pawl_text text = {0};
  struct pawl_error err = {0};
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  assert_int_equal(pawl_report_markdown(&run.report, NULL, &text, &err), PAWL_OK);
  assert_int_equal(occurrences(text.data, "20.0 % slower, unpaired"), 3);
  assert_non_null(strstr(text.data, "**REGRESSION** (unpaired)"));
  pawl_text_clear(&text);
}

static void test_improvement(void **state) {
  (void)state;
  struct pawl_result before = timed_result(&arena, "sdpa_cpu", "training_512", 512, 1.234);
  struct pawl_result now = timed_result(&arena, "sdpa_cpu", "training_512", 512, 0.987);
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  run.report.moves = run.ratchet.moves;
  run.report.move_count = run.ratchet.move_count;
  check_golden(&run.report, "improvement");
}

static void test_nothing_changed(void **state) {
  (void)state;
  struct pawl_result same = timed_result(&arena, "sdpa_cpu", "training_512", 512, 1.234);
  struct made_run run;
  judge_run(&run, &arena, &same, 1, &same, 1);
  check_golden(&run.report, "maintained");
}

/* A long run has its worst rows in the report, and says which file has all. */
static void test_many_rows(void **state) {
  (void)state;
  enum { ROWS = 1000, SLOWER = 150 };
  static struct pawl_result before[ROWS], now[ROWS];
  for (int i = 0; i < ROWS; i++) {
    const char *name = pawl_arena_printf(&arena, "case_%d", i);
    before[i] = timed_result(&arena, "k", name, 64 + i, 1);
    now[i] = timed_result(&arena, "k", name, 64 + i, i < ROWS - SLOWER ? 1 : 1.2 + 1e-3 * i);
  }
  struct made_run run;
  struct pawl_text text = {0};
  struct pawl_error err = {0};
  judge_run(&run, &arena, before, ROWS, now, ROWS);
  assert_int_equal(pawl_report_markdown(&run.report, NULL, &text, &err), PAWL_OK);
  assert_true(text.length < 60000);
  assert_non_null(strstr(text.data, "1000 configurations: 150 slower, 850 unchanged."));
  assert_int_equal(occurrences(text.data, "| **regression** |"), 100);
  assert_non_null(strstr(text.data, "50 more: see verdict.json."));
  const char *worst = strstr(text.data, "| `case_999` |"),
             *next = strstr(text.data, "| `case_998` |");
  assert_true(worst && worst < next);
  assert_non_null(strstr(text.data, "900 more: see results.json."));
  pawl_text_clear(&text);
}

static void test_wrong_kernel(void **state) {
  (void)state;
  struct pawl_result before = timed_result(&arena, "sdpa_cpu", "training_512", 512, 1.234);
  struct pawl_result now = make_result("sdpa_cpu", before.config);
  now.outcome = PAWL_OUTCOME_WRONG;
  now.reason = "1 of 27 checks failed";
  now.correctness = (struct pawl_correctness){true, false, 0.25, 3, 1e-3, 0.9, 0.11};
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  struct pawl_check_row rows[3] = {
      {.config = before.config, .distribution = "normal", .seed = 7},
      {.config = before.config, .distribution = "rising", .seed = 18446744073709551615u},
      {.config = before.config, .distribution = "x3", .seed = 8}};
  rows[1].number = 1;
  rows[1].outcome = PAWL_OUTCOME_WRONG;
  rows[1].reason = "output 'O' at [0, 1, 511, 3]: expected 0.125, got nan; 64 elements differ";
  rows[2].outcome = PAWL_OUTCOME_UNSUPPORTED;
  rows[2].reason = "S must be even";
  const struct pawl_check_report check = {.rows = rows,
                                          .count = 3,
                                          .passed = 1,
                                          .failed = 1,
                                          .unsupported = 1,
                                          .total = now.correctness};
  const struct pawl_report_check one = {"sdpa_cpu", &check};
  run.report.checks = &one;
  run.report.check_count = 1;
  check_golden(&run.report, "wrong");
}

static void test_build_failure(void **state) {
  (void)state;
  const struct pawl_report_build builds[2] = {
      {"softmax_cpu", true, 0.4, 1, -1, NULL},
      {"sdpa_cpu", false, 1.5, 1, -1,
       "kernels/sdpa_cpu.c:12:5: \x1b[01;31merror:\x1b[m expected ';' before 'return'\n   12 |   "
       "int x = 1\n"
       "      |            ^\n      |            ;\n```\n</details><script>alert(1)</script> "
       "@everyone\n"}};
  const struct pawl_run_phases phases = {
      .build = 1.5, .check = 0.01, .spent = {.calls = 0.04, .compare = 0.2}};
  struct pawl_run_report report = {
      .builds = builds, .build_count = 2, .seconds = 2, .cost_usd = NAN, .phases = &phases};
  check_golden(&report, "build_failed");
}

/* Why rows changed stands below the verdict; a reason that several rows share is said once; nothing
   from outside is taken for mark-up, and nothing fills the page. */
static void test_profiles(void **state) {
  (void)state;
  static char endless[4000];
  memset(endless, 'a', sizeof endless - 1);
  const struct pawl_report_profile profiles[] = {
      {"sdpa", "small", "1 us -> 2 us: spills", "bound by <b>DRAM</b>", "move `less`", NULL,
       "all ```\n# of it", "profiles/sdpa-small"},
      {"softmax", "small", endless, NULL, NULL, "no ncu", NULL, NULL},
      {NULL, NULL, NULL, NULL, NULL, "no ncu", NULL, NULL}};
  struct pawl_run_report report = {
      .profiles = profiles, .profile_count = 3, .seconds = NAN, .cost_usd = NAN};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_report_markdown(&report, NULL, &text, &err), PAWL_OK);
  const char *why = strstr(
      text.data, "**Why**, `sdpa` on `small`: 1 us -> 2 us: spills. The limit is now `bound by ");
  assert_non_null(why);
  assert_non_null(strstr(why, "aaa..."));
  assert_null(strstr(why, "</b>. Try"));
  const char *missing = strstr(text.data, "Without counters: no ncu.");
  assert_non_null(missing);
  assert_null(strstr(missing + 1, "Without counters"));
  assert_non_null(strstr(
      text.data,
      "Its files are in `profiles/sdpa-small` of the run's folder:\n\n````\nall ```\n# of it"));
  assert_true(text.length < 1500);
}

/* The first page names the lines that add most to the change; the table has all. */
static void test_lines_of_profiles(void **state) {
  (void)state;
  const struct pawl_report_line lines[] = {
      {"sdpa.cu", 214, "acc += p * v;", 1e-6, 4.1e-6, "8 LDS.128 became 32 LDS"},
      {"sdpa.cu", 9, NULL, 2e-6, 2.4e-6, NULL},
      {"sdpa.cu", 10, NULL, 2e-6, 2.1e-6, NULL},
      {"sdpa.cu", 11, "x = <b>;", 2e-6, 1.8e-6, NULL}};
  /* the other lines became faster */
  const struct pawl_report_line larger = {"norm.cu", 5, NULL, 1e-6, 4.4e-6, NULL};
  const struct pawl_report_profile profiles[] = {
      {"sdpa", "small", "1 us -> 2 us: spills", NULL, NULL, NULL, "all", NULL, 8e-6, 11.4e-6, lines,
       4, NULL},
      {"norm", "small", "slower", NULL, NULL, NULL, "all", NULL, 8e-6, 11.1e-6, &larger, 1, NULL},
      {"softmax", "small", "slower", NULL, NULL, NULL, "all", NULL, NAN, NAN, NULL, 0,
       "CUPTI took no sample"}};
  struct pawl_run_report report = {
      .profiles = profiles, .profile_count = 3, .seconds = NAN, .cost_usd = NAN};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  assert_int_equal(pawl_report_markdown(&report, NULL, &text, NULL), PAWL_OK);
  assert_non_null(
      strstr(text.data, "`norm.cu:5`: +3.400 us, other lines -300.0 ns, together +3.100 us."));
  assert_non_null(strstr(text.data,
                         "- `sdpa.cu:214` `acc += p * v;`: +3.100 us of +3.400 us: 8 "
                         "LDS.128 became 32 LDS.\n- `sdpa.cu:9`: +400.0 ns of"));
  assert_null(strstr(text.data, "- `sdpa.cu:10`")); /* 3 % of the change */
  assert_non_null(strstr(text.data, "\xe2\x96\x88 91 %"));
  assert_non_null(strstr(text.data, "| -6 % |"));
  assert_non_null(strstr(text.data,
                         "`softmax` on `small`: no time of source lines: CUPTI took no "
                         "sample."));
}

static void test_parts_at_once(void **state) {
  (void)state;
  const struct pawl_run_phases phases = {.build = 1.5, .bench = 2};
  struct pawl_run_report report = {.seconds = 2, .cost_usd = NAN, .phases = &phases};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text one = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text several = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_report_markdown(&report, NULL, &several, &err), PAWL_OK);
  assert_non_null(
      strstr(several.data, "took 2.0 s; all parts together: building 1.5 s, timing 2.0 s."));
  report.seconds = 4;
  assert_int_equal(pawl_report_markdown(&report, NULL, &one, &err), PAWL_OK);
  assert_non_null(strstr(one.data, "took 4.0 s: building 1.5 s, timing 2.0 s."));
}

static void test_missing_new_unsupported(void **state) {
  (void)state;
  struct pawl_result before[] = {timed_result(&arena, "k", "gone", 512, 1),
                                 timed_result(&arena, "k", "stays", 64, 1)};
  struct pawl_result now[] = {timed_result(&arena, "k", "fresh", 1024, 2),
                              timed_result(&arena, "k", "stays", 64, 1),
                              make_result("k", make_case(&arena, "odd", 63)),
                              make_result("torch_sdpa", make_case(&arena, "stays", 64))};
  now[2].outcome = PAWL_OUTCOME_UNSUPPORTED;
  now[2].reason = "S must be even";
  now[3].outcome = PAWL_OUTCOME_ABSENT;
  now[3].reason = "no python3 with torch";
  struct made_run run;
  judge_run(&run, &arena, before, 2, now, 4);
  check_golden(&run.report, "missing");
}

static void test_results_alone(void **state) {
  (void)state;
  struct pawl_result items[2] = {timed_result(&arena, "k", "c", 64, 0.0123),
                                 make_result("k", make_case(&arena, "only figures", 128))};
  items[1].performance.median_ms = 2500;
  struct pawl_results results = results_of(items, 2);
  results.commit = NULL;
  const struct pawl_run_report report = {.results = &results, .seconds = NAN, .cost_usd = NAN};
  check_golden(&report, "results");
}

static void test_hundred_rows(void **state) {
  (void)state;
  struct pawl_result *before = pawl_arena_alloc(&arena, 100, sizeof *before);
  struct pawl_result *now = pawl_arena_alloc(&arena, 100, sizeof *now);
  for (int i = 0; i < 100; i++) {
    const char *name = pawl_arena_printf(&arena, "case_%03d", i);
    before[i] = timed_result(&arena, "k", name, 64 + i, 1 + i);
    now[i] = timed_result(&arena, "k", name, 64 + i,
                          (1 + i) * (i == 31   ? 1.05
                                     : i == 57 ? 1.5
                                     : i == 77 ? 0.8
                                               : 1));
  }
  struct made_run run;
  judge_run(&run, &arena, before, 100, now, 100);
  check_golden(&run.report, "hundred");
}

static void test_hostile_names(void **state) {
  (void)state;
  static const char hostile[] =
      "a|b`c\n</code><img src=x onerror=alert(1)> @octocat #1 [x](http://e.vil) \\| *b* _i_ &lt;";
  struct pawl_result before = timed_result(&arena, hostile, hostile, 64, 1);
  struct pawl_result now = timed_result(&arena, hostile, hostile, 64, 1.2);
  now.reason = hostile;
  const char *text = hostile;
  now.warnings = now.roofline.recommendations = &text;
  now.warning_count = now.roofline.recommendation_count = 1;
  now.roofline.bottleneck = hostile;
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  run.results.commit = run.results.hardware_name = run.results.toolchain = run.results.timestamp =
      hostile;
  run.report.notices = &text;
  run.report.notice_count = 1;
  check_golden(&run.report, "hostile");
}

/* The report shows where the environment of a row differs from the first row's. */
static void test_environment_by_row(void **state) {
  (void)state;
  struct pawl_result rows[3] = {timed_result(&arena, "k", "a", 64, 1),
                                timed_result(&arena, "k", "b", 128, 1),
                                timed_result(&arena, "torch", "a", 64, 1)};
  json_t *first = json_pack("{s:s, s:{s:s}}", "python", "3.11", "device", "name", "A CPU");
  json_t *other =
      json_pack("{s:s, s:s, s:{s:s}}", "python", "3.12", "torch", "2.8", "device", "name", "A GPU");
  rows[0].environment = rows[1].environment = first;
  rows[2].environment = other;
  struct pawl_results results = results_of(rows, 3);
  const struct pawl_run_report report = {.results = &results, .seconds = NAN, .cost_usd = NAN};
  struct pawl_text text = {0};
  struct pawl_error err;
  assert_int_equal(pawl_report_markdown(&report, NULL, &text, &err), PAWL_OK);
  assert_non_null(strstr(
      text.data, "- `torch` on `a`: `python: \"3.12\", torch: \"2.8\", device.name: \"A GPU\"`\n"));
  assert_null(strstr(text.data, "- `k` on `b`: `"));
  pawl_text_clear(&text);
  json_decref(first);
  json_decref(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_regression, clear_arena),
      cmocka_unit_test_teardown(test_a_paired_row_says_one_thing, clear_arena),
      cmocka_unit_test_teardown(test_an_unpaired_row_says_so, clear_arena),
      cmocka_unit_test_teardown(test_improvement, clear_arena),
      cmocka_unit_test_teardown(test_nothing_changed, clear_arena),
      cmocka_unit_test_teardown(test_many_rows, clear_arena),
      cmocka_unit_test_teardown(test_wrong_kernel, clear_arena),
      cmocka_unit_test_teardown(test_build_failure, clear_arena),
      cmocka_unit_test_teardown(test_profiles, clear_arena),
      cmocka_unit_test_teardown(test_lines_of_profiles, clear_arena),
      cmocka_unit_test_teardown(test_parts_at_once, clear_arena),
      cmocka_unit_test_teardown(test_missing_new_unsupported, clear_arena),
      cmocka_unit_test_teardown(test_results_alone, clear_arena),
      cmocka_unit_test_teardown(test_hundred_rows, clear_arena),
      cmocka_unit_test_teardown(test_environment_by_row, clear_arena),
      cmocka_unit_test_teardown(test_hostile_names, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
