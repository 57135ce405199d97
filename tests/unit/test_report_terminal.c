/* SPDX-License-Identifier: Apache-2.0 */
#include "report_support.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static void expect(const struct pawl_run_report *report, const struct pawl_terminal_style *look,
                   const char *wanted) {
  struct pawl_text text = {0};
  pawl_report_terminal(report, look, &text);
  assert_string_equal(pawl_text_string(&text), wanted);
  pawl_text_clear(&text);
}

/* One row slower, one maintained, one wrong, and a reference that was timed beside them. */
static void make_run(struct made_run *run) {
  struct pawl_result before[3] = {timed_result(&arena, "sdpa", "small", 64, 1),
                                  timed_result(&arena, "sdpa", "the_largest", 128, 2),
                                  timed_result(&arena, "softmax", "small", 64, 3)};
  struct pawl_result *now = pawl_arena_alloc(&arena, 3, sizeof *now);
  now[0] = timed_result(&arena, "sdpa", "small", 64, 1.25);
  now[1] = timed_result(&arena, "sdpa", "the_largest", 128, 2);
  now[2] = make_result("softmax", make_case(&arena, "small", 64));
  now[2].outcome = PAWL_OUTCOME_WRONG;
  now[2].reason = "y[0] is 0,\nexpected 1";
  judge_run(run, &arena, before, 3, now, 3);
  struct pawl_result *with = pawl_arena_alloc(&arena, 4, sizeof *with);
  memcpy(with, now, 3 * sizeof *now);
  with[3] = timed_result(&arena, "torch", "the_largest", 128, 5);
  with[3].reference = true;
  run->results.items = with;
  run->results.count = 4;
}

#define VERDICT                                                                                 \
  "WRONG RESULT (unpaired): 1 of 4 configurations without a valid result: softmax on small, a " \
  "wrong result.\n"
#define FAILURES "\n  softmax on small: the result is wrong: y[0] is 0, expected 1\n"

static void test_rows(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct made_run run;
  make_run(&run);
  expect(&run.report, &pipe,
         VERDICT
         "\n"
         "  verdict                    kernel   case         change                        now  "
         "against the reference\n"
         "  broken                     softmax  small        -                               -\n"
         "  regression                 sdpa     small        25.0 % slower, unpaired  1.256 ms\n"
         "  no significant difference  sdpa     the_largest  0.0 %, unpaired          2.010 ms  "
         "2.50x torch\n" FAILURES);
}

/* A narrow terminal loses the reference first, then the time; what fits is not touched. */
static void test_width(void **state) {
  (void)state;
  const struct pawl_terminal_style fits = {.columns = 107}, narrow = {.columns = 106},
                                   narrower = {.columns = 80};
  struct made_run run;
  make_run(&run);
  struct pawl_text all = {0}, some = {0}, few = {0};
  pawl_report_terminal(&run.report, &fits, &all);
  pawl_report_terminal(&run.report, &narrow, &some);
  pawl_report_terminal(&run.report, &narrower, &few);
  assert_non_null(strstr(all.data, "2.50x torch"));
  assert_null(strstr(some.data, "torch"));
  assert_non_null(strstr(some.data, "2.010 ms"));
  assert_null(strstr(few.data, "2.010 ms"));
  assert_non_null(strstr(few.data, "25.0 % slower"));
  pawl_text_clear(&all);
  pawl_text_clear(&some);
  pawl_text_clear(&few);
}

/* The row of a kernel says how much of its limit it reaches, before the reference. */
static void test_limit(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct made_run run;
  make_run(&run);
  for (size_t i = 0; i < run.ratchet.count; i++) {
    struct pawl_result *result = (struct pawl_result *)(uintptr_t)run.ratchet.rows[i].result;
    if (result && result->outcome == PAWL_OUTCOME_OK)
      result->roofline = (struct pawl_roofline){.bottleneck = "memory", .efficiency_pct = 65};
  }
  struct pawl_text text = {0};
  pawl_report_terminal(&run.report, &pipe, &text);
  assert_non_null(strstr(text.data, "2.010 ms  memory 65.0 %  2.50x torch\n"));
  pawl_text_clear(&text);

  /* Blocks found twice the time of the kernel alone: the share is that of the time in the row. */
  for (size_t i = 0; i < run.ratchet.count; i++) run.ratchet.rows[i].comparison.current_ms *= 2;
  pawl_report_terminal(&run.report, &pipe, &text);
  assert_non_null(strstr(text.data, "4.020 ms  memory 32.5 %"));
  pawl_text_clear(&text);
}

static void test_colour(void **state) {
  (void)state;
  const struct pawl_terminal_style coloured = {.colour = true}, quiet = {.verdict_only = true};
  struct made_run run;
  make_run(&run);
  struct pawl_text text = {0};
  pawl_report_terminal(&run.report, &coloured, &text);
  assert_true(pawl_starts_with(text.data, "\033[1;31mWRONG RESULT\033[0m (unpaired)"));
  assert_non_null(
      strstr(text.data, "  \033[1;31mregression\033[0m                 sdpa     small"));
  pawl_text_clear(&text);
  expect(&run.report, &quiet, VERDICT);
}

/* Rows of a kernel that failed for the same reason share a line; names and reasons from outside
 * stay on it. */
static void test_failures(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct pawl_result before[3], now[3];
  static const char *const cases[3] = {"a", "b\033[31m", "c"};
  for (int i = 0; i < 3; i++) {
    before[i] = timed_result(&arena, "k", cases[i], 64 + i, 1);
    now[i] = make_result("k", make_case(&arena, cases[i], 64 + i));
    now[i].outcome = PAWL_OUTCOME_CRASHED;
    now[i].reason = i < 2 ? "kernel 'k' was killed by SIGSEGV\r\n\033[2J" : "no answer";
  }
  struct made_run run;
  judge_run(&run, &arena, before, 3, now, 3);
  struct pawl_text text = {0};
  pawl_report_terminal(&run.report, &pipe, &text);
  assert_non_null(strstr(
      text.data,
      "\n  k on a, b: kernel 'k' was killed by SIGSEGV \n  k on c: it crashed: no answer\n"));
  assert_null(strchr(text.data, '\033'));
  pawl_text_clear(&text);
}

static void test_a_row_without_a_device(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct pawl_result now = make_result("k", make_case(&arena, "a", 64));
  now.outcome = PAWL_OUTCOME_ABSENT;
  now.reason = "no NVIDIA driver";
  struct made_run run;
  judge_run(&run, &arena, NULL, 0, &now, 1);
  struct pawl_text text = {0};
  pawl_report_terminal(&run.report, &pipe, &text);
  assert_non_null(
      strstr(text.data, "\n  k on a: a device or a tool is missing: no NVIDIA driver\n"));
  pawl_text_clear(&text);
}

/* 5000 rows: the worst of each verdict, and a count of the others. No line is longer than ten
   cases. */
static void test_many_rows(void **state) {
  (void)state;
  enum { ROWS = 5000, SLOWER = 500, CRASHED = 100 };
  static const struct pawl_terminal_style pipe = {0};
  struct pawl_result *before = pawl_arena_alloc(&arena, ROWS, sizeof *before);
  struct pawl_result *now = pawl_arena_alloc(&arena, ROWS, sizeof *now);
  for (int i = 0; i < ROWS; i++) {
    const char *kernel = pawl_arena_printf(&arena, "k%d", i / 50);
    const char *name = pawl_arena_printf(&arena, "c%d", i);
    before[i] = timed_result(&arena, kernel, name, 64 + i, 1);
    now[i] = timed_result(&arena, kernel, name, 64 + i, i < SLOWER ? 1.25 + i * 1e-3 : 1);
    if (i < ROWS - CRASHED) continue;
    now[i] = make_result(kernel, make_case(&arena, name, 64 + i));
    now[i].outcome = PAWL_OUTCOME_CRASHED;
    now[i].reason = "killed";
  }
  struct made_run run;
  judge_run(&run, &arena, before, ROWS, now, ROWS);
  struct pawl_text text = {0};
  pawl_report_terminal(&run.report, &pipe, &text);
  size_t lines = 0, longest = 0;
  for (const char *line = text.data; *line; lines++) {
    const size_t length = strcspn(line, "\n");
    longest = length > longest ? length : longest;
    line += length + (line[length] == '\n');
  }
  assert_in_range(lines, 60, 100);
  assert_in_range(longest, 1, 160);
  assert_non_null(strstr(text.data,
                         "  more in verdict.json: 70 broken, 470 slower\n"
                         "  4400 without a change are in verdict.json\n"));
  assert_non_null(strstr(text.data, "c499 ")); /* the largest loss */
  assert_null(strstr(text.data, "c0 "));       /* the smallest */
  assert_non_null(strstr(text.data, " and 40 more: it crashed: killed\n"));
  pawl_text_clear(&text);
}

/* report.md shows 100 rows of a table: it has all rows of a smaller one. */
static void test_rows_that_fit_the_report(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  enum { MOST = 100 };
  struct pawl_result before[MOST + 1], now[MOST + 1];
  for (int i = 0; i <= MOST; i++) {
    const char *name = pawl_arena_printf(&arena, "c%d", i);
    before[i] = timed_result(&arena, "k", name, 64 + i, 1);
    now[i] = timed_result(&arena, "k", name, 64 + i, 2);
  }
  for (int rows = MOST; rows <= MOST + 1; rows++) {
    struct made_run run;
    judge_run(&run, &arena, before, (size_t)rows, now, (size_t)rows);
    struct pawl_text text = {0};
    pawl_report_terminal(&run.report, &pipe, &text);
    assert_non_null(strstr(text.data, rows > MOST ? "  more in verdict.json: 71 slower\n"
                                                  : "  more in report.md: 70 slower\n"));
    pawl_text_clear(&text);
  }
}

/* Blocks that all were disturbed decide nothing: the times of two runs are no change. */
static void test_no_block_counts(void **state) {
  (void)state;
  static const struct pawl_terminal_style pipe = {0};
  struct pawl_result before = timed_result(&arena, "k", "c", 64, 1),
                     now = timed_result(&arena, "k", "c", 64, 2);
  struct pawl_paired_test paired;
  struct made_run run;
  judge_run(&run, &arena, &before, 1, &now, 1);
  pawl_paired_test_init(&paired);
  paired.reason = "the machine was too busy";
  run.ratchet.rows[0].paired = &paired;
  run.ratchet.rows[0].comparison.verdict = PAWL_VERDICT_INCONCLUSIVE;
  run.ratchet.rows[0].comparison.reason = NULL;
  run.ratchet.counts[PAWL_VERDICT_REGRESSION] = 0;
  run.ratchet.counts[PAWL_VERDICT_INCONCLUSIVE] = 1;
  run.report.unpaired = false;
  run.report.seconds = 90;
  expect(&run.report, &pipe,
         "INCONCLUSIVE: no decision for 1 of 1 configuration.\n\n"
         "  verdict       kernel  case  change       now\n"
         "  inconclusive  k       c     -       2.010 ms\n"
         "\n  k on c: the machine was too busy\n"
         "\n1 min 30 s\n");
  const struct pawl_run_phases phases = {
      .build = 1, .check = 2, .bench = 30, .judge = 40, .references = 17, .waiting = 3};
  run.report.phases = &phases; /* whatever took time has its part */
  struct pawl_text text = {0};
  pawl_report_terminal(&run.report, &pipe, &text);
  assert_non_null(strstr(text.data,
                         "\n1 min 30 s: build 1.0, check 2.0, bench 30.0, judge 40.0, references "
                         "17.0, waiting 3.0\n"));
  pawl_text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_rows, clear_arena),
      cmocka_unit_test_teardown(test_width, clear_arena),
      cmocka_unit_test_teardown(test_limit, clear_arena),
      cmocka_unit_test_teardown(test_colour, clear_arena),
      cmocka_unit_test_teardown(test_failures, clear_arena),
      cmocka_unit_test_teardown(test_a_row_without_a_device, clear_arena),
      cmocka_unit_test_teardown(test_many_rows, clear_arena),
      cmocka_unit_test_teardown(test_rows_that_fit_the_report, clear_arena),
      cmocka_unit_test_teardown(test_no_block_counts, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
