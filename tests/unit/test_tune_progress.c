/* SPDX-License-Identifier: Apache-2.0 */
/* The line of a search, and the part of it that a terminal of 80 columns shows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/progress.h"
#include "tuning/screen.h"

#define LONG_KEY "BLOCK_M=128,BLOCK_N=64,STAGES=3,WARPS=8"

static void expect(const struct pawl_tune *tune, const char *doing, const char *key, int columns,
                   const char *wanted) {
  struct pawl_text words = {0}, details = {0}, line = {0};
  pawl_tune_progress_words(tune, doing, key, &words, &details);
  const struct pawl_progress progress = {"tuning", 300, 1200, true, true, details.data};
  pawl_progress_line(&progress, 300, columns, words.data, &line);
  assert_string_equal(line.data, wanted);
  pawl_text_clear(&words);
  pawl_text_clear(&details);
  pawl_text_clear(&line);
}

static void test_what_changes_is_seen_on_80_columns(void **state) {
  (void)state;
  static const struct pawl_space space = {.count = 345};
  struct pawl_tune_candidate candidates[] = {
      {.key = LONG_KEY, .checked = true, .median_ms = 8, .base_ms = 10},
      {.key = "BLOCK_M=64", .outcome = PAWL_OUTCOME_BUILD, .median_ms = NAN, .base_ms = NAN},
      {.key = "BLOCK_M=32", .outcome = PAWL_OUTCOME_WRONG, .median_ms = NAN, .base_ms = NAN},
      {.key = "BLOCK_M=16", .outcome = PAWL_OUTCOME_BUILD, .median_ms = NAN, .base_ms = NAN}};
  struct pawl_tune tune = {.space = &space, .current_in_space = true};
  expect(&tune, "timing", "A=1", 80,
         "tuning [#####---------------] 25 %, at most 15 min left  1 of 345; timing A=1");
  tune.candidates = candidates;
  tune.count = 4;
  expect(&tune, "building", LONG_KEY, 80,
         "tuning 25 %, at most 15 min left  5 of 345, best -20.0 %, 3 failed; building BL");
  expect(&tune, "timing 12 candidates", NULL, 103,
         "tuning [##--------] 25 %, at most 15 min left  5 of 345, best -20.0 %, 3 failed; timing "
         "12 candidates;");
  expect(&tune, "building", "A=1", 0,
         "tuning: 25 %, at most 15 min left: 5 of 345, best -20.0 %, 3 failed; building A=1; 1 "
         "wrong, 2 build_failed; "
         "best: " LONG_KEY);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_changes_is_seen_on_80_columns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
