/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the open questions of a search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tuning/queue.h"

static struct pawl_tune_question prepared(size_t turn, enum pawl_outcome outcome) {
  return (struct pawl_tune_question){
      .prepared = true, .turn = turn, .kernel = {.outcome = outcome}};
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

static bool expect_backwards(struct pawl_search *search, void *state, const size_t *held,
                             size_t count, double *out) {
  (void)search, (void)state;
  for (size_t i = 0; i < count; i++) out[i] = -(double)held[i];
  return true;
}

/* An answer changes the order of the questions, also of those whose processes wait. Questions
   that come later are last, in the order in which they were asked. */
static void test_ranks(void **state) {
  (void)state;
  const struct pawl_strategy backwards = {.expect = expect_backwards};
  struct pawl_search search = {.strategy = &backwards};
  struct pawl_tuning tuning = {0};
  struct pawl_tune_queue queue = {0};
  for (size_t i = 0; i < 4; i++) {
    const struct pawl_tune_question question = {.candidate = {.index = 5 - i}, .known = true};
    if (i == 2) pawl_tune_queue_rank(&queue, &search);
    pawl_tune_queue_add(&tuning, &queue, &question);
    queue.items[i].known = false;
    queue.items[i].prepared = true;
    queue.items[i].kernel.outcome = PAWL_OUTCOME_OK;
  }
  assert_int_equal(pawl_tune_queue_ready(&queue), 0);
  queue.items[0].prepared = false;
  assert_int_equal(pawl_tune_queue_ready(&queue), 1);
  queue.items[1].prepared = false;
  assert_int_equal(pawl_tune_queue_ready(&queue), 2);
  queue.items[3].candidate.index = 9;
  pawl_tune_queue_rank(&queue, &search);
  assert_int_equal(pawl_tune_queue_ready(&queue), 3);
  pawl_tune_queue_remove(&queue, 3);
  assert_int_equal(pawl_tune_queue_ready(&queue), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_turns), cmocka_unit_test(test_ranks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
