/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks do not count because the device waited for the host. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/guard.h"

static struct pawl_block block_of(size_t base_waited, size_t candidate_waited) {
  struct pawl_block block = {.before = pawl_device_state_unknown(), .after = pawl_device_state_unknown()};
  block.arms[0].count = block.arms[1].count = 50;
  block.arms[0].waited = base_waited;
  block.arms[1].waited = candidate_waited;
  return block;
}

static void some_samples_that_waited_spoil_a_block(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_block good = block_of(0, 0), base = block_of(3, 0), candidate = block_of(50, 49);
  assert_null(pawl_block_spoiled(&good, &arena));
  assert_string_equal(pawl_block_spoiled(&base, &arena), "the device waited for the host in 3 of 50 samples");
  assert_string_equal(pawl_block_spoiled(&candidate, &arena), "the device waited for the host in 49 of 50 samples");
  pawl_arena_clear(&arena);
}

/* Both arms' launches wait for the device: no other block would be better. */
static void launches_that_wait_spoil_none(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_block both = block_of(50, 50), one = block_of(0, 50);
  assert_null(pawl_block_spoiled(&both, &arena));
  assert_null(pawl_block_spoiled(&one, &arena));
  pawl_arena_clear(&arena);
}

/* Of the whole block where that is known; of the moments around it where it was too short. */
static void other_load_disturbs_a_block(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_block block = block_of(0, 0);
  block.other_busy = 1.25;
  assert_string_equal(pawl_block_crowded(&block, &arena), "other processes used 1.2 CPUs");
  assert_null(pawl_block_spoiled(&block, &arena));
  block.other_busy = 0.1;
  block.after.other_busy = 2;
  assert_null(pawl_block_crowded(&block, &arena));
  block.other_busy = NAN;
  assert_string_equal(pawl_block_crowded(&block, &arena), "other processes used 2.0 CPUs");
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(some_samples_that_waited_spoil_a_block),
      cmocka_unit_test(launches_that_wait_spoil_none),
      cmocka_unit_test(other_load_disturbs_a_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
