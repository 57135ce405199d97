/* SPDX-License-Identifier: Apache-2.0 */
/* suggestions.md: the sentence on what a search tried, whatever it met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
                                 .space = &space,
                                 .candidates = candidates,
                                 .count = count};
  const struct pawl_tune_insight none = {0};
  struct pawl_text text = {0};
  pawl_tune_suggestions(&tune, &none, "pawl.yaml", NULL, &text);
  assert_non_null(strstr(text.data, sentence));
  pawl_text_clear(&text);
}

static void test_what_was_tried(void **state) {
  (void)state;
  expect(NULL, 0, "with strategy `auto`, seed 42.\n");
  struct pawl_tune_candidate candidates[3] = {{.key = "A=1"}, {.key = "A=2"}, {.key = "A=3"}};
  candidates[0].outcome = candidates[2].outcome = PAWL_OUTCOME_OK;
  candidates[1].outcome = PAWL_OUTCOME_WRONG;
  expect(candidates, 3, "with strategy `auto`, seed 42: 2 ok, 1 wrong.\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_was_tried)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
