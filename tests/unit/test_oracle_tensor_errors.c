/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison: right statistics, and nothing wrong ever passes, wherever it is and whatever NaN does
 * to it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/decode.h"
#include "oracle/inputs.h"
#include "oracle/tensor_errors.h"
#include "pawl/convert.h"

#define COUNT ((int64_t)100003) /* several items, and a last tile that is not whole */

static const struct pawl_tolerance tolerance = {PAWL_F32, 0, 1e-4, 1e-3, 1e-3};

struct fixture {
  double *expected;
  unsigned char *out;
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  f->expected = malloc((size_t)COUNT * sizeof(double));
  f->out = malloc((size_t)COUNT * sizeof(double));
  const struct pawl_draw draw = {PAWL_FILL_NORMAL, 1.0, 42, 0, 1};
  pawl_draw_elements(&draw, f->expected, PAWL_F64, 0, COUNT, 1);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  free(f->expected);
  free(f->out);
  free(f);
  return 0;
}

static struct pawl_tensor_errors compare(const struct fixture *f, int32_t dtype, int64_t count,
                                         int threads) {
  struct pawl_tensor_errors c;
  const struct pawl_expected expected = {f->expected, PAWL_F64};
  pawl_tensor_errors_of(f->out, dtype, &expected, count, &tolerance, threads, &c);
  return c;
}

static void honest(const struct fixture *f, int32_t dtype) {
  for (int64_t i = 0; i < COUNT; i++) pawl_store_f64(f->out, dtype, i, f->expected[i]);
}

static void test_statistics_by_definition(void **state) {
  const struct fixture *f = *state;
  double max_abs = 0, max_rel = 0, sum_abs = 0, squares = 0, norm = 0, mo = 0, me = 0, oo = 0,
         ee = 0, oe = 0;
  honest(f, PAWL_F16);
  for (int64_t i = 0; i < COUNT; i++) {
    const double o = pawl_load_f64(f->out, PAWL_F16, i), e = f->expected[i], d = fabs(o - e);
    max_abs = fmax(max_abs, d), sum_abs += d, squares += d * d, norm += e * e;
    if (fabs(e) > tolerance.atol) max_rel = fmax(max_rel, d / fabs(e));
    mo += o / (double)COUNT, me += e / (double)COUNT;
  }
  for (int64_t i = 0; i < COUNT; i++) {
    const double o = pawl_load_f64(f->out, PAWL_F16, i) - mo, e = f->expected[i] - me;
    oo += o * o, ee += e * e, oe += o * e;
  }
  const struct pawl_tensor_errors c = compare(f, PAWL_F16, COUNT, 1);
  assert_int_equal(c.count, COUNT);
  assert_int_equal(c.wrong, 0);
  assert_int_equal(c.first_wrong, -1);
  assert_true(c.max_abs == max_abs);
  assert_true(c.max_rel == max_rel);
  assert_true(fabs(c.sum_abs / sum_abs - 1) < 1e-12);
  assert_true(fabs(pawl_tensor_errors_rel_rms(&c) / sqrt(squares / norm) - 1) < 1e-12);
  assert_true(fabs(pawl_tensor_errors_correlation(&c) - oe / sqrt(oo * ee)) < 1e-12);
}

static void test_threads_do_not_matter(void **state) {
  const struct fixture *f = *state;
  honest(f, PAWL_BF16);
  const struct pawl_tensor_errors one = compare(f, PAWL_BF16, COUNT, 1),
                                  four = compare(f, PAWL_BF16, COUNT, 4);
  assert_true(one.wrong > 0);
  assert_memory_equal(&one, &four, sizeof one);
}

/* Each element in turn at the places that matter, each wrong value, each float dtype: found, at its
 * index. */
static void test_one_wrong_element_is_found(void **state) {
  const struct fixture *f = *state;
  static const int64_t places[] = {0, 7, 511, 512, 32767, 32768, COUNT - 1};
  static const double values[] = {NAN, -NAN, INFINITY, -INFINITY, 400.0};
  static const int32_t dtypes[] = {PAWL_F64, PAWL_F32, PAWL_F16};
  for (size_t d = 0; d < 3; d++) {
    honest(f, dtypes[d]);
    assert_int_equal(compare(f, dtypes[d], COUNT, 1).wrong, 0);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
      const int64_t i = places[p];
      const double right = pawl_load_f64(f->out, dtypes[d], i);
      for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        pawl_store_f64(f->out, dtypes[d], i, values[v]);
        const struct pawl_tensor_errors c = compare(f, dtypes[d], COUNT, 1);
        assert_int_equal(c.wrong, 1);
        assert_int_equal(c.first_wrong, i);
        assert_int_equal(c.not_finite, isfinite(values[v]) ? 0 : 1);
        if (!signbit(values[v]))
          assert_int_equal(c.unwritten, 0); /* a negative NaN may be the poison itself */
        if (!isfinite(values[v])) assert_true(isnan(pawl_tensor_errors_rel_rms(&c)));
      }
      pawl_store_f64(f->out, dtypes[d], i, right);
    }
  }
}

static void test_first_wrong_element_is_named(void **state) {
  const struct fixture *f = *state;
  static const int64_t places[] = {99000, 40000, 39999, 700,
                                   3}; /* each before the others, in another item or the same */
  honest(f, PAWL_F32);
  for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
    pawl_store_f64(f->out, PAWL_F32, places[p], 1000.0 + (double)p);
    const struct pawl_tensor_errors c = compare(f, PAWL_F32, COUNT, 2);
    assert_int_equal(c.wrong, p + 1);
    assert_int_equal(c.first_wrong, places[p]);
    assert_true(c.first_got == 1000.0 + (double)p && c.first_expected == f->expected[places[p]]);
  }
}

static void test_bound_is_combined(void **state) {
  const struct fixture *f = *state;
  honest(f, PAWL_F64);
  double *out = (double *)(void *)f->out;
  const double bound = tolerance.atol + tolerance.rtol * fabs(f->expected[1000]);
  out[1000] = f->expected[1000] + bound * 0.999;
  assert_int_equal(compare(f, PAWL_F64, COUNT, 1).wrong, 0);
  out[1000] = f->expected[1000] - bound * 1.001;
  assert_int_equal(compare(f, PAWL_F64, COUNT, 1).wrong, 1);
}

static void test_poison_is_never_written(void **state) {
  const struct fixture *f = *state;
  static const int32_t dtypes[] = {PAWL_F64,  PAWL_F32, PAWL_F16, PAWL_BF16,
                                   PAWL_E4M3, PAWL_I32, PAWL_I64};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    memset(f->out, 0xff, (size_t)COUNT * pawl_dtype_size(dtypes[d]));
    for (int i = 0; i < COUNT; i++) f->expected[i] = 3.0 + i % 2;
    const struct pawl_tensor_errors c = compare(f, dtypes[d], COUNT, 1);
    assert_int_equal(c.unwritten, COUNT);
    assert_int_equal(c.wrong, COUNT);
  }
}

static void test_infinities(void **state) {
  const struct fixture *f = *state;
  double *out = (double *)(void *)f->out;
  honest(f, PAWL_F64);
  f->expected[5] = out[5] = -INFINITY;
  struct pawl_tensor_errors c = compare(f, PAWL_F64, COUNT, 1);
  assert_int_equal(c.wrong, 0);
  assert_true(isfinite(pawl_tensor_errors_rel_rms(&c)));
  out[5] = INFINITY;
  assert_int_equal(compare(f, PAWL_F64, COUNT, 1).wrong, 1);
  out[5] = 1e300;
  assert_int_equal(compare(f, PAWL_F64, COUNT, 1).wrong, 1);
  out[5] = NAN;
  assert_int_equal(compare(f, PAWL_F64, COUNT, 1).wrong, 1);
  /* beyond what f16 holds, infinity is the right rounding */
  f->expected[5] = 70000.0;
  for (int64_t i = 0; i < COUNT; i++) pawl_store_f64(f->out, PAWL_F16, i, f->expected[i]);
  assert_int_equal(compare(f, PAWL_F16, COUNT, 1).wrong, 0);
  f->expected[5] = 60000.0;
  assert_int_equal(compare(f, PAWL_F16, COUNT, 1).wrong, 1);
}

static void test_nan_in_the_expected_values(void **state) {
  const struct fixture *f = *state;
  honest(f, PAWL_F32);
  f->expected[70001] = NAN;
  pawl_store_f64(f->out, PAWL_F32, 70001, NAN);
  const struct pawl_tensor_errors c = compare(f, PAWL_F32, COUNT, 1);
  assert_int_equal(c.first_wrong, 70001);
  assert_int_equal(c.wrong, 1);
}

static void test_constant_outputs(void **state) {
  const struct fixture *f = *state;
  memset(f->out, 0, (size_t)COUNT * 4);
  for (int64_t i = 0; i < COUNT; i++) f->expected[i] *= 1e-9; /* zeros are within atol */
  struct pawl_tensor_errors c = compare(f, PAWL_F32, COUNT, 1);
  assert_int_equal(c.wrong, 0);
  assert_true(pawl_tensor_errors_is_constant(&c, PAWL_F32));
  assert_true(pawl_tensor_errors_rel_rms(&c) == 1.0);
  for (int64_t i = 0; i < COUNT; i++) f->expected[i] = 0.25;
  for (int64_t i = 0; i < COUNT; i++) pawl_store_f64(f->out, PAWL_F32, i, 0.25);
  c = compare(f, PAWL_F32, COUNT, 1);
  assert_false(pawl_tensor_errors_is_constant(&c, PAWL_F32));
  assert_true(pawl_tensor_errors_rel_rms(&c) == 0.0);
  assert_true(isnan(pawl_tensor_errors_correlation(&c)));
}

static void test_f32_expected_values(void **state) {
  const struct fixture *f = *state;
  float *rounded = malloc((size_t)COUNT * sizeof *rounded);
  struct pawl_tensor_errors c;
  for (int64_t i = 0; i < COUNT; i++) rounded[i] = (float)f->expected[i];
  honest(f, PAWL_F32);
  const struct pawl_expected expected = {rounded, PAWL_F32};
  pawl_tensor_errors_of(f->out, PAWL_F32, &expected, COUNT, &tolerance, 2, &c);
  assert_true(c.max_abs == 0.0 && c.wrong == 0 && c.count == COUNT);
  free(rounded);
}

/* Every bit pattern of the small floats. */
static void test_decode_is_that_of_the_abi(void **state) {
  (void)state;
  static const int32_t dtypes[] = {PAWL_F16, PAWL_BF16, PAWL_E4M3, PAWL_U8};
  uint16_t *codes =
      calloc(1 << 16, sizeof(double)); /* room for the widest dtype that the switch knows */
  uint8_t *bytes = calloc(1 << 16, sizeof(double));
  double *decoded = malloc(sizeof(double) << 16);
  for (int i = 0; i < 1 << 16; i++) codes[i] = (uint16_t)i, bytes[i] = (uint8_t)i;
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    const void *data = pawl_dtype_size(dtypes[d]) == 2 ? (const void *)codes : (const void *)bytes;
    pawl_decode(data, dtypes[d], 0, 1 << 16, decoded);
    for (int i = 0; i < 1 << 16; i++) {
      const double plain = pawl_load_f64(data, dtypes[d], i);
      assert_true(isnan(plain) ? isnan(decoded[i])
                               : plain == decoded[i] && signbit(plain) == signbit(decoded[i]));
    }
  }
  free(decoded);
  free(codes);
  free(bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_statistics_by_definition),
      TEST(test_threads_do_not_matter),
      TEST(test_one_wrong_element_is_found),
      TEST(test_bound_is_combined),
      TEST(test_first_wrong_element_is_named),
      TEST(test_poison_is_never_written),
      TEST(test_infinities),
      TEST(test_nan_in_the_expected_values),
      TEST(test_constant_outputs),
      TEST(test_f32_expected_values),
      cmocka_unit_test(test_decode_is_that_of_the_abi),
  };
  return cmocka_run_group_tests_name("oracle_compare", tests, NULL, NULL);
}
