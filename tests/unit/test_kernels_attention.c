/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped CPU kernels of `attention` against its oracle, on shapes that leave partial tiles on
 * every side. */
#include "test_kernels_support.h"

const struct pawl_operator *attention_operator(void);
const struct pawl_kernel *sdpa_cpu_kernel(void);
const struct pawl_kernel *sdpa_cpu_fast_kernel(void);
const struct pawl_kernel *sdpa_cpu_fast_256_kernel(void);
const struct pawl_kernel *sdpa_cpu_fast_128_kernel(void);

static const struct pawl_kernel *(*const kernels[])(void) = {
    sdpa_cpu_kernel, sdpa_cpu_fast_kernel, sdpa_cpu_fast_256_kernel, sdpa_cpu_fast_128_kernel};
#define KERNELS ((int)(sizeof kernels / sizeof *kernels))

static const int32_t dtypes[] = {PAWL_F32, PAWL_F16, PAWL_BF16, PAWL_E4M3};

static void check(const int64_t *values, int32_t dtype,
                  const struct pawl_distribution *distribution) {
  struct problem p;
  problem_init(&p, attention_operator(), dtype, values, distribution,
               (uint64_t)(values[2] * 10 + values[4]));
  for (int i = 0; i < KERNELS; i++) {
    const char *refusal = kernels[i]()->supports(&p.shape);
    if (refusal) {
      assert_int_equal(
          dtype, PAWL_E4M3); /* the plain kernel takes any dtype, the fast ones not this one */
      assert_int_not_equal(i, 0);
      continue;
    }
    run_kernel(&p, kernels[i](), 2);
    const struct deviation d = deviation_of(&p);
    if (!within_tolerance(&p, d))
      fail_msg("kernel %d (%s), S %d, D %d, causal %d, %s, %s: rel_rms %g, max %g, %d outside", i,
               kernels[i]()->name, (int)values[2], (int)values[3], (int)values[4],
               dtype_name(dtype), distribution->name, d.rel_rms, d.max_abs, (int)d.outside);
  }
  problem_clear(&p);
}

static void test_odd_shapes(void **state) {
  (void)state;
  static const int64_t lengths[] = {1, 2, 7, 16, 33, 65, 131}, sizes[] = {16, 64, 128};
  const struct pawl_operator *op = attention_operator();
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
    for (size_t d = 0; d < sizeof sizes / sizeof *sizes; d++)
      for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (int64_t causal = 0; causal < 2; causal++)
          check((const int64_t[]){2, 3, lengths[l], sizes[d], causal}, dtypes[t],
                &op->distributions[0]);
}

static void test_distributions(void **state) {
  (void)state;
  const struct pawl_operator *op = attention_operator();
  for (int32_t n = 0; n < op->distribution_count; n++)
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
      for (int64_t causal = 0; causal < 2; causal++) {
        check((const int64_t[]){1, 2, 201, 64, causal}, dtypes[t], &op->distributions[n]);
        check((const int64_t[]){1, 2, 100, 48, causal}, dtypes[t], &op->distributions[n]);
      }
}

static void test_largest_head(void **state) {
  (void)state;
  check((const int64_t[]){1, 1, 70, 256, 1}, PAWL_F16, &attention_operator()->distributions[0]);
}

/* Bit for bit the same, whatever the number of threads. */
static void test_deterministic(void **state) {
  (void)state;
  struct problem p;
  problem_init(&p, attention_operator(), PAWL_F32, (const int64_t[]){1, 2, 250, 64, 1},
               &attention_operator()->distributions[0], 5);
  const size_t bytes = tensor_bytes(&p.tensors[3]);
  void *first = malloc(bytes);
  assert_non_null(first);
  for (int i = 0; i < KERNELS; i++) {
    assert_true(kernels[i]()->flags & PAWL_KERNEL_DETERMINISTIC);
    run_kernel(&p, kernels[i](), 1);
    memcpy(first, p.tensors[3].data, bytes);
    for (int threads = 1; threads <= 5; threads += 2) {
      run_kernel(&p, kernels[i](), threads);
      assert_memory_equal(first, p.tensors[3].data, bytes);
    }
  }
  free(first);
  problem_clear(&p);
}

/* A NaN in one key reaches every query that sees it, and no other. */
static void test_nan_is_not_hidden(void **state) {
  (void)state;
  enum { S = 70, D = 16, BAD = 40 };
  for (int i = 0; i < KERNELS; i++) {
    struct problem p;
    problem_init(&p, attention_operator(), PAWL_F32, (const int64_t[]){1, 1, S, D, 1},
                 &attention_operator()->distributions[0], 9);
    pawl_store_f64(p.tensors[1].data, PAWL_F32, BAD * D + 3, NAN);
    run_kernel(&p, kernels[i](), 1);
    for (int row = 0; row < S; row++)
      for (int c = 0; c < D; c++)
        assert_int_equal(isnan(pawl_load_f64(p.tensors[3].data, PAWL_F32, row * D + c)),
                         row >= BAD);
    problem_clear(&p);
  }
}

static void test_refusals(void **state) {
  (void)state;
  const struct pawl_kernel *fast = sdpa_cpu_fast_kernel();
  struct pawl_dim dims[] = {{"B", 1}, {"H", 1}, {"S", 8}, {"D", 40}, {"causal", 0}};
  struct pawl_shape shape = {dims, 5, PAWL_F32};
  assert_non_null(strstr(fast->supports(&shape), "D must be"));
  dims[3].value = 272;
  assert_non_null(strstr(fast->supports(&shape), "D must be"));
  dims[3].value = 256;
  assert_null(fast->supports(&shape));
  shape.dtype = PAWL_E4M3;
  assert_non_null(strstr(fast->supports(&shape), "dtype must be"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_odd_shapes),        cmocka_unit_test(test_distributions),
      cmocka_unit_test(test_largest_head),      cmocka_unit_test(test_deterministic),
      cmocka_unit_test(test_nan_is_not_hidden), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
