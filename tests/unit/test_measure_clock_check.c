/* SPDX-License-Identifier: Apache-2.0 */
/* When are reported times impossible? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/integrity/looks.h"

#define NEVER 20

/* Returns after how many such requests the times are impossible, at most NEVER. */
static int requests(struct pawl_clock_facts facts) {
  int suspicion = 0;
  for (int i = 1; i < NEVER; i++)
    if (pawl_clock_is_impossible(&facts, &suspicion)) return i;
  return NEVER;
}

static void test_a_wait_for_a_cpu_explains_two_calls(void **state) {
  (void)state;
  struct pawl_clock_facts facts = {.calls = 2, .longer = 2, .excess_ns = 60000, .waited_ns = 59000};
  assert_int_equal(requests(facts), 1);
  facts.waited_ns = -1; /* unknown */
  assert_int_equal(requests(facts), 1);
  facts.waited_ns = 61000;
  assert_int_equal(requests(facts), 3);
}

static void test_one_call_is_not_enough(void **state) {
  (void)state;
  struct pawl_clock_facts facts = {.calls = 4, .longer = 1, .excess_ns = 30000};
  assert_int_equal(requests(facts), 3);
  facts.calls = 1;
  assert_int_equal(requests(facts), 2);
  facts.longer = 0;
  assert_int_equal(requests(facts), NEVER);
}

static void test_an_honest_kernel_beside_other_programs_is_never_accused(void **state) {
  (void)state;
  const struct pawl_clock_facts held = {
      .calls = 2, .longer = 2, .excess_ns = 60000, .waited_ns = 5000000};
  const struct pawl_clock_facts usual = {.calls = 2, .waited_ns = 5000000};
  int suspicion = 0;
  for (int i = 0; i < 1000; i++) /* a request in five is held up where it matters */
    assert_false(pawl_clock_is_impossible(i % 5 ? &usual : &held, &suspicion));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_wait_for_a_cpu_explains_two_calls),
      cmocka_unit_test(test_one_call_is_not_enough),
      cmocka_unit_test(test_an_honest_kernel_beside_other_programs_is_never_accused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
