/* SPDX-License-Identifier: Apache-2.0 */
/* All claims of a sweep hold together: simulated sweeps of equal code, and of faster code. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/variates.h"
#include "sweep/claims.h"

#define OK(call) assert_int_equal(call, PAWL_OK)
#define POINTS 20
#define BLOCKS 14
#define SWEEPS 200

static const struct pawl_sweep_arm arms[] = {
    {.name = "a", .operator_name = "scale", .device = "cuda"},
    {.name = "b", .operator_name = "scale", .device = "cuda"},
    {.name = "reference", .operator_name = "scale", .device = "cuda", .reference = true},
};
#define ARMS (sizeof arms / sizeof *arms)

/* Adds a block of each arm at each point. The times of a process scatter by 1 %, and a kernel takes
   `factor` times as long as the reference. */
static void simulate(struct pawl_sweep *sweep, double factor, struct pawl_random *random,
                     struct pawl_arena *arena) {
  for (size_t i = 0; i < (size_t)POINTS * BLOCKS; i++) {
    struct pawl_sweep_block block = {
        .point = i % POINTS, .number = i / POINTS, .timing_count = ARMS};
    block.timings = pawl_arena_alloc(arena, ARMS, sizeof *block.timings);
    for (size_t arm = 0; arm < ARMS; arm++) {
      double *samples = pawl_arena_alloc(arena, 2, sizeof *samples);
      samples[0] = samples[1] =
          exp(0.01 * pawl_draw_normal(random)) * (arms[arm].reference ? 1 : factor);
      block.timings[arm] = (struct pawl_sweep_timing){
          .arm = arms[arm].name, .samples_ms = samples, .sample_count = 2};
    }
    pawl_sweep_add(sweep, &block);
  }
}

/* Returns the number of intervals of a simulated sweep that exclude 1. */
static size_t count_decided(double factor, struct pawl_random *random) {
  struct pawl_arena arena = {0};
  struct pawl_sweep_point points[POINTS];
  struct pawl_sweep_claims claims;
  struct pawl_error err;
  size_t decided = 0;
  for (int i = 0; i < POINTS; i++)
    points[i] = (struct pawl_sweep_point){.case_name = pawl_arena_printf(&arena, "n=%d", i),
                                          .operator_name = "scale",
                                          .device = "cuda",
                                          .rounds = 1};
  struct pawl_sweep sweep = {.plan = {.precision = 0.01,
                                      .least_blocks = 12,
                                      .most_blocks = BLOCKS,
                                      .samples = 2,
                                      .cache = "warm",
                                      .arms = (struct pawl_sweep_arm *)(uintptr_t)arms,
                                      .arm_count = ARMS,
                                      .points = points,
                                      .point_count = POINTS}};
  simulate(&sweep, factor, random, &arena);
  OK(pawl_sweep_claim(&sweep, &arena, &claims, &err));
  assert_int_equal(claims.claim_count, 2 * POINTS);
  assert_int_equal(claims.claim_count + claims.mean_count, pawl_sweep_count_intervals(&sweep.plan));
  assert_true(fabs(claims.confidence - (1 - 0.05 / (2 * POINTS + 2))) < 1e-12);
  for (size_t i = 0; i < claims.claim_count; i++)
    decided += claims.claims[i].verdict != PAWL_SWEEP_UNDECIDED;
  for (size_t i = 0; i < claims.mean_count; i++)
    decided += claims.means[i].low > 1 || claims.means[i].high < 1;
  pawl_sweep_release(&sweep);
  pawl_arena_clear(&arena);
  return decided;
}

/* With intervals of 95 % each, about 9 of 10 sweeps have a false claim. The 200 sweeps exceed 19
   false ones with a probability of 0.3 % if the rate is 5 %. */
static void test_equal_code(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(42, 1);
  int wrong = 0;
  for (int i = 0; i < SWEEPS; i++) wrong += count_decided(1, &random) > 0;
  assert_in_range(wrong, 0, 19);
}

static void test_faster_code(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(42, 2);
  assert_int_equal(count_decided(0.9, &random), 2 * POINTS + 2);
}

static void test_fewest_blocks(void **state) {
  (void)state;
  struct pawl_sweep_point point = {.case_name = "n=1", .operator_name = "scale", .device = "cuda"};
  const struct pawl_sweep_plan plan = {.arms = (struct pawl_sweep_arm *)(uintptr_t)arms,
                                       .arm_count = ARMS,
                                       .points = &point,
                                       .point_count = 1};
  assert_int_equal(pawl_sweep_count_intervals(&plan), 4); /* 2 claims, 2 means */
  assert_int_equal(pawl_sweep_least_blocks(&plan), 8);    /* 2 / 2^8 <= 5 % / 4 < 2 / 2^7 */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_code),
      cmocka_unit_test(test_faster_code),
      cmocka_unit_test(test_fewest_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
