/* SPDX-License-Identifier: Apache-2.0 */
/* A block does not count if the device waited for the host. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/result_interval.h"
#include "measure/guard.h"
#include "measure/result_builder.h"

static struct pawl_block block_of(size_t base_waited, size_t candidate_waited) {
  struct pawl_block block = {.before = pawl_device_state_unknown(),
                             .after = pawl_device_state_unknown()};
  block.arms[0].count = block.arms[1].count = 50;
  block.arms[0].waited = base_waited;
  block.arms[1].waited = candidate_waited;
  return block;
}

static void some_samples_that_waited_spoil_a_block(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_block good = block_of(0, 0), base = block_of(3, 0),
                          candidate = block_of(50, 49);
  assert_null(pawl_block_spoiled(&good, &arena));
  assert_string_equal(pawl_block_spoiled(&base, &arena),
                      "the device waited for the host in 3 of 50 samples");
  assert_string_equal(pawl_block_spoiled(&candidate, &arena),
                      "the device waited for the host in 49 of 50 samples");
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

/* The load of the whole block counts where pawl knows it. If the block was too short, the load
   at the moments around it counts. */
static void other_load_disturbs_a_block(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_block block = block_of(0, 0);
  block.other_busy = 1.25;
  assert_string_equal(pawl_block_crowded(&block, &arena), "other processes used 1.2 CPUs");
  assert_null(pawl_block_spoiled(&block, &arena));
  block.disturbed = true;
  assert_string_equal(pawl_block_spoiled(&block, &arena),
                      "a process that pawl had stopped ran beside the timed calls");
  block.disturbed = false;
  block.other_busy = 0.1;
  block.after.other_busy = 2;
  assert_null(pawl_block_crowded(&block, &arena));
  block.other_busy = NAN;
  assert_string_equal(pawl_block_crowded(&block, &arena), "other processes used 2.0 CPUs");
  pawl_arena_clear(&arena);
}

/* A call of .4 ms; pawl was away for 100 ms as some of ten calls began. */
static struct pawl_block late_block(double seconds[10], double added[10], size_t late) {
  struct pawl_block block = block_of(0, 0);
  for (size_t i = 0; i < 10; i++) {
    added[i] = i < late ? 0.1 : 0;
    seconds[i] = 0.0004 + 1e-6 * (double)i + added[i];
  }
  block.arms[1].seconds = seconds, block.arms[1].added = added;
  block.arms[1].count = 10, block.arms[1].charged = late;
  block.other_busy = 1.7;
  return block;
}

/* Only where they are the median, and only where others have the CPUs: else the kernel itself is
 * late. */
static void calls_that_others_hold_up_spoil_a_block(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  double seconds[10], added[10];
  struct pawl_block block = late_block(seconds, added, 5);
  assert_string_equal(pawl_block_held_up(&block, &block.arms[1], &arena),
                      "other programs held up 5 of 10 calls");
  assert_null(pawl_block_spoiled(&block, &arena)); /* the suite decides about other programs */
  block.other_busy = 0.1;
  assert_null(pawl_block_held_up(&block, &block.arms[1], &arena));
  block = late_block(seconds, added, 4);
  assert_null(pawl_block_held_up(&block, &block.arms[1], &arena));
  block = late_block(seconds, added, 10);
  for (int i = 0; i < 10; i++)
    seconds[i] += 0.1 - 0.0004 * 0.05 - added[i], added[i] = 2e-5; /* no tenth of the time */
  assert_null(pawl_block_held_up(&block, &block.arms[1], &arena));
  pawl_arena_clear(&arena);
}

/* `gate: {busy: count}`: a machine that is always busy has times too. */
static void calls_that_others_hold_up_can_count(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  double seconds[10], added[10];
  const struct pawl_problem problem = {0};
  for (int counts = 0; counts < 2; counts++) {
    const struct pawl_bench_options options = {.busy_counts = counts};
    struct pawl_block block = late_block(seconds, added, 5);
    struct pawl_result_builder builder;
    pawl_result_builder_init(&builder, &problem, &options, &arena);
    assert_int_equal(pawl_result_builder_add(&builder, &block, 1), counts);
    assert_int_equal(builder.held_up, !counts);
    assert_int_equal(builder.result.process_count, counts);
    pawl_result_builder_release(&builder);
  }
  pawl_arena_clear(&arena);
}

/* Where no other process has a time, the delayed ones give an upper bound and a wide interval. */
static void calls_that_others_hold_up_give_a_time(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  double seconds[10], added[10];
  const struct pawl_problem problem = {0};
  const struct pawl_measure_spec spec = {.samples = 60, .processes = 6};
  const struct pawl_worker_options worker = {.name = "late"};
  const struct pawl_bench_options options = {.worker = &worker, .spec = &spec};
  struct pawl_block block = late_block(seconds, added, 10);
  struct pawl_result_builder builder;
  struct pawl_result result;
  struct pawl_error err;
  double low, high;
  int samples = 0;
  pawl_result_builder_init(&builder, &problem, &options, &arena);
  for (int i = 0; i < 3; i++) assert_false(pawl_result_builder_add(&builder, &block, 1));
  assert_int_equal(pawl_result_builder_take_held_up(&builder, 6, &samples), 3);
  assert_int_equal(samples, 30);
  for (int i = 0; i < 3; i++) assert_true(pawl_result_builder_add(&builder, &block, 1));
  assert_int_equal(pawl_result_builder_finish(&builder, &result, &err), PAWL_OK);
  assert_int_equal(result.outcome, PAWL_OUTCOME_OK);
  assert_int_equal(result.process_count, 6);
  assert_true(pawl_result_held_up(&result));
  assert_true(pawl_result_interval(&result, &low, &high));
  assert_float_equal(result.performance.median_ms, 100.4045, 1e-6);
  assert_float_equal(low, 0.4045, 1e-6);
  assert_float_equal(high, 100.4045, 1e-6);
  json_decref(result.environment);
  json_decref(result.gpu_state);
  pawl_arena_clear(&arena);
}

/* A sweep compares arms that all meet the power limit. Heat, and a slow-down of the hardware, are
   no part of a machine. */
static void the_power_limit_alone_can_be_left_out(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_block block = block_of(0, 0), other;
  block.before.frequency_mhz = 1980, block.after.frequency_mhz = 1500;
  block.after.event_reasons = "sw_power_cap";
  assert_string_equal(pawl_block_spoiled(&block, &arena), "the clock was throttled: sw_power_cap");
  other = pawl_block_without_power_limit(&block);
  assert_null(pawl_block_spoiled(&other, &arena));
  block.after.event_reasons = NULL;
  other = pawl_block_without_power_limit(&block);
  assert_string_equal(pawl_block_spoiled(&other, &arena), "the clock went from 1980 to 1500 MHz");
  block.before.power_capped_s = 0, block.after.power_capped_s = 0.5;
  other = pawl_block_without_power_limit(&block);
  assert_null(pawl_block_spoiled(&other, &arena));
  block.after.event_reasons = "sw_power_cap,hw_slowdown";
  other = pawl_block_without_power_limit(&block);
  assert_string_equal(pawl_block_spoiled(&other, &arena),
                      "the clock was throttled: sw_power_cap,hw_slowdown");
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_power_limit_alone_can_be_left_out),
      cmocka_unit_test(some_samples_that_waited_spoil_a_block),
      cmocka_unit_test(launches_that_wait_spoil_none),
      cmocka_unit_test(calls_that_others_hold_up_spoil_a_block),
      cmocka_unit_test(calls_that_others_hold_up_can_count),
      cmocka_unit_test(calls_that_others_hold_up_give_a_time),
      cmocka_unit_test(other_load_disturbs_a_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
