/* SPDX-License-Identifier: Apache-2.0 */
/* How many candidates an evaluator builds while it times one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "loop/tune_crew.h"

static void test_builds_keep_the_device_at_work(void **state) {
  (void)state;
  assert_int_equal(pawl_tune_crew_ahead(1, 0.5, 16, 2), 3);
  assert_int_equal(pawl_tune_crew_ahead(1.2, 0.5, 16, 2), 4);
  assert_int_equal(pawl_tune_crew_ahead(0.01, 0.5, 16, 2), 2); /* it is there when the first is answered */
  assert_int_equal(pawl_tune_crew_ahead(12, 0.3, 16, 2), 8);
}

static void test_no_more_than_cpus_and_others_leave(void **state) {
  (void)state;
  assert_int_equal(pawl_tune_crew_ahead(12, 0.3, 3.5, 2), 3);
  assert_int_equal(pawl_tune_crew_ahead(12, 0.3, 1, 2), 3);
  assert_int_equal(pawl_tune_crew_ahead(12, 0.3, 16, 1), 8);
  assert_int_equal(pawl_tune_crew_ahead(12, 0.3, 16, 4), 4);
  assert_int_equal(pawl_tune_crew_ahead(12, 0.3, 16, 40), 2);
  assert_int_equal(pawl_tune_crew_ahead(12, 0.3, 0, 2), 2); /* nothing builds beside */
}

static void test_before_anything_was_measured(void **state) {
  (void)state;
  assert_int_equal(pawl_tune_crew_ahead(0, 0, 16, 2), 2);
  assert_int_equal(pawl_tune_crew_ahead(9, 0, 16, 2), 8); /* all failed: builds are all that takes time */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_builds_keep_the_device_at_work),
                                     cmocka_unit_test(test_no_more_than_cpus_and_others_leave),
                                     cmocka_unit_test(test_before_anything_was_measured)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
