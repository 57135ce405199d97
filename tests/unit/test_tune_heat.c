/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes on after a heat: the faster half, and whom chance may have made slower. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/heat.h"

#define BLOCKS 8
#define AS_GOOD 0.025
#define MUCH_ROOM 100

/* Blocks whose median is this, and half of which lie `spread` away from it on each side. */
static struct pawl_heat_racer racer(double *blocks, double median, double spread) {
  for (int i = 0; i < BLOCKS; i++) blocks[i] = median + (i % 2 ? spread : -spread);
  return (struct pawl_heat_racer){median, blocks, BLOCKS};
}

/* Of four racers, each so much behind the one before. */
static size_t survivors(double step, double spread, double as_good, size_t room) {
  double blocks[4][BLOCKS];
  struct pawl_heat_racer racers[4];
  for (int i = 0; i < 4; i++) racers[i] = racer(blocks[i], i * step, spread);
  return pawl_heat_survivors(racers, 4, as_good, room);
}

/* A spread of .02 is a standard deviation of .0317, and an error of .0397 in a difference of medians of eight blocks:
   who is .0147 behind may be faster by .025. */
static void test_who_can_hardly_be_faster_leaves(void **state) {
  (void)state;
  assert_int_equal(survivors(0.021, 0.02, AS_GOOD, MUCH_ROOM), 2);
  assert_int_equal(survivors(0.0075, 0.02, AS_GOOD, MUCH_ROOM), 2); /* .0150 behind */
  assert_int_equal(survivors(0.0072, 0.02, AS_GOOD, MUCH_ROOM), 3); /* .0144, and the last .0216 */
  assert_int_equal(survivors(0.0048, 0.02, AS_GOOD, MUCH_ROOM), 4);
}

static void test_who_is_as_good_leaves_where_that_is_sure(void **state) {
  (void)state;
  assert_int_equal(survivors(0, 0.012, AS_GOOD, MUCH_ROOM), 2); /* an error of .0238 */
  assert_int_equal(survivors(0, 0.013, AS_GOOD, MUCH_ROOM), 4); /* of .0258 */
  assert_int_equal(survivors(0, 0.02, 0.5, MUCH_ROOM), 2);
}

static void test_half_goes_on_and_more_where_there_is_room(void **state) {
  (void)state;
  assert_int_equal(survivors(0.001, 0.05, AS_GOOD, 0), 2);
  assert_int_equal(survivors(0.001, 0.05, AS_GOOD, 3), 3);
  double blocks[BLOCKS];
  const struct pawl_heat_racer alone = racer(blocks, 0, 0.02);
  assert_int_equal(pawl_heat_survivors(&alone, 1, AS_GOOD, MUCH_ROOM), 1);
}

/* One block of each racer took three times as long: that says nothing of the others. */
static void test_a_block_that_was_held_up_does_not_count(void **state) {
  (void)state;
  double blocks[4][BLOCKS];
  struct pawl_heat_racer racers[4];
  for (int i = 0; i < 4; i++) {
    racers[i] = racer(blocks[i], i * 0.02, 0.002);
    blocks[i][BLOCKS - 1] = 1.1;
  }
  assert_int_equal(pawl_heat_survivors(racers, 4, AS_GOOD, MUCH_ROOM), 2);
}

/* Two blocks lie closer to their own median than to the true one: the error is 1.41 times that of what they show. */
static void test_few_blocks_show_too_small_a_spread(void **state) {
  (void)state;
  double blocks[4][2];
  struct pawl_heat_racer racers[4];
  for (int i = 0; i < 4; i++) {
    blocks[i][0] = i * 0.01 - 0.01;
    blocks[i][1] = i * 0.01 + 0.01;
    racers[i] = (struct pawl_heat_racer){i * 0.01, blocks[i], 2};
  }
  assert_int_equal(pawl_heat_survivors(racers, 4, AS_GOOD, MUCH_ROOM), 3); /* .0526; .02 and .03 behind */
}

static void test_who_failed_leaves(void **state) {
  (void)state;
  double blocks[4][BLOCKS];
  struct pawl_heat_racer racers[4];
  for (int i = 0; i < 4; i++) racers[i] = racer(blocks[i], i * 0.001, 0.02);
  racers[2] = racers[3] = (struct pawl_heat_racer){INFINITY, blocks[2], 0};
  assert_int_equal(pawl_heat_survivors(racers, 4, AS_GOOD, MUCH_ROOM), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_can_hardly_be_faster_leaves),
      cmocka_unit_test(test_who_is_as_good_leaves_where_that_is_sure),
      cmocka_unit_test(test_half_goes_on_and_more_where_there_is_room),
      cmocka_unit_test(test_a_block_that_was_held_up_does_not_count),
      cmocka_unit_test(test_few_blocks_show_too_small_a_spread),
      cmocka_unit_test(test_who_failed_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
