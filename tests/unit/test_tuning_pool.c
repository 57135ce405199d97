/* SPDX-License-Identifier: Apache-2.0 */
/* How many candidates an evaluator builds while it times one, and what it may answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/journal.h"
#include "tuning/pool.h"

static void test_builds_keep_the_device_at_work(void **state) {
  (void)state;
  assert_int_equal(pawl_tune_pool_ahead(1, 0.5, 16, 2), 3);
  assert_int_equal(pawl_tune_pool_ahead(1.2, 0.5, 16, 2), 4);
  assert_int_equal(pawl_tune_pool_ahead(0.01, 0.5, 16, 2),
                   2); /* it is there when the first is answered */
  assert_int_equal(pawl_tune_pool_ahead(12, 0.3, 16, 2), 8);
}

static void test_no_more_than_cpus_and_others_leave(void **state) {
  (void)state;
  assert_int_equal(pawl_tune_pool_ahead(12, 0.3, 3.5, 2), 3);
  assert_int_equal(pawl_tune_pool_ahead(12, 0.3, 1, 2), 3);
  assert_int_equal(pawl_tune_pool_ahead(12, 0.3, 16, 1), 8);
  assert_int_equal(pawl_tune_pool_ahead(12, 0.3, 16, 4), 4);
  assert_int_equal(pawl_tune_pool_ahead(12, 0.3, 16, 40), 2);
  assert_int_equal(pawl_tune_pool_ahead(12, 0.3, 0, 2), 2); /* nothing builds beside */
}

static void test_before_anything_was_measured(void **state) {
  (void)state;
  assert_int_equal(pawl_tune_pool_ahead(0, 0, 16, 2), 2);
  assert_int_equal(pawl_tune_pool_ahead(9, 0, 16, 2),
                   8); /* all failed: builds are all that takes time */
}

/* Returns the status that the reader and the check give for an evaluator's answer. */
static enum pawl_status_code read_answer(const char *members) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  struct pawl_error err = {0};
  struct pawl_tune_candidate candidate;
  const char *text = pawl_arena_printf(&arena, "{\"key\": \"A=1\", %s}", members);
  assert_int_equal(pawl_json_parse(text, strlen(text), "an answer", false, &answer, &err), PAWL_OK);
  assert_int_equal(pawl_tune_candidate_read(answer, "an answer", &arena, &candidate, &err),
                   PAWL_OK);
  return pawl_tune_candidate_check(&candidate, "an answer", &err);
}

#define OK_WITH(members) read_answer("\"outcome\": \"ok\", " members)

static void test_times_that_no_measurement_gives(void **state) {
  (void)state;
  assert_int_equal(OK_WITH("\"median_ms\": -1, \"current_ms\": 0"), PAWL_BAD_DATA);
  assert_int_equal(OK_WITH("\"median_ms\": 0, \"current_ms\": 5"), PAWL_BAD_DATA);
  assert_int_equal(OK_WITH("\"median_ms\": 4"), PAWL_BAD_DATA);
  assert_int_equal(OK_WITH("\"median_ms\": null, \"current_ms\": null"), PAWL_BAD_DATA);
  assert_int_equal(OK_WITH("\"median_ms\": 4, \"current_ms\": 5, \"build_s\": -1"), PAWL_BAD_DATA);
  assert_int_equal(OK_WITH("\"median_ms\": 4, \"current_ms\": -5, \"same_as\": \"A=2\""),
                   PAWL_BAD_DATA);
  assert_int_equal(read_answer("\"outcome\": \"wrong\", \"median_ms\": -1"), PAWL_BAD_DATA);
  assert_int_equal(OK_WITH("\"cases\": [{\"median_ms\": 4, \"current_ms\": 5}, {\"median_ms\": -4, "
                           "\"current_ms\": 5}]"),
                   PAWL_BAD_DATA);
}

static void test_times_that_evaluators_send(void **state) {
  (void)state;
  assert_int_equal(
      OK_WITH("\"median_ms\": 4, \"current_ms\": 5, \"build_s\": 0, \"measure_s\": 0.1"), PAWL_OK);
  assert_int_equal(OK_WITH("\"median_ms\": null, \"current_ms\": null, \"same_as\": \"current\""),
                   PAWL_OK);
  assert_int_equal(read_answer("\"outcome\": \"crashed\", \"median_ms\": null"), PAWL_OK);
  assert_int_equal(
      OK_WITH("\"cases\": [{\"median_ms\": 4, \"current_ms\": 5}, {\"median_ms\": null}]"),
      PAWL_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_builds_keep_the_device_at_work),
                                     cmocka_unit_test(test_no_more_than_cpus_and_others_leave),
                                     cmocka_unit_test(test_before_anything_was_measured),
                                     cmocka_unit_test(test_times_that_no_measurement_gives),
                                     cmocka_unit_test(test_times_that_evaluators_send)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
