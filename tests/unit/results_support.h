/* SPDX-License-Identifier: Apache-2.0 */
/* Results made up for the tests of gate and report. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/result.h"
#include "pawl/operator.h"

#define SHUFFLED_SAMPLES 100

/* cmocka's assert_float_equal compares in single precision. */
#define assert_near(got, wanted, tolerance)                                                       \
  do {                                                                                            \
    const double near_got = (got), near_wanted = (wanted);                                        \
    if (!(fabs(near_got - near_wanted) <= (tolerance)))                                           \
      fail_msg("%s is %.17g, not %.17g +- %g", #got, near_got, near_wanted, (double)(tolerance)); \
  } while (0)

/* 100 samples, scale * (1 + 0.01 k / 100) for k = 0..99 in a shuffled order: the median is scale
 * * 1.00495. */
static inline double *spread_samples(struct pawl_arena *arena, double scale) {
  double *samples = pawl_arena_alloc(arena, SHUFFLED_SAMPLES, sizeof *samples);
  for (int i = 0; i < SHUFFLED_SAMPLES; i++)
    samples[i] = scale * (1.0 + 0.01 * ((i * 37) % 100) / 100.0);
  return samples;
}

static inline struct pawl_case make_case(struct pawl_arena *arena, const char *name, int64_t S) {
  struct pawl_dim *dims = pawl_arena_alloc(arena, 4, sizeof *dims);
  const struct pawl_dim values[4] = {{"B", 2}, {"H", 4}, {"S", S}, {"D", 64}};
  memcpy(dims, values, sizeof values);
  return (struct pawl_case){
      .name = name, .operator_name = "attention", .dims = dims, .count = 4, .dtype = PAWL_F32};
}

/* A result that only gives figures; the caller adds samples. */
static inline struct pawl_result make_result(const char *kernel, struct pawl_case config) {
  struct pawl_result result;
  pawl_result_init(&result);
  result.kernel_name = kernel;
  result.config = config;
  result.outcome = PAWL_OUTCOME_OK;
  result.device = "cpu";
  result.timestamp = "2026-01-02 03:04:05";
  return result;
}

static inline struct pawl_result timed_result(struct pawl_arena *arena, const char *kernel,
                                              const char *name, int64_t S, double scale) {
  struct pawl_result result = make_result(kernel, make_case(arena, name, S));
  result.performance.samples_ms = spread_samples(arena, scale);
  result.performance.sample_count = SHUFFLED_SAMPLES;
  result.performance.median_ms = result.performance.p50_ms = scale * 1.00495;
  result.performance.mean_time_ms = scale * 1.00495;
  result.performance.ci_95_low = scale * 1.004;
  result.performance.ci_95_high = scale * 1.0059;
  result.performance.cv = 0.0029;
  result.performance.p95_ms = scale * 1.009405;
  result.performance.p99_ms = scale * 1.009801;
  result.performance.throughput_gflops = 120 / scale;
  result.performance.bandwidth_gb_s = 8 / scale;
  result.correctness = (struct pawl_correctness){true, true, 1e-6, 2e-5, 1e-7, 1, 3e-7};
  return result;
}

static inline struct pawl_results results_of(struct pawl_result *items, size_t count) {
  return (struct pawl_results){.items = items,
                               .count = count,
                               .commit = "0123456789abcdef0123456789abcdef01234567",
                               .hardware = "cpu Test CPU, 2 CPUs, 4 GiB",
                               .hardware_name = "Test CPU",
                               .toolchain = "cc 12.2.0",
                               .timestamp = "2026-01-02 03:04:05"};
}
