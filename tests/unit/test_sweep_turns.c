/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the shapes of a sweep, and its time left. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sweep/claims.h"
#include "sweep/turns.h"

#define OK(call) assert_int_equal(call, PAWL_OK)
#define POINTS 3

struct fixture {
  struct pawl_arena arena;
  struct pawl_sweep sweep;
  struct pawl_sweep_arm arms[2];
  struct pawl_sweep_point points[POINTS];
};

static int set_up(void **state) {
  struct fixture *fixture = calloc(1, sizeof *fixture);
  static const char *const names[POINTS] = {"a", "b", "c"};
  fixture->arms[0] =
      (struct pawl_sweep_arm){.name = "kernel", .operator_name = "scale", .device = "cuda"};
  fixture->arms[1] = (struct pawl_sweep_arm){
      .name = "reference", .operator_name = "scale", .device = "cuda", .reference = true};
  for (int i = 0; i < POINTS; i++)
    fixture->points[i] = (struct pawl_sweep_point){
        .case_name = names[i], .operator_name = "scale", .device = "cuda", .rounds = 1};
  fixture->sweep.plan = (struct pawl_sweep_plan){.precision = 0.01,
                                                 .least_blocks = 12,
                                                 .most_blocks = 60,
                                                 .samples = 2,
                                                 .arms = fixture->arms,
                                                 .arm_count = 2,
                                                 .points = fixture->points,
                                                 .point_count = POINTS};
  *state = fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  pawl_sweep_release(&fixture->sweep);
  pawl_arena_clear(&fixture->arena);
  free(fixture);
  return 0;
}

/* Adds blocks whose speed-ups lie `spread` above and below 1. */
static void add_blocks(struct fixture *fixture, size_t point, size_t count, double spread) {
  for (size_t i = 0; i < count; i++) {
    struct pawl_sweep_block block = {.point = point, .number = i, .timing_count = 2};
    block.timings = pawl_arena_alloc(&fixture->arena, 2, sizeof *block.timings);
    for (int arm = 0; arm < 2; arm++) {
      double *samples = pawl_arena_alloc(&fixture->arena, 2, sizeof *samples);
      samples[0] = samples[1] = arm ? 1 + (i % 2 ? spread : -spread) : 1;
      block.timings[arm] = (struct pawl_sweep_timing){
          .arm = fixture->arms[arm].name, .samples_ms = samples, .sample_count = 2};
    }
    pawl_sweep_add(&fixture->sweep, &block);
  }
}

static size_t left_of(struct fixture *fixture, size_t point) {
  struct pawl_error err = {0};
  size_t left;
  OK(pawl_sweep_point_left(&fixture->sweep, point, &left, &err));
  return left;
}

/* The width of an interval falls with the root of the number of blocks. */
static void test_blocks_left(void **state) {
  struct fixture *fixture = *state;
  assert_int_equal(left_of(fixture, 0), 12);
  add_blocks(fixture, 0, 12, 0.02);
  assert_in_range(left_of(fixture, 0), 35, 37); /* 48 blocks, for twice the precision */
  add_blocks(fixture, 1, 12, 0.009);
  assert_int_equal(left_of(fixture, 1), 0);
  add_blocks(fixture, 2, 12, 0.2);
  assert_int_equal(left_of(fixture, 2), 48); /* not more than the plan allows */
}

static void test_seconds_left(void **state) {
  struct fixture *fixture = *state;
  struct pawl_sweep_turns turns;
  struct pawl_error err = {0};
  add_blocks(fixture, 0, 12, 0.02);
  OK(pawl_sweep_turns_init(&turns, &fixture->sweep, &fixture->arena, NULL, &err));
  assert_true(isnan(pawl_sweep_turns_seconds_left(&turns))); /* earlier blocks say nothing */
  OK(pawl_sweep_turns_note(&turns, 0, 4, 2.0, &err));
  add_blocks(fixture, 1, 12, 0.009);
  OK(pawl_sweep_turns_note(&turns, 1, 12, 18.0, &err));
  /* 36 blocks of half a second, and 12 of the mean of 0.5 and 1.5 */
  assert_true(fabs(pawl_sweep_turns_seconds_left(&turns) - (36 * 0.5 + 12 * 1.0)) < 1);
}

static void test_rounds(void **state) {
  struct fixture *fixture = *state;
  struct pawl_sweep_turns turns;
  struct pawl_error err = {0};
  int met[POINTS] = {0};
  add_blocks(fixture, 1, 12, 0.009); /* it is done */
  OK(pawl_sweep_turns_init(&turns, &fixture->sweep, &fixture->arena, NULL, &err));
  pawl_sweep_turns_deal(&turns);
  assert_int_equal(turns.count, 2);
  while (turns.count) met[pawl_sweep_turns_take(&turns, turns.count - 1)]++;
  assert_int_equal(met[0] + 10 * met[1] + 100 * met[2], 101);
  turns.points[0].away = true;
  pawl_sweep_turns_deal(&turns);
  assert_int_equal(turns.count, 1);
  assert_int_equal(pawl_sweep_turns_take(&turns, 0), 2);
}

/* A sweep that was killed has shapes with more blocks than others. Their crews differ. */
static void test_fewer_blocks_first(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  add_blocks(fixture, 1, 5, 0.2);
  add_blocks(fixture, 0, 6, 0.2);
  for (uint64_t seed = 0; seed < 8; seed++) {
    struct pawl_sweep_turns turns;
    fixture->sweep.plan.seed = seed;
    OK(pawl_sweep_turns_init(&turns, &fixture->sweep, &fixture->arena, NULL, &err));
    pawl_sweep_turns_deal(&turns);
    assert_int_equal(turns.count, POINTS);
    assert_int_equal(turns.order[0] * 100 + turns.order[1] * 10 + turns.order[2], 210);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_blocks_left, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_seconds_left, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_rounds, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_fewer_blocks_first, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
