/* SPDX-License-Identifier: Apache-2.0 */
/* suggestions.md: the sentence on what a search tried, whatever it met. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/suggestions.h"

static void expect(struct pawl_tune_candidate *candidates, size_t count, const char *sentence) {
  static const struct pawl_space space = {.count = 11};
  const struct pawl_tune tune = {.kernel_name = "k",
                                 .case_name = "c",
                                 .hardware_name = "cpu",
                                 .conclusion = "no decision",
                                 .strategy = "auto",
                                 .seed = 42,
                                 .seconds = 12,
                                 .race_seconds = 3.2,
                                 .space = &space,
                                 .candidates = candidates,
                                 .count = count};
  const struct pawl_tune_insight none = {0};
  struct pawl_text text = {0};
  pawl_tune_suggestions(&tune, &none, "pawl.yaml", "perf/out/tune", NULL, &text);
  assert_non_null(strstr(text.data, sentence));
  pawl_text_clear(&text);
}

static void test_what_was_tried(void **state) {
  (void)state;
  expect(NULL, 0, "with strategy `auto`, seed 42.\n");
  struct pawl_tune_candidate candidates[3] = {{.key = "A=1"}, {.key = "A=2"}, {.key = "A=3"}};
  candidates[0].outcome = candidates[2].outcome = PAWL_OUTCOME_OK;
  candidates[0].checked = true;
  candidates[1].outcome = PAWL_OUTCOME_WRONG;
  expect(candidates, 3,
         "with strategy `auto`, seed 42: 2 ok (1 of them ended early, not compared), 1 wrong.\n");
}

static void test_the_race(void **state) {
  (void)state;
  struct pawl_tune_candidate candidates[] = {
      {.key = "A=1", .race_blocks = 6, .race_ratio = 0.75},
      {.key = "A=2"},
      {.key = "A=3", .race_blocks = 1, .race_ratio = INFINITY},
      {.key = "A=4", .race_blocks = 6, .race_ratio = 0.7}};
  candidates[2].outcome = PAWL_OUTCOME_CRASHED;
  expect(candidates, 4, "The best 3 of the screening were measured again, in turn, for 3 s.");
  expect(candidates, 4, "| `A=4` | 0.700 | 6 |\n| `A=1` | 0.750 | 6 |\n| `A=3` | crashed | 1 |\n");
}

static void test_why_they_failed(void **state) {
  (void)state;
  struct pawl_tune_candidate candidates[15] = {
      {.key = "A=0", .outcome = PAWL_OUTCOME_WRONG, .reason = "nan at 7"},
      {.key = "A=1", .outcome = PAWL_OUTCOME_BUILD, .reason = "needs 233472 bytes"},
      {.key = "A=2"},
      {.key = "A=3", .outcome = PAWL_OUTCOME_BUILD, .reason = "needs 235520 bytes"},
      {.key = "A=4", .outcome = PAWL_OUTCOME_CRASHED, .reason = "needs 235520 bytes"}};
  expect(candidates, 5,
         "`tune.json` has the reason of each configuration.\n\n"
         "| configurations | outcome | reason | example |\n|---:|---|---|---|\n"
         "| 2 | build_failed | `needs 233472 bytes` | `A=1` |\n| 1 | wrong | `nan at 7` | `A=0` |\n"
         "| 1 | crashed | `needs 235520 bytes` | `A=4` |\n");
  char reasons[15][2] = {0};
  for (int i = 0; i < 15; i++) {
    reasons[i][0] = (char)('a' + i);
    candidates[i] = (struct pawl_tune_candidate){
        .key = "A", .outcome = PAWL_OUTCOME_HUNG, .reason = reasons[i]};
  }
  expect(candidates, 15, "| 1 | hung | `j` | `A` |\n\n`tune.json` has 5 more kinds of failure.\n");
}

static void test_equal_code_is_listed_once(void **state) {
  (void)state;
  struct pawl_tune_candidate candidates[] = {
      {.key = "A=1", .median_ms = 2, .base_ms = 4, .checked = true},
      {.key = "A=2", .median_ms = 2, .base_ms = 4, .same_as = "A=1"},
      {.key = "A=3", .median_ms = 3, .base_ms = 4}};
  expect(candidates, 3,
         "---|\n| `A=1` | 2 ms | 4 ms | 0.5 | compared |\n| `A=3` | 3 ms | 4 ms | 0.75 | ended "
         "early |\n");
}

static void test_shares(void **state) {
  (void)state;
  struct pawl_tune_value values[] = {{.word = "1"}, {.word = "2"}};
  struct pawl_tune_axis axes[] = {{.name = "A", .values = values, .count = 2},
                                  {.name = "B", .values = values, .count = 2}};
  const struct pawl_space space = {.axes = axes, .axis_count = 2};
  const struct pawl_tune tune = {.kernel_name = "k",
                                 .case_name = "c",
                                 .hardware_name = "cpu",
                                 .conclusion = "no decision",
                                 .strategy = "auto",
                                 .space = &space};
  struct pawl_tune_effect effects[] = {{.axis = 0, .share = 0.9, .worst = 1, .ratio = 2},
                                       {.axis = 1, .share = 0.05, .worst = 1, .ratio = 1.5}};
  const struct pawl_tune_insight insight = {effects, 2};
  struct pawl_text text = {0};
  pawl_tune_suggestions(&tune, &insight, "pawl.yaml", "perf/out/tune", NULL, &text);
  assert_non_null(
      strstr(text.data, "what is left of 100 % comes from parameters that act together."));
  assert_non_null(
      strstr(text.data, "| `A` | 90 % | `1` | `2` | 2.00 |\n| `B` | 5 % | `1` | `2` | 1.50 |\n"));
  pawl_text_clear(&text);
  effects[1].share = 0.3;
  pawl_tune_suggestions(&tune, &insight, "pawl.yaml", "perf/out/tune", NULL, &text);
  assert_non_null(strstr(
      text.data, "the sum is more than 100 % because constraints let parameters change together."));
  assert_null(strstr(text.data, "what is left"));
  pawl_text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_was_tried),
                                     cmocka_unit_test(test_the_race), cmocka_unit_test(test_shares),
                                     cmocka_unit_test(test_why_they_failed),
                                     cmocka_unit_test(test_equal_code_is_listed_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
