/* SPDX-License-Identifier: Apache-2.0 */
/* The interval by process: exact over all ways in which processes can lie about their median. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/philox.h"
#include "stats/process_interval.h"
#include "stats/sign_test.h"
#include "stats/variates.h"

/* Each process lies below or above the true median, here 0, with probability 1/2: 2^count ways, all
   as likely. How many of them the interval holds 0 in. */
static int ways_held(int count) {
  int held = 0;
  double medians[16], low, high;
  for (int way = 0; way < 1 << count; way++) {
    for (int i = 0; i < count; i++) medians[i] = (way >> i & 1 ? 1 : -1) * (1 + 0.01 * i);
    pawl_process_interval(medians, (size_t)count, &low, &high);
    held += low <= 0 && 0 <= high;
  }
  return held;
}

static void it_holds_the_median_as_often_as_it_says(void **state) {
  (void)state;
  for (int count = (int)PAWL_PROCESS_INTERVAL_LEAST; count <= 14; count++) {
    const double confidence = pawl_process_interval_confidence((size_t)count);
    assert_true(ways_held(count) == (int)round(confidence * (1 << count)));
    assert_true(confidence >= 0.95 && confidence < 1);
  }
  assert_true(fabs(pawl_process_interval_confidence(6) - 0.96875) < 1e-12);
  assert_int_equal(pawl_process_interval_least(PAWL_PROCESS_CONFIDENCE),
                   PAWL_PROCESS_INTERVAL_LEAST);
  assert_int_equal(pawl_process_interval_least(1 - 0.05 / 140), 13); /* 2 / 2^13 <= 5 % / 140 */
  assert_true(fabs(pawl_process_interval_confidence(9) - (1 - 20.0 / 512)) < 1e-12);
  assert_true(fabs(pawl_process_interval_confidence(12) - (1 - 158.0 / 4096)) < 1e-12);
}

static void it_is_of_order_statistics(void **state) {
  (void)state;
  const double medians[] = {5, 1, 9, 3, 7, 2, 8, 4, 6}; /* the second from either end */
  double low, high;
  pawl_process_interval(medians, 9, &low, &high);
  assert_true(low == 2 && high == 8);
  pawl_process_interval(medians, 6, &low, &high);
  assert_true(low == 1 && high == 9);
  const double same[] = {2, 2, 2, 2, 2, 2};
  pawl_process_interval(same, 6, &low, &high);
  assert_true(low == 2 && high == 2);
}

static void too_few_processes_have_none(void **state) {
  (void)state;
  const double medians[] = {1, 1.01, 0.99, 1, 1};
  for (size_t count = 0; count < PAWL_PROCESS_INTERVAL_LEAST; count++) {
    double low = 0, high = 0;
    pawl_process_interval(medians, count, &low, &high);
    assert_true(isnan(low) && isnan(high) && isnan(pawl_process_interval_confidence(count)));
  }
}

/* Skewed luck, two modes, spikes: the share of 4000 runs of six whose interval holds the median
 * lies about .969. */
static void no_shape_of_noise_narrows_it(void **state) {
  (void)state;
  enum { RUNS = 4000, SHAPES = 3 };
  for (int shape = 0; shape < SHAPES; shape++) {
    struct pawl_random random = pawl_random_init(20261122, (uint64_t)shape);
    int held = 0;
    for (int run = 0; run < RUNS; run++) {
      double medians[6], low, high;
      for (int i = 0; i < 6; i++) {
        const double z = pawl_draw_normal(&random); /* its median, 0, is mapped to 1 */
        medians[i] = shape == 0   ? exp(2 * z)
                     : shape == 1 ? (z > 0.5 ? 1.2 + z : 1 + 0.01 * z)
                                  : 1 + z * z * z;
      }
      pawl_process_interval(medians, 6, &low, &high);
      held += low <= 1 && 1 <= high;
    }
    assert_true(held > 0.957 * RUNS && held < 0.98 * RUNS); /* four standard errors */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_holds_the_median_as_often_as_it_says),
      cmocka_unit_test(it_is_of_order_statistics),
      cmocka_unit_test(too_few_processes_have_none),
      cmocka_unit_test(no_shape_of_noise_narrows_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
