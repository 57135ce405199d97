/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is among the questions of a search that are open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "loop/tune_queue.h"

static struct pawl_tune_question prepared(size_t turn, enum pawl_outcome outcome) {
  return (struct pawl_tune_question){.prepared = true, .turn = turn, .kernel = {.outcome = outcome}};
}

static void test_turns(void **state) {
  (void)state;
  struct pawl_tune_queue queue = {.count = 4};
  assert_int_equal(pawl_tune_queue_ready(&queue), 4); /* all build */
  queue.items[1] = prepared(2, PAWL_OUTCOME_OK);
  assert_int_equal(pawl_tune_queue_ready(&queue), 1);
  queue.items[3] = prepared(0, PAWL_OUTCOME_OK);
  queue.items[2] = prepared(1, PAWL_OUTCOME_OK);
  assert_int_equal(pawl_tune_queue_ready(&queue), 3);
  queue.items[2].kernel.outcome = PAWL_OUTCOME_BUILD;
  assert_int_equal(pawl_tune_queue_ready(&queue), 2);
  pawl_tune_queue_remove(&queue, 2);
  assert_int_equal(pawl_tune_queue_ready(&queue), 2);
  pawl_tune_queue_remove(&queue, 2);
  assert_int_equal(pawl_tune_queue_ready(&queue), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
