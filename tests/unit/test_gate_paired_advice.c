/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/paired_advice.h"

static void expect(const struct pawl_paired_test *paired, const char *wanted) {
  struct pawl_text text = {0};
  pawl_paired_test_advise(paired, &text);
  assert_string_equal(pawl_text_string(&text), wanted);
  pawl_text_clear(&text);
}

static void test_advice(void **state) {
  (void)state;
  struct pawl_paired_test paired;
  struct pawl_text seen = {0};
  pawl_paired_test_init(&paired);
  paired.policy = pawl_sequential_default_policy();
  paired.policy.max_blocks = 60;
  paired.policy.comparisons = 1;
  paired.decision = PAWL_DECISION_INCONCLUSIVE;
  paired.block_count = paired.counted = 60;
  paired.block_sd = 0.03;
  struct pawl_sequential test = {0};
  struct pawl_sequential_policy policy = paired.policy;
  policy.max_blocks = 1000;
  assert_int_equal(pawl_sequential_init(&test, &policy, NULL), PAWL_OK);
  const int needed = pawl_sequential_blocks_needed(&test, policy.detect, 0.03, PAWL_PAIRED_POWER);
  pawl_sequential_release(&test);
  assert_in_range(needed, 61, 999);
  char wanted[200];
  snprintf(wanted, sizeof wanted,
           "To decide it: at this noise (3.0 %% between blocks) a slow-down of 3.0 %% needs about "
           "%d blocks; set gate: "
           "{max_blocks: %d}.",
           needed, needed);
  expect(&paired, wanted);
  paired.block_count = paired.counted = 30; /* the time ended first, not max_blocks */
  snprintf(wanted, sizeof wanted,
           "To decide it: at this noise (3.0 %% between blocks) a slow-down of 3.0 %% needs about "
           "%d blocks. There were 30, so give the run more time.",
           needed);
  expect(&paired, wanted);
  paired.block_count = paired.counted = 60;
  paired.block_sd = 0.5;
  expect(&paired,
         "To decide it: at this noise (50.0 % between blocks) a slow-down of 3.0 % needs more than "
         "1000 blocks, so use a "
         "quieter machine or a longer case.");
  paired.slowdown.estimate =
      17; /* far above `detect`: that is what a run with more blocks will see */
  paired.block_count = paired.counted = 7;
  paired.block_sd = 0.2;
  pawl_paired_test_advise(&paired, &seen);
  assert_true(pawl_starts_with(
      pawl_text_string(&seen),
      "To decide it: at this noise (20.0 % between blocks) a slow-down of 1700 % needs about "));
  assert_true(pawl_ends_with(seen.data, " blocks. There were 7, so give the run more time."));
  pawl_text_clear(&seen);
  paired.slowdown.estimate = -0.9; /* a speed-up of that size needs few blocks too */
  pawl_paired_test_advise(&paired, &seen);
  assert_true(pawl_starts_with(
      pawl_text_string(&seen),
      "To decide it: at this noise (20.0 % between blocks) a speed-up of 90.0 % needs about "));
  pawl_text_clear(&seen);
  paired.drifts = true;
  expect(
      &paired,
      "To decide it, more blocks do not help: keep the machine's state constant (other programs, "
      "clocks, heat; 'pawl doctor' looks at them), then run it again.");
  paired.drifts = false;
  paired.block_sd = NAN;
  expect(&paired, "");
  struct pawl_paired_block blocks[100] = {0};
  for (int i = 60; i < 100; i++) blocks[i].spoiled = "other processes used 1.2 CPUs";
  paired.blocks = blocks;
  paired.block_count = 100;
  paired.counted = 60;
  expect(&paired,
         "To decide it, stop the other programs, or commit gate: {busy: count} to the base, whose "
         "policy judges.");
  for (int i = 60; i < 100; i++) blocks[i].spoiled = "the device was at 91 C"; /* no load */
  expect(&paired,
         "40 of 100 blocks do not count, the last one because the device was at 91 C. To decide "
         "it, keep the state of the machine constant.");
  paired.decision = PAWL_DECISION_MAINTAINED;
  expect(&paired, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_advice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
