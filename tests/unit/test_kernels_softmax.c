/* SPDX-License-Identifier: Apache-2.0 */
/* The operator `softmax`, its oracle against sums in long double, and its CPU kernels against the
 * oracle. */
#include "test_kernels_support.h"

const struct pawl_operator *softmax_operator(void);
const struct pawl_kernel *softmax_cpu_kernel(void);
const struct pawl_kernel *softmax_cpu_fast_kernel(void);

static const struct pawl_kernel *(*const kernels[])(void) = {softmax_cpu_kernel,
                                                             softmax_cpu_fast_kernel};
#define KERNELS ((int)(sizeof kernels / sizeof *kernels))

static const int32_t dtypes[] = {PAWL_F32, PAWL_F16, PAWL_BF16};
static const int64_t sizes[][2] = {{1, 1},    {3, 2},     {5, 17},   {7, 64},
                                   {2, 1000}, {300, 501}, {1, 40000}};

static void check_oracle(const struct problem *p) {
  const struct pawl_tensor *x = &p->tensors[0];
  const int64_t rows = x->size[0], cols = x->size[1];
  for (int64_t i = 0; i < rows; i++) {
    long double largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < cols; j++)
      largest = fmaxl(largest, (long double)pawl_load_f64(x->data, x->dtype, i * cols + j));
    for (int64_t j = 0; j < cols; j++)
      sum += expl((long double)pawl_load_f64(x->data, x->dtype, i * cols + j) - largest);
    for (int64_t j = 0; j < cols; j++) {
      const long double exact =
          expl((long double)pawl_load_f64(x->data, x->dtype, i * cols + j) - largest) / sum;
      assert_true(fabsl((long double)p->expected[1][i * cols + j] - exact) <= 1e-11L * exact);
    }
  }
}

static void test_oracle_and_kernels(void **state) {
  (void)state;
  const struct pawl_operator *op = softmax_operator();
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
      for (int32_t n = 0; n < op->distribution_count; n++) {
        struct problem p;
        problem_init(&p, op, dtypes[t], sizes[s], &op->distributions[n], 17);
        check_oracle(&p);
        for (int i = 0; i < KERNELS; i++) {
          assert_null(kernels[i]()->supports(&p.shape));
          run_kernel(&p, kernels[i](), 3);
          const struct deviation d = deviation_of(&p);
          if (!within_tolerance(&p, d))
            fail_msg("%s, %d x %d, %s, %s: rel_rms %g, max %g, %d outside", kernels[i]()->name,
                     (int)sizes[s][0], (int)sizes[s][1], dtype_name(dtypes[t]),
                     op->distributions[n].name, d.rel_rms, d.max_abs, (int)d.outside);
        }
        problem_clear(&p);
      }
}

/* Exponentials rounded to BF16 before the division fail the tolerance for f16 and f32. */
static void test_low_precision_fails(void **state) {
  (void)state;
  for (int t = 0; t < 2; t++) {
    struct problem p;
    problem_init(&p, softmax_operator(), dtypes[t], (const int64_t[]){8, 512},
                 &softmax_operator()->distributions[0], 1);
    for (int64_t i = 0; i < 8 * 512; i++) {
      unsigned char rounded[2];
      pawl_store_f64(rounded, PAWL_BF16, 0, p.expected[1][i]);
      pawl_store_f64(p.tensors[1].data, dtypes[t], i, pawl_load_f64(rounded, PAWL_BF16, 0));
    }
    assert_false(within_tolerance(&p, deviation_of(&p)));
    problem_clear(&p);
  }
}

/* One row decided by its last element: a kernel that stops short of it is far outside. */
static void test_a_missed_tail_fails(void **state) {
  (void)state;
  const struct pawl_operator *op = softmax_operator();
  assert_string_equal(op->distributions[2].name, "dominant_last");
  struct problem p;
  problem_init(&p, op, PAWL_F32, (const int64_t[]){4, 37}, &op->distributions[2], 1);
  for (int64_t i = 0; i < 4; i++) {
    double sum = 0.0;
    for (int64_t j = 0; j < 36; j++)
      sum += exp(pawl_load_f64(p.tensors[0].data, PAWL_F32, i * 37 + j));
    for (int64_t j = 0; j < 37; j++)
      pawl_store_f64(p.tensors[1].data, PAWL_F32, i * 37 + j,
                     exp(pawl_load_f64(p.tensors[0].data, PAWL_F32, i * 37 + j)) / sum);
    assert_true(p.expected[1][i * 37 + 36] > 0.9);
  }
  assert_false(within_tolerance(&p, deviation_of(&p)));
  problem_clear(&p);
}

static void test_deterministic(void **state) {
  (void)state;
  struct problem p;
  problem_init(&p, softmax_operator(), PAWL_F32, (const int64_t[]){300, 501},
               &softmax_operator()->distributions[0], 5);
  const size_t bytes = tensor_bytes(&p.tensors[1]);
  void *first = malloc(bytes);
  assert_non_null(first);
  for (int i = 0; i < KERNELS; i++) {
    run_kernel(&p, kernels[i](), 1);
    memcpy(first, p.tensors[1].data, bytes);
    for (int threads = 2; threads <= 5; threads++) {
      run_kernel(&p, kernels[i](), threads);
      assert_memory_equal(first, p.tensors[1].data, bytes);
    }
  }
  free(first);
  problem_clear(&p);
}

/* A NaN spoils its row and no other. */
static void test_nan_is_not_hidden(void **state) {
  (void)state;
  enum { ROWS = 3, COLS = 35 };
  for (int i = 0; i < KERNELS; i++) {
    for (int64_t at = 0; at < COLS; at++) {
      struct problem p;
      problem_init(&p, softmax_operator(), PAWL_F32, (const int64_t[]){ROWS, COLS},
                   &softmax_operator()->distributions[0], 6);
      pawl_store_f64(p.tensors[0].data, PAWL_F32, COLS + at, NAN);
      run_kernel(&p, kernels[i](), 1);
      for (int64_t j = 0; j < ROWS * COLS; j++)
        assert_int_equal(isnan(pawl_load_f64(p.tensors[1].data, PAWL_F32, j)), j / COLS == 1);
      problem_clear(&p);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oracle_and_kernels),  cmocka_unit_test(test_low_precision_fails),
      cmocka_unit_test(test_a_missed_tail_fails), cmocka_unit_test(test_deterministic),
      cmocka_unit_test(test_nan_is_not_hidden),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
