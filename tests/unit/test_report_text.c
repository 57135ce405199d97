/* SPDX-License-Identifier: Apache-2.0 */
#include "record/conclusion.h"
#include "report/color.h"
#include "report/escape.h"
#include "report/figures.h"
#include "report/row_change.h"
#include "report_support.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static void expect(void (*escape)(const char *, struct pawl_text *), const char *given,
                   const char *wanted) {
  struct pawl_text text = {0};
  escape(given, &text);
  assert_string_equal(pawl_text_string(&text), wanted);
  pawl_text_clear(&text);
}

static void clean_line(const char *given, struct pawl_text *out) {
  pawl_clean_text(given, false, out);
}
static void clean_lines(const char *given, struct pawl_text *out) {
  pawl_clean_text(given, true, out);
}

static void test_cleaning(void **state) {
  (void)state;
  expect(clean_line, "a\nb\tc\r\x01", "a b c ");
  expect(clean_lines, "a\r\nb\tc", "a\nb\tc");
  expect(clean_line, "\x1b[01;31merror\x1b[m \x1b]x", "error x");
  expect(clean_line, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
         "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  expect(clean_line, "\xc3( \xff \xc0\x80 \xed\xa0\x80 \xf5\x80\x80\x80", "?( ? ?? ??? ????");
  expect(clean_line,
         "a\xe2\x80\xae"
         "b\xe2\x81\xa6"
         "c\xc2\x85",
         "aU+202EbU+2066cU+0085"); /* right-to-left override and the like */
  expect(clean_line, "a\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81",
         "aU+200BU+FEFFU+E0041"); /* characters that nobody sees */
  expect(clean_line, "\xc2\xa0\xe2\x80\xa6\xe4\xbd\xa0", "\xc2\xa0\xe2\x80\xa6\xe4\xbd\xa0");
  expect(clean_line, "cut \xe2\x82", "cut ??");
}

static void test_markdown(void **state) {
  (void)state;
  expect(pawl_markdown_code, "sdpa_cpu", "`sdpa_cpu`");
  expect(pawl_markdown_code, "@user #1 <b> *x*", "`@user #1 <b> *x*`");
  expect(pawl_markdown_code, "a|b", "<code>a&#124;b</code>");
  expect(pawl_markdown_code, "a`<b>", "<code>a&#96;&#60;b&#62;</code>");
  expect(pawl_markdown_code, "\\", "<code>&#92;</code>");
  expect(pawl_markdown_code, " \n", "<code></code>");
  expect(pawl_markdown_block, "x", "```\nx\n```\n");
  expect(pawl_markdown_block, "a\n````\nb\n", "`````\na\n````\nb\n`````\n");
}

static void test_prose(void **state) {
  (void)state;
  static const char *const prose[] = {"no ncu", "1 us -> 2 us: spills (+29.7 %)",
                                      "the case 'wide_n' is new; it applies",
                                      "set gate: {max_blocks: 90}", "src/a.c: too slow"};
  static const char *const marks[] = {
      "",           " ",           "@user",       "see #12", "a <b> c",   "a *b* c",   "_a_ b",
      "a _b_ c",    "a `b`",       "[a](b)",      "a | b",   "a ~b",      "a !12",     "a :bomb:",
      "http://a.b", "see a@b.c",   "see www.a.b", "see %5",  "see GH-12", "/close it", "a /close",
      "a\nb",       "caf\xc3\xa9", "a & b",       "- a"};
  for (size_t i = 0; i < sizeof prose / sizeof *prose; i++)
    assert_true(pawl_markdown_is_prose(prose[i]));
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    assert_false(pawl_markdown_is_prose(marks[i]));
}

static void test_html(void **state) {
  (void)state;
  expect(pawl_html_text, "<a href=\"x\" b='y'>&amp;\n",
         "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;\n");
}

#define assert_figure(call, wanted)        \
  do {                                     \
    char figure[PAWL_FIGURE];              \
    assert_string_equal((call), (wanted)); \
  } while (0)

static void test_figures(void **state) {
  (void)state;
  assert_figure(pawl_figure_time(1.2344, figure), "1.234 ms");
  assert_figure(pawl_figure_time(12.344, figure), "12.34 ms");
  assert_figure(pawl_figure_time(0.99996, figure), "1.000 ms"); /* not 1000.0 us */
  assert_figure(pawl_figure_time(9.9996, figure), "10.00 ms");
  assert_figure(pawl_figure_time(999.96, figure), "1.000 s");
  assert_figure(pawl_figure_time(0.0485, figure), "48.50 us");
  assert_figure(pawl_figure_time(12e-6, figure), "12.00 ns");
  assert_figure(pawl_figure_time(123456789, figure), "123457 s");
  assert_figure(pawl_figure_time(NAN, figure), "unknown");
  assert_figure(pawl_figure_time(0, figure), "0.000 ns");
  assert_figure(pawl_figure_interval(1, 0.999, 1.001, figure), "[0.999, 1.001] ms");
  assert_figure(pawl_figure_interval(0.9, 0.85, 1.1, figure),
                "[850, 1100] us"); /* the unit of its median */
  assert_figure(pawl_figure_interval(1, NAN, 1, figure), "unknown");
  assert_figure(pawl_figure_time_interval(0.5, 0.49, 1.2, figure), "500.0 us [490.0, 1200.0]");
  assert_figure(pawl_figure_time_interval(0.5, NAN, NAN, figure), "500.0 us");
  assert_figure(pawl_figure_change(-4.24, figure), "4.2 % slower");
  assert_figure(pawl_figure_change(12.3, figure), "12.3 % faster");
  assert_figure(pawl_figure_change(0, figure), "0.0 %");
  assert_figure(pawl_figure_change(-0.04, figure), "0.0 %");
  assert_figure(pawl_figure_change(NAN, figure), "unknown");
  /* a number that no measurement gives: its tenfold or its time in ns is infinite */
  assert_figure(pawl_figure_change(1e308, figure), "unknown");
  assert_figure(pawl_figure_percent(1e308, figure), "unknown");
  assert_figure(pawl_figure_time(1e308, figure), "unknown");
  assert_figure(pawl_figure_interval(0.04, 0.04, 1e308, figure), "unknown");
  assert_figure(pawl_figure_interval(0.04, -1e307, 0.05, figure), "unknown");
  assert_figure(pawl_figure_rate(1e308, "B/s", figure), "unknown");
  assert_figure(pawl_figure_seconds(1e308, figure), "unknown");
  const struct pawl_slowdown huge = {1e306, -0.5, 1e307}, open = {0.1, 0.05, 1e307};
  char words[PAWL_ROW_CHANGE];
  assert_string_equal(pawl_slowdown_words(&huge, words), "unknown");
  assert_string_equal(pawl_slowdown_words(&open, words), "10.0 % slower [+5.0, unknown]");
  assert_figure(pawl_figure_percent(-0.01, figure), "0.0 %");
  assert_figure(pawl_figure_p(0.0123, figure), "0.0123");
  assert_figure(pawl_figure_p(2e-34, figure), "< 0.0001");
  assert_figure(pawl_figure_p(NAN, figure), "unknown");
  assert_figure(pawl_figure_delta(-0.984, figure), "-0.98");
  assert_figure(pawl_figure_delta(0.001, figure), "0.00");
  assert_figure(pawl_figure_rate(86.83, "FLOP/s", figure), "86.83 GFLOP/s");
  assert_figure(pawl_figure_rate(355000, "FLOP/s", figure), "355.0 TFLOP/s");
  assert_figure(pawl_figure_rate(NAN, "B/s", figure), "unknown");
  assert_figure(pawl_figure_seconds(59.97, figure), "1 min 0 s");
  assert_figure(pawl_figure_seconds(200, figure), "3 min 20 s");
  assert_figure(pawl_figure_seconds(4000, figure), "1 h 6 min");
}

/* --- what a run comes to --- */

static void test_conclusion(void **state) {
  (void)state;
  static const struct {
    enum pawl_verdict verdict;
    enum pawl_conclusion conclusion;
    enum pawl_status_code status, strict; /* the exit status of `run` */
  } steps[] = {
      {PAWL_VERDICT_UNSUPPORTED, PAWL_CONCLUSION_NOTHING, PAWL_OK, PAWL_OK},
      {PAWL_VERDICT_NO_DIFFERENCE, PAWL_CONCLUSION_MAINTAINED, PAWL_OK, PAWL_OK},
      {PAWL_VERDICT_MAINTAINED, PAWL_CONCLUSION_MAINTAINED, PAWL_OK, PAWL_OK},
      {PAWL_VERDICT_NEW, PAWL_CONCLUSION_NEW, PAWL_OK, PAWL_OK},
      {PAWL_VERDICT_IMPROVEMENT, PAWL_CONCLUSION_IMPROVEMENT, PAWL_OK, PAWL_OK},
      {PAWL_VERDICT_ACCEPTED, PAWL_CONCLUSION_ACCEPTED, PAWL_OK, PAWL_OK},
      {PAWL_VERDICT_NEEDS_GPU, PAWL_CONCLUSION_NEEDS_GPU, PAWL_UNDECIDED, PAWL_UNDECIDED},
      /* this run has the row that needs a GPU too */
      {PAWL_VERDICT_INCONCLUSIVE, PAWL_CONCLUSION_INCONCLUSIVE, PAWL_UNDECIDED, PAWL_UNDECIDED},
      {PAWL_VERDICT_MISSING, PAWL_CONCLUSION_MISSING, PAWL_FAILED, PAWL_FAILED},
      {PAWL_VERDICT_WORSE_CODE, PAWL_CONCLUSION_WORSE_CODE, PAWL_FAILED, PAWL_FAILED},
      {PAWL_VERDICT_REGRESSION, PAWL_CONCLUSION_REGRESSION, PAWL_FAILED, PAWL_FAILED},
      {PAWL_VERDICT_BROKEN, PAWL_CONCLUSION_BROKEN, PAWL_FAILED, PAWL_FAILED},
      {PAWL_VERDICT_DROPPED, PAWL_CONCLUSION_DROPPED, PAWL_FAILED, PAWL_FAILED},
  };
  struct pawl_ratchet_row rows[PAWL_VERDICTS] = {0};
  struct pawl_ratchet_report ratchet = {.rows = rows};
  struct pawl_run_report report = {.ratchet = &ratchet};
  for (size_t i = 0; i < PAWL_VERDICTS;
       i++) { /* each is worse than all before it, wherever it stands */
    for (size_t row = ratchet.count++; row > 0; row--) rows[row] = rows[row - 1];
    rows[0].comparison.verdict = steps[i].verdict;
    assert_int_equal(pawl_run_conclusion(&report), steps[i].conclusion);
    assert_int_equal(pawl_ratchet_status(&ratchet, false), steps[i].status);
    assert_int_equal(pawl_ratchet_status(&ratchet, true), steps[i].strict);
    rows[i].comparison = rows[0].comparison; /* the last place */
    rows[0].comparison.verdict = PAWL_VERDICT_UNSUPPORTED;
    assert_int_equal(pawl_run_conclusion(&report), steps[i].conclusion);
  }
  assert_false(pawl_conclusion_fails(PAWL_CONCLUSION_INCONCLUSIVE));
  rows[0].comparison.verdict = PAWL_VERDICT_INCONCLUSIVE;
  ratchet.count = 1;
  assert_int_equal(pawl_ratchet_status(&ratchet, false), PAWL_OK);
  assert_int_equal(pawl_ratchet_status(&ratchet, true), PAWL_UNDECIDED);
  for (size_t i = 0; i < PAWL_VERDICTS; i++) {
    const enum pawl_verdict verdict = steps[i].verdict;
    assert_int_equal(pawl_conclusion_fails(steps[i].conclusion), pawl_verdict_fails(verdict));
    assert_int_equal(pawl_conclusion_is_good(steps[i].conclusion), i >= 1 && i <= 4);
    assert_int_equal(pawl_verdict_is_quiet(verdict), i <= 2);
    assert_int_equal(pawl_verdict_color(verdict) == PAWL_COLOR_BAD, pawl_verdict_fails(verdict));
  }
  struct pawl_paired_test here = {.origin = PAWL_ORIGIN_HERE},
                          inherited = {.origin = PAWL_ORIGIN_INHERITED};
  struct pawl_ratchet_row slower[3] = {{.paired = &inherited}, {.paired = &inherited}};
  slower[0].comparison.verdict = slower[1].comparison.verdict = PAWL_VERDICT_REGRESSION;
  slower[2].comparison.verdict = PAWL_VERDICT_MAINTAINED;
  const struct pawl_ratchet_report regressions = {.rows = slower, .count = 3};
  assert_int_equal(pawl_ratchet_status(&regressions, false),
                   PAWL_UNDECIDED); /* none was caused here */
  slower[1].paired = &here;
  assert_int_equal(pawl_ratchet_status(&regressions, false), PAWL_FAILED);
  slower[1].paired = &inherited;
  slower[2].comparison.verdict = PAWL_VERDICT_MISSING;
  assert_int_equal(pawl_ratchet_status(&regressions, false), PAWL_FAILED);
  static const struct {
    enum pawl_outcome first, second;
    enum pawl_conclusion conclusion;
  } failures[] = {{PAWL_OUTCOME_OK, PAWL_OUTCOME_WRONG, PAWL_CONCLUSION_WRONG},
                  {PAWL_OUTCOME_CRASHED, PAWL_OUTCOME_OK, PAWL_CONCLUSION_CRASHED},
                  {PAWL_OUTCOME_OK, PAWL_OUTCOME_HUNG, PAWL_CONCLUSION_HUNG},
                  {PAWL_OUTCOME_HUNG, PAWL_OUTCOME_CRASHED, PAWL_CONCLUSION_CRASHED},
                  {PAWL_OUTCOME_CRASHED, PAWL_OUTCOME_WRONG, PAWL_CONCLUSION_WRONG},
                  {PAWL_OUTCOME_WRONG, PAWL_OUTCOME_DROPPED, PAWL_CONCLUSION_DROPPED},
                  {PAWL_OUTCOME_OK, PAWL_OUTCOME_OK,
                   PAWL_CONCLUSION_WRONG}}; /* a file does not say what failed */
  rows[ratchet.count - 1].comparison.verdict = PAWL_VERDICT_BROKEN;
  for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
    struct pawl_check_row checked[] = {{.outcome = failures[i].first},
                                       {.outcome = failures[i].second}};
    const struct pawl_check_report failed = {.rows = checked, .count = 2, .passed = 1, .failed = 1};
    const struct pawl_report_check check = {"k", &failed};
    report.checks = &check, report.check_count = 1;
    assert_int_equal(pawl_run_conclusion(&report), failures[i].conclusion);
    assert_true(pawl_conclusion_fails(failures[i].conclusion));
  }
  report.check_count = 0;
  struct pawl_result crashed = {.outcome = PAWL_OUTCOME_CRASHED}; /* later, in the timing */
  const struct pawl_results results = {.items = &crashed, .count = 1};
  report.results = &results;
  assert_int_equal(pawl_run_conclusion(&report), PAWL_CONCLUSION_CRASHED);
  crashed.outcome = PAWL_OUTCOME_NO_TIMES;
  assert_int_equal(pawl_run_conclusion(&report), PAWL_CONCLUSION_NO_TIMES);
  assert_true(pawl_conclusion_fails(PAWL_CONCLUSION_NO_TIMES));
  const struct pawl_report_build build = {.kernel_name = "k", .ok = false};
  report.builds = &build, report.build_count = 1;
  assert_int_equal(pawl_run_conclusion(&report), PAWL_CONCLUSION_BUILD_FAILED);
  const struct pawl_run_report nothing = {0};
  assert_int_equal(pawl_run_conclusion(&nothing), PAWL_CONCLUSION_NOTHING);
  const struct pawl_check_report passed = {.passed = 3}, empty = {.unsupported = 3};
  struct pawl_report_check check = {"k", &passed};
  struct pawl_run_report alone = {.checks = &check, .check_count = 1};
  assert_int_equal(pawl_run_conclusion(&alone),
                   PAWL_CONCLUSION_NOTHING); /* a run that has no times */
  alone.check_alone = true;
  assert_int_equal(pawl_run_conclusion(&alone), PAWL_CONCLUSION_CORRECT);
  assert_true(pawl_conclusion_is_good(PAWL_CONCLUSION_CORRECT));
  check.report = &empty;
  assert_int_equal(pawl_run_conclusion(&alone), PAWL_CONCLUSION_NOTHING);
}

static void test_json(void **state) {
  (void)state;
  struct pawl_result before = timed_result(&arena, "k", "c", 64, 1),
                     now = timed_result(&arena, "k", "c", 64, 1.1);
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  const char *notice = "bad \xff byte";
  run.report.notices = &notice, run.report.notice_count = 1;
  json_t *document = NULL;
  struct pawl_error err;
  assert_int_equal(pawl_verdict_to_json(&run.report, &document, &err), PAWL_OK);
  assert_string_equal(json_string_value(json_object_get(document, "verdict")), "regression");
  assert_true(json_is_true(json_object_get(document, "failed")));
  assert_true(json_is_true(json_object_get(document, "unpaired")));
  assert_true(json_is_null(json_object_get(document, "cost_usd")));
  const json_t *totals = json_object_get(document, "totals");
  assert_int_equal(json_integer_value(json_object_get(totals, "regressions")), 1);
  const json_t *row = json_array_get(json_object_get(document, "comparisons"), 0);
  assert_near(json_real_value(json_object_get(row, "delta_pct")), -10, 1e-9);
  assert_string_equal(json_string_value(json_object_get(row, "baseline_change")), "kept");
  assert_string_equal(json_string_value(json_object_get(row, "baseline_commit")),
                      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  assert_string_equal(json_string_value(json_array_get(json_object_get(document, "notices"), 0)),
                      "bad ? byte");
  json_decref(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_cleaning, clear_arena),
      cmocka_unit_test_teardown(test_markdown, clear_arena),
      cmocka_unit_test_teardown(test_prose, clear_arena),
      cmocka_unit_test_teardown(test_html, clear_arena),
      cmocka_unit_test_teardown(test_figures, clear_arena),
      cmocka_unit_test_teardown(test_conclusion, clear_arena),
      cmocka_unit_test_teardown(test_json, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
