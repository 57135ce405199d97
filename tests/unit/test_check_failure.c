/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/failure.h"

static bool alike(const char *a, const char *b) {
  const struct pawl_check_row x = {.outcome = PAWL_OUTCOME_WRONG, .reason = a};
  const struct pawl_check_row y = {.outcome = PAWL_OUTCOME_WRONG, .reason = b};
  assert_int_equal(pawl_check_rows_alike(&y, &x), pawl_check_rows_alike(&x, &y));
  return pawl_check_rows_alike(&x, &y);
}

static void test_alike(void **state) {
  (void)state;
  assert_true(alike("y[0] is 0, expected -1.94, off by 1.94 > 2.9e-06",
                    "y[999] is -3e+10, expected 7, off by 1 > 2"));
  assert_true(alike("same", "same"));
  assert_false(alike("y[0] is 0", "z[0] is 0"));
  assert_false(alike("y[0] is 0", "y[0] is nan")); /* another kind of wrong */
  assert_false(alike("y is 0", "y is 0 and more"));
  assert_false(alike("a-b", "a-1"));
  assert_false(alike("x", ""));
  assert_true(alike(NULL, NULL));
  assert_false(alike(NULL, "x"));
  const struct pawl_check_row wrong = {.outcome = PAWL_OUTCOME_WRONG, .reason = "x"};
  const struct pawl_check_row crashed = {.outcome = PAWL_OUTCOME_CRASHED, .reason = "x"};
  const struct pawl_check_row passed = {.outcome = PAWL_OUTCOME_OK};
  assert_false(pawl_check_rows_alike(&wrong, &crashed));
  assert_false(pawl_check_rows_alike(&passed, &passed));
}

static void test_groups(void **state) {
  (void)state;
  struct pawl_check_row rows[] = {{.outcome = PAWL_OUTCOME_OK},
                                  {.outcome = PAWL_OUTCOME_WRONG, .reason = "y[1]"},
                                  {.outcome = PAWL_OUTCOME_CRASHED, .reason = "SIGSEGV"},
                                  {.outcome = PAWL_OUTCOME_UNSUPPORTED, .reason = "y[1]"},
                                  {.outcome = PAWL_OUTCOME_WRONG, .reason = "y[25]"},
                                  {.outcome = PAWL_OUTCOME_WRONG, .reason = "y[7]"}};
  const struct pawl_check_report report = {.rows = rows, .count = 6};
  size_t count;
  struct pawl_check_failure *failures = pawl_check_failures(&report, &count);
  assert_int_equal(count, 2);
  assert_ptr_equal(failures[0].row, &rows[1]);
  assert_int_equal(failures[0].others, 2);
  assert_ptr_equal(failures[1].row, &rows[2]);
  assert_int_equal(failures[1].others, 0);
  pawl_free(failures);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_alike), cmocka_unit_test(test_groups)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
