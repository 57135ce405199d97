/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs: the right variate at the right place, the same bits everywhere, the distributions that
 * they are named after.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/philox.h"
#include "oracle/inputs.h"
#include "oracle/narrow.h"
#include "pawl/convert.h"

#define COUNT 200000

static double *draw(int32_t fill, double scale, uint64_t seed, uint64_t stream, int64_t row) {
  double *values = malloc(COUNT * sizeof *values);
  assert_non_null(values);
  const struct pawl_draw how = {fill, scale, seed, stream, row};
  pawl_draw_elements(&how, values, PAWL_F64, 0, COUNT, 2);
  return values;
}

/* Box and Muller by libm, in the words' order of the header. */
static double normal_by_libm(uint64_t seed, uint64_t stream, int64_t i) {
  uint32_t word[4];
  pawl_philox(seed, stream, (uint64_t)i / 4, word);
  const uint32_t *pair = word + i % 4 / 2 * 2;
  const double r = sqrt(-2.0 * log(((double)pair[0] + 0.5) * 0x1p-32)),
               angle = 2.0 * M_PI * (double)pair[1] * 0x1p-32;
  return i % 2 ? r * sin(angle) : r * cos(angle);
}

static void test_normal_is_box_muller(void **state) {
  (void)state;
  double *values = draw(PAWL_FILL_NORMAL, 3.0, 42, 7, 1);
  for (int64_t i = 0; i < COUNT; i++) {
    const double expected = 3.0 * normal_by_libm(42, 7, i);
    assert_true(fabs(values[i] - expected) <=
                2e-14); /* an angle of libm is off by up to 2 pi 2^-53 */
  }
  free(values);
}

/* The same bits by every instruction set and compiler: recorded, not computed. */
static void test_bits_are_those_recorded(void **state) {
  (void)state;
  static const struct {
    int32_t fill, dtype;
    const char *hash;
  } rows[] = {
      {PAWL_FILL_NORMAL, PAWL_F64, "831d972d4fef4a29e5b70a01749155d7"},
      {PAWL_FILL_NORMAL, PAWL_F32, "6c350173da4e2a5bcca1f4f82a70a481"},
      {PAWL_FILL_NORMAL, PAWL_F16, "faedbcb4f33fe00b1b66a50f5d92f7cf"},
      {PAWL_FILL_NORMAL, PAWL_BF16, "a6d629fbfc3471ef9c8dcab7e0ae962b"},
      {PAWL_FILL_NORMAL, PAWL_E4M3, "afec78d4ee7f4b3b84030bb3fe76566e"},
      {PAWL_FILL_UNIFORM, PAWL_F16, "91dd0576a833f7e712257311e8f6db67"},
      {PAWL_FILL_CONSTANT_ROWS, PAWL_F32, "6893e2799dc0592c5c5c26c163d53052"},
      {PAWL_FILL_ZERO_ONE, PAWL_BF16, "ef255f5ceb0ebe4678ac8788efd55f33"},
  };
  unsigned char *data = malloc(COUNT * 8);
  assert_non_null(data);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pawl_draw how = {rows[i].fill, 1.5, 0x123456789abcdef0u, 3, 48};
    char text[PAWL_HASH_TEXT];
    pawl_draw_elements(&how, data, rows[i].dtype, 0, COUNT, 1);
    pawl_hash_format(pawl_hash_bytes(data, COUNT * pawl_dtype_size(rows[i].dtype)), text);
    assert_string_equal(text, rows[i].hash);
  }
  free(data);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov's distance times sqrt(n): above 1.95 once in a thousand draws; these are fixed
 * ones. */
static double kolmogorov_smirnov(double *values, double (*cdf)(double)) {
  double distance = 0.0;
  qsort(values, COUNT, sizeof *values, ascending);
  for (int i = 0; i < COUNT; i++) {
    const double p = cdf(values[i]);
    distance = fmax(distance, fmax(p - (double)i / COUNT, (double)(i + 1) / COUNT - p));
  }
  return distance * sqrt(COUNT);
}

static double normal_cdf(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

static double uniform_cdf(double x) { return (x + 2.0) / 4.0; }

static void test_normal_distribution(void **state) {
  (void)state;
  double *values = draw(PAWL_FILL_NORMAL, 1.0, 42, 0, 1);
  double moment[5] = {0};
  for (int i = 0; i < COUNT; i++)
    for (int k = 1; k <= 4; k++) moment[k] += pow(values[i], k) / COUNT;
  /* four standard errors of each moment: sqrt(1, 2, 15, 96 over n) */
  assert_true(fabs(moment[1]) < 4 * sqrt(1.0 / COUNT));
  assert_true(fabs(moment[2] - 1) < 4 * sqrt(2.0 / COUNT));
  assert_true(fabs(moment[3]) < 4 * sqrt(15.0 / COUNT));
  assert_true(fabs(moment[4] - 3) < 4 * sqrt(96.0 / COUNT));
  assert_true(kolmogorov_smirnov(values, normal_cdf) < 1.95);
  free(values);
}

static double *draw_mixed(uint64_t seed, int64_t count, int threads) {
  double *values = pawl_alloc((size_t)count, sizeof *values);
  const struct pawl_draw how = {PAWL_FILL_NORMAL, 1.0, seed, 7, 1};
  pawl_draw_mixed(&how, values, PAWL_F64, count, threads);
  return values;
}

static double sum_of_products(const double *a, const double *b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* Its moments have a wider spread than those of independent variates, because some share one. */
static void test_mixed_variates_are_normal(void **state) {
  (void)state;
  const int64_t count = PAWL_DRAW_MIXED_FROM, pool = 1 << 18;
  double *values = draw_mixed(42, count, 1), *other = draw_mixed(43, count, 1), moment[5] = {0};
  for (int64_t i = 0; i < count; i++)
    for (int k = 1; k <= 4; k++) moment[k] += pow(values[i], k) / (double)count;
  assert_true(fabs(moment[1]) < 4 * sqrt(1.0 / (double)pool));
  assert_true(fabs(moment[2] - 1) < 4 * sqrt(2.0 / (double)pool));
  assert_true(fabs(moment[3]) < 4 * sqrt(15.0 / (double)pool));
  assert_true(fabs(moment[4] - 3) < 4 * sqrt(96.0 / (double)pool));
  /* a key without an order, such as a norm, differs from seed to seed */
  assert_true(fabs(sum_of_products(values, values, count) - sum_of_products(other, other, count)) >
              1e-6);
  assert_true(fabs(sum_of_products(values, other, count)) < 6 * sqrt((double)count));
  assert_true(fabs(sum_of_products(values, values + 1, count - 1)) < 40 * sqrt((double)count));
  assert_true(kolmogorov_smirnov(values, normal_cdf) < 1.95); /* 390 tiles, which it sorts */
  pawl_free(values), pawl_free(other);
}

static void test_mixed_variates_do_not_repeat(void **state) {
  (void)state;
  const int64_t count = 1 << 20;
  double *values = draw_mixed(42, count, 3), *alone = draw_mixed(42, count, 1);
  assert_memory_equal(values, alone, (size_t)count * sizeof *values);
  qsort(values, (size_t)count, sizeof *values, ascending);
  for (int64_t i = 1; i < count; i++) assert_true(values[i - 1] < values[i]);
  pawl_free(values), pawl_free(alone);
}

/* Only normal variates take long, and only large tensors gain. */
static void test_what_is_mixed(void **state) {
  (void)state;
  assert_true(pawl_draw_is_mixed(PAWL_FILL_NORMAL, PAWL_DRAW_MIXED_FROM));
  assert_false(pawl_draw_is_mixed(PAWL_FILL_NORMAL, PAWL_DRAW_MIXED_FROM - 1));
  assert_false(pawl_draw_is_mixed(PAWL_FILL_UNIFORM, PAWL_DRAW_MIXED_FROM));
  assert_false(pawl_draw_is_mixed(PAWL_FILL_CONSTANT_ROWS, PAWL_DRAW_MIXED_FROM));
}

static void test_uniform_distribution(void **state) {
  (void)state;
  double *values = draw(PAWL_FILL_UNIFORM, 2.0, 1, 0, 1);
  assert_true(kolmogorov_smirnov(values, uniform_cdf) < 1.95);
  assert_true(values[0] >= -2.0 && values[COUNT - 1] < 2.0);
  free(values);
}

static void test_zero_one(void **state) {
  (void)state;
  double *values = draw(PAWL_FILL_ZERO_ONE, 1.0, 1, 0, 1), sum = 0.0;
  for (int i = 0; i < COUNT; i++) {
    assert_true(values[i] == 0.0 || values[i] == 1.0);
    sum += values[i];
  }
  assert_true(fabs(sum / COUNT - 0.5) < 4 * sqrt(0.25 / COUNT));
  free(values);
}

static void test_constant_rows(void **state) {
  (void)state;
  double *values = draw(PAWL_FILL_CONSTANT_ROWS, 1.0, 9, 2, 1000),
         *plain = draw(PAWL_FILL_NORMAL, 1.0, 9, 2, 1000);
  for (int i = 0; i < COUNT; i++) assert_true(values[i] == plain[i / 1000]);
  free(values);
  free(plain);
}

static double correlation(const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < COUNT; i++) sum += a[i] * b[i];
  return sum / COUNT;
}

static void test_seeds_and_streams_are_independent(void **state) {
  (void)state;
  double *values[] = {draw(PAWL_FILL_NORMAL, 1, 42, 0, 1), draw(PAWL_FILL_NORMAL, 1, 43, 0, 1),
                      draw(PAWL_FILL_NORMAL, 1, 42, 1, 1), draw(PAWL_FILL_NORMAL, 1, 43, 1, 1),
                      draw(PAWL_FILL_NORMAL, 1, 42 + ((uint64_t)1 << 32), 0, 1)};
  const int draws = sizeof values / sizeof *values;
  for (int i = 0; i < draws; i++)
    for (int j = 0; j < i; j++)
      assert_true(fabs(correlation(values[i], values[j])) < 4 / sqrt(COUNT));
  for (int i = 0; i < draws; i++) free(values[i]);
}

/* Any part, by any number of threads, is that part of the whole. */
static void test_parts_are_parts_of_the_whole(void **state) {
  (void)state;
  static const int32_t fills[] = {PAWL_FILL_NORMAL, PAWL_FILL_UNIFORM, PAWL_FILL_CONSTANT_ROWS};
  static const int64_t parts[][2] = {{0, 1},       {1, 511},       {3, 2},
                                     {513, 70000}, {COUNT - 1, 1}, {4096, 0}};
  float *whole = malloc(COUNT * sizeof *whole), *part = malloc(COUNT * sizeof *part);
  for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
    const struct pawl_draw how = {fills[f], 1.0, 5, 1, 77};
    pawl_draw_elements(&how, whole, PAWL_F32, 0, COUNT, 1);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
      const int64_t first = parts[p][0], count = parts[p][1];
      memset(part, 0x55, COUNT * sizeof *part);
      pawl_draw_elements(&how, part, PAWL_F32, first, count, 3);
      assert_memory_equal(part + first, whole + first, (size_t)count * sizeof *part);
      const unsigned char *before = (const unsigned char *)(part + first),
                          *after = before + count * 4;
      if (first > 0) assert_int_equal(before[-1], 0x55);
      if (first + count < COUNT) assert_int_equal(after[0], 0x55);
    }
  }
  free(whole);
  free(part);
}

/* The branch-free rounding to small floats against the plain one of the ABI, ties, subnormals and
 * overflow included. */
static void test_rounding_is_that_of_the_abi(void **state) {
  (void)state;
  static const int32_t dtypes[] = {PAWL_F32, PAWL_F16, PAWL_BF16, PAWL_E4M3};
  static const double scales[] = {1.0, 1e-7, 6e-5, 3e4, 200.0, 1e38, 1e-39};
  double *values = malloc(COUNT * sizeof *values);
  unsigned char *drawn = malloc(COUNT * 4), *stored = malloc(COUNT * 4);
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
    const struct pawl_draw how = {PAWL_FILL_NORMAL, scales[s], 11, 0, 1};
    pawl_draw_elements(&how, values, PAWL_F64, 0, COUNT, 2);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
      pawl_draw_elements(&how, drawn, dtypes[d], 0, COUNT, 2);
      for (int i = 0; i < COUNT; i++) pawl_store_f64(stored, dtypes[d], i, values[i]);
      assert_memory_equal(drawn, stored, COUNT * pawl_dtype_size(dtypes[d]));
    }
  }
  free(values);
  free(drawn);
  free(stored);
}

static void test_integers_saturate(void **state) {
  (void)state;
  const struct pawl_draw how = {PAWL_FILL_NORMAL, 1e3, 1, 0, 1};
  uint8_t bytes[4096];
  int32_t ints[4096];
  int zeros = 0, tops = 0;
  pawl_draw_elements(&how, bytes, PAWL_U8, 0, 4096, 1);
  for (int i = 0; i < 4096; i++) zeros += bytes[i] == 0, tops += bytes[i] == 255;
  assert_true(zeros > 1800 && tops > 1400);
  const struct pawl_draw wide = {PAWL_FILL_NORMAL, 1e12, 1, 0, 1};
  pawl_draw_elements(&wide, ints, PAWL_I32, 0, 4096, 1);
  int extremes = 0;
  for (int i = 0; i < 4096; i++) extremes += ints[i] == INT32_MAX || ints[i] == INT32_MIN;
  assert_true(extremes > 4000);
}

/* In place, and by several threads where there are many. */
static void test_narrow(void **state) {
  (void)state;
  static const int64_t counts[] = {0, 1, 1023, 1024, 1025, 4097, ((int64_t)5 << 20) + 17};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    double *data = pawl_alloc((size_t)counts[c] + 1, sizeof *data);
    for (int64_t i = 0; i < counts[c]; i++) data[i] = 1.0 / (double)(i + 3);
    data[counts[c]] = -1;
    pawl_narrow((unsigned char *)data, counts[c]);
    for (int64_t i = 0; i < counts[c]; i++) {
      float value;
      memcpy(&value, (const unsigned char *)data + (size_t)i * sizeof value, sizeof value);
      if (value != (float)(1.0 / (double)(i + 3)))
        fail_msg("element %lld of %lld", (long long)i, (long long)counts[c]);
    }
    assert_true(data[counts[c]] == -1);
    pawl_free(data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_normal_is_box_muller),
      cmocka_unit_test(test_bits_are_those_recorded),
      cmocka_unit_test(test_normal_distribution),
      cmocka_unit_test(test_mixed_variates_are_normal),
      cmocka_unit_test(test_mixed_variates_do_not_repeat),
      cmocka_unit_test(test_what_is_mixed),
      cmocka_unit_test(test_uniform_distribution),
      cmocka_unit_test(test_zero_one),
      cmocka_unit_test(test_constant_rows),
      cmocka_unit_test(test_seeds_and_streams_are_independent),
      cmocka_unit_test(test_parts_are_parts_of_the_whole),
      cmocka_unit_test(test_rounding_is_that_of_the_abi),
      cmocka_unit_test(test_integers_saturate),
      cmocka_unit_test(test_narrow),
  };
  return cmocka_run_group_tests_name("oracle_inputs", tests, NULL, NULL);
}
