/* SPDX-License-Identifier: Apache-2.0 */
/* How many more blocks the gate's sequential test needs at least. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/philox.h"
#include "stats/sequential.h"

static struct pawl_sequential start(const struct pawl_sequential_policy *policy) {
  struct pawl_sequential test;
  assert_int_equal(pawl_sequential_init(&test, policy, NULL), PAWL_OK);
  return test;
}

static enum pawl_decision add_all(struct pawl_sequential *test, const double *log_ratios,
                                  int count) {
  enum pawl_decision decision = PAWL_DECISION_CONTINUE;
  for (int i = 0; i < count; i++)
    assert_int_equal(pawl_sequential_add(test, log_ratios[i], &decision, NULL), PAWL_OK);
  return decision;
}

/* By trying: the fewest more blocks after which an answer comes, if they are all far slower, all
   far faster, or all alike. */
static int fewest_by_trying(const struct pawl_sequential_policy *policy, const double *log_ratios,
                            int count) {
  const double far[] = {1, -1, 0};
  int fewest = policy->max_blocks;
  for (size_t way = 0; way < sizeof far / sizeof *far; way++) {
    struct pawl_sequential test = start(policy);
    enum pawl_decision decision = add_all(&test, log_ratios, count);
    int more = 0;
    for (; decision == PAWL_DECISION_CONTINUE && count + more < policy->max_blocks; more++)
      assert_int_equal(pawl_sequential_add(&test, far[way], &decision, NULL), PAWL_OK);
    if (decision != PAWL_DECISION_INCONCLUSIVE && more < fewest) fewest = more;
    pawl_sequential_release(&test);
  }
  return fewest;
}

static void fewest_more_blocks_are_never_too_many(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(11, 0);
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  for (int trial = 0; trial < 60; trial++) {
    struct pawl_sequential test = start(&policy);
    double log_ratios[24];
    enum pawl_decision decision = PAWL_DECISION_CONTINUE;
    const double slow = trial % 4 * 0.01, spread = trial % 3 ? 0.02 : 0.002;
    assert_int_equal(pawl_sequential_fewest_more(&test), 8);
    for (int i = 0; i < 24 && decision == PAWL_DECISION_CONTINUE; i++) {
      log_ratios[i] = slow + spread * (pawl_random_double(&random) - 0.5);
      assert_int_equal(pawl_sequential_add(&test, log_ratios[i], &decision, NULL), PAWL_OK);
      const int fewest = pawl_sequential_fewest_more(&test),
                tried = fewest_by_trying(&policy, log_ratios, i + 1);
      if (decision != PAWL_DECISION_CONTINUE)
        assert_int_equal(fewest, 0);
      else
        assert_in_range(fewest, 1, tried);
    }
    pawl_sequential_release(&test);
  }
}

static void a_slow_block_puts_the_first_answer_off(void **state) {
  (void)state;
  struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_sequential test = start(&policy);
  const double slow[] = {0.05, 0.05};
  add_all(&test, slow, 2);
  assert_int_equal(pawl_sequential_fewest_more(&test), 10); /* REGRESSION after 12 that agree */
  pawl_sequential_release(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(fewest_more_blocks_are_never_too_many),
                                     cmocka_unit_test(a_slow_block_puts_the_first_answer_off)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
