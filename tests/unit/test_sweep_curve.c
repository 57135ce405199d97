/* SPDX-License-Identifier: Apache-2.0 */
/* The panels of the curves: shapes that differ in one size and in those that follow from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/count.h"
#include "sweep/plot.h"

#define MOST 64

struct fixture {
  struct pawl_sweep_point points[MOST];
  struct pawl_dim dims[MOST][4];
  struct pawl_sweep_time times[MOST];
  size_t count;
  struct pawl_plot plot;
};

static void add(struct fixture *fixture, int64_t batch, int64_t heads, int64_t length,
                int64_t depth) {
  static const char *const names[] = {"B", "H", "S", "D"};
  const int64_t values[] = {batch, heads, length, depth};
  const size_t i = fixture->count++;
  assert_true(i < MOST);
  for (size_t dim = 0; dim < PAWL_COUNT(values); dim++)
    fixture->dims[i][dim] = (struct pawl_dim){names[dim], values[dim]};
  fixture->points[i] = (struct pawl_sweep_point){.operator_name = "attention",
                                                 .device = "cuda",
                                                 .shape = {.dims = fixture->dims[i], .count = 4}};
  fixture->times[i] = (struct pawl_sweep_time){
      .point = &fixture->points[i], .arm = "kernel", .gflops = 1000.0 * (double)(i + 1)};
}

static void draw(struct fixture *fixture) {
  const struct pawl_sweep_claims claims = {.times = fixture->times, .time_count = fixture->count};
  pawl_curve_plot(&claims, &fixture->plot);
}

static int set_up(void **state) {
  *state = calloc(1, sizeof(struct fixture));
  return *state ? 0 : -1;
}

static int tear_down(void **state) {
  free(*state);
  return 0;
}

/* The batch follows from the length: B * S is 16384 in one panel, and free in the other. */
static void test_a_size_that_follows(void **state) {
  struct fixture *fixture = *state;
  for (int64_t length = 512; length <= 16384; length *= 2) {
    add(fixture, 16384 / length, 32, length, 64);
    add(fixture, 16384 / length, 16, length, 128);
  }
  for (int64_t length = 448; length <= 640; length += 64) add(fixture, 32, 8, length, 64);
  draw(fixture);
  assert_int_equal(fixture->plot.row_count, 3);
  assert_int_equal(fixture->plot.dot_count, 16);
  assert_string_equal(fixture->plot.rows[0], "attention: TFLOP/s over S; H=32; D=64");
  assert_string_equal(fixture->plot.rows[1], "attention: TFLOP/s over S; H=16; D=128");
  assert_string_equal(fixture->plot.rows[2], "attention: TFLOP/s over S; B=32; H=8; D=64");
  assert_true(fixture->plot.dots[0].low == 512 && fixture->plot.dots[0].value == 1);
}

/* Each batch has a panel of its own, and two shapes make no curve. */
static void test_sizes_of_a_product(void **state) {
  struct fixture *fixture = *state;
  for (int64_t batch = 1; batch <= 2; batch++)
    for (int64_t length = 1; length <= 3; length++) add(fixture, batch, 1, length, 64);
  add(fixture, 3, 1, 1, 64);
  add(fixture, 3, 1, 2, 64);
  draw(fixture);
  assert_int_equal(fixture->plot.row_count, 2);
  assert_int_equal(fixture->plot.dot_count, 6);
  assert_string_equal(fixture->plot.rows[0], "attention: TFLOP/s over S; B=1; H=1; D=64");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_a_size_that_follows, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_sizes_of_a_product, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
