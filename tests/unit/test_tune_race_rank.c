/* SPDX-License-Identifier: Apache-2.0 */
/* The racers that go on after a stage: those that may be the best, and those that chance may
   have made slower. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/race_rank.h"

#define ROUNDS 8
#define RACERS 4
#define AS_GOOD 0.025
#define MUCH_ROOM 100

/* Each racer is `step` behind the one before. In each round two lie `spread` above that and two
   below, and all have the luck of the round. */
static void fill(double blocks[RACERS][ROUNDS], double step, double spread) {
  static const double luck[ROUNDS] = {0, 0.3, -0.2, 0.1, 0, -0.3, 0.2, -0.1};
  for (int i = 0; i < RACERS; i++)
    for (int round = 0; round < ROUNDS; round++)
      blocks[i][round] = i * step + luck[round] + ((i + round) % 2 ? spread : -spread);
}

static size_t survivors_of(double blocks[RACERS][ROUNDS], size_t rounds, double as_good,
                           size_t room) {
  struct pawl_race_racer racers[RACERS];
  for (int i = 0; i < RACERS; i++) racers[i] = (struct pawl_race_racer){.blocks = blocks[i]};
  pawl_race_rank(racers, RACERS, rounds);
  for (int i = 1; i < RACERS; i++) assert_true(racers[i].standing >= racers[i - 1].standing - 1e-9);
  return pawl_race_survivors(racers, RACERS, rounds, as_good, room);
}

static size_t survivors(double step, double spread, double as_good, size_t room) {
  double blocks[RACERS][ROUNDS];
  fill(blocks, step, spread);
  return survivors_of(blocks, ROUNDS, as_good, room);
}

/* A spread of .02 is a standard deviation of .0366 (8 rounds, 4 racers), and an error of .0626 in a
   difference: of the slower half stays who is at most .0376 behind, of the faster half who is at
   most .0576 behind. */
static void test_who_can_hardly_be_the_best_leaves(void **state) {
  (void)state;
  assert_int_equal(survivors(0.0588, 0.02, AS_GOOD, MUCH_ROOM), 1);
  assert_int_equal(survivors(0.0564, 0.02, AS_GOOD, MUCH_ROOM), 2);
  assert_int_equal(survivors(0.0192, 0.02, AS_GOOD, MUCH_ROOM), 2);
  assert_int_equal(survivors(0.0184, 0.02, AS_GOOD, MUCH_ROOM), 3);
  assert_int_equal(survivors(0.0122, 0.02, AS_GOOD, MUCH_ROOM), 4);
}

static void test_who_is_as_good_leaves_where_that_is_sure(void **state) {
  (void)state;
  assert_int_equal(survivors(0, 0.0015, AS_GOOD, MUCH_ROOM), 1); /* an error of .0047 */
  assert_int_equal(survivors(0, 0.0018, AS_GOOD, MUCH_ROOM), 2); /* an error of .0056 */
  assert_int_equal(survivors(0, 0.0078, AS_GOOD, MUCH_ROOM), 2); /* an error of .0244 */
  assert_int_equal(survivors(0, 0.0083, AS_GOOD, MUCH_ROOM), 4); /* an error of .0260 */
}

static void test_half_goes_on_and_more_where_there_is_room(void **state) {
  (void)state;
  assert_int_equal(survivors(0.001, 0.05, AS_GOOD, 0), 2);
  assert_int_equal(survivors(0.001, 0.05, AS_GOOD, 3), 3);
  double blocks[RACERS][ROUNDS];
  fill(blocks, 0, 0.02);
  struct pawl_race_racer alone = {.blocks = blocks[0]};
  pawl_race_rank(&alone, 1, ROUNDS);
  assert_int_equal(pawl_race_survivors(&alone, 1, ROUNDS, AS_GOOD, MUCH_ROOM), 1);
}

/* The luck of a round is .3, what a racer differs by .01. */
static void test_the_luck_of_a_round_says_nothing(void **state) {
  (void)state;
  double blocks[RACERS][ROUNDS];
  struct pawl_race_racer racers[RACERS];
  fill(blocks, 0.01, 0.001);
  for (int i = 0; i < RACERS; i++) racers[i] = (struct pawl_race_racer){.blocks = blocks[i]};
  pawl_race_rank(racers, RACERS, ROUNDS);
  for (int i = 0; i < RACERS; i++)
    assert_true(fabs(racers[i].standing - racers[0].standing - 0.01 * i) < 0.0021);
  assert_true(fabs(racers[0].standing) < 0.02);
  assert_int_equal(pawl_race_survivors(racers, RACERS, ROUNDS, AS_GOOD, MUCH_ROOM), 1);
}

/* One block of each racer took three times as long: that says nothing of the others. */
static void test_a_block_that_was_held_up_does_not_count(void **state) {
  (void)state;
  double blocks[RACERS][ROUNDS];
  fill(blocks, 0.02, 0.002);
  for (int i = 0; i < RACERS; i++) blocks[i][i] += 1.1;
  assert_int_equal(survivors_of(blocks, ROUNDS, AS_GOOD, MUCH_ROOM), 1);
}

/* Two rounds lie closer to their own median than to the true one, an error is twice that of eight,
   and few values say less of how large it is. */
static void test_few_rounds_say_little(void **state) {
  (void)state;
  double blocks[RACERS][ROUNDS];
  fill(blocks, 0.0100, 0.01);
  assert_int_equal(survivors_of(blocks, ROUNDS, AS_GOOD, MUCH_ROOM),
                   2); /* .0313: the third is .0200 behind */
  assert_int_equal(survivors_of(blocks, 2, AS_GOOD, MUCH_ROOM), 4); /* .169 */
  fill(blocks, 0.0300, 0.01);
  assert_int_equal(survivors_of(blocks, 1, AS_GOOD, 3), 3); /* nothing is known */
}

/* By chance two of them are the same distance apart twice. Four rounds more would have shown that
 * the slower is not. */
static void test_two_rounds_of_two_racers_decide_little(void **state) {
  (void)state;
  const double blocks[2][2] = {{0, 0.1}, {0.03, 0.131}};
  struct pawl_race_racer racers[2] = {{.blocks = blocks[0]}, {.blocks = blocks[1]}};
  pawl_race_rank(racers, 2, 2);
  assert_true(fabs(racers[1].standing - racers[0].standing - 0.0305) < 1e-9);
  assert_int_equal(pawl_race_survivors(racers, 2, 2, AS_GOOD, MUCH_ROOM), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_can_hardly_be_the_best_leaves),
      cmocka_unit_test(test_who_is_as_good_leaves_where_that_is_sure),
      cmocka_unit_test(test_half_goes_on_and_more_where_there_is_room),
      cmocka_unit_test(test_the_luck_of_a_round_says_nothing),
      cmocka_unit_test(test_a_block_that_was_held_up_does_not_count),
      cmocka_unit_test(test_few_rounds_say_little),
      cmocka_unit_test(test_two_rounds_of_two_racers_decide_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
