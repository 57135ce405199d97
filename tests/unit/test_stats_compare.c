/* SPDX-License-Identifier: Apache-2.0 */
/* Cliff's delta and the Mann-Whitney test. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "../data/stats/vectors.h"
#include "base/memory.h"
#include "stats/cliffs.h"
#include "stats/mannwhitney.h"
#include "stats/variates.h"

static void assert_close(double ours, double reference) {
  assert_true(fabs(ours - reference) <= 1e-9 * fabs(reference));
}

static void agrees_with_scipy(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof compare_vectors / sizeof *compare_vectors; i++) {
    const double *x = compare_vectors[i].x, *y = compare_vectors[i].y;
    const size_t n = compare_vectors[i].n, m = compare_vectors[i].m;
    struct pawl_mann_whitney test;
    double delta;
    assert_int_equal(pawl_mann_whitney(x, n, y, m, &test, NULL), PAWL_OK);
    assert_close(test.u, compare_vectors[i].u);
    assert_close(test.p, compare_vectors[i].p);
    assert_int_equal(test.exact, compare_vectors[i].exact);
    assert_int_equal(pawl_cliffs_delta(x, n, y, m, &delta, NULL), PAWL_OK);
    assert_close(delta, compare_vectors[i].delta);
  }
}

static void delta_has_its_sign_and_labels(void **state) {
  (void)state;
  const double slow[] = {10, 11, 12}, fast[] = {9, 8, 7, 6};
  double delta;
  assert_int_equal(pawl_cliffs_delta(slow, 3, fast, 4, &delta, NULL), PAWL_OK);
  assert_true(delta == 1);
  assert_int_equal(pawl_cliffs_delta(fast, 4, slow, 3, &delta, NULL), PAWL_OK);
  assert_true(delta == -1);
  assert_string_equal(pawl_cliffs_label(0), "negligible");
  assert_string_equal(pawl_cliffs_label(-0.1469), "negligible");
  assert_string_equal(pawl_cliffs_label(0.147), "small");
  assert_string_equal(pawl_cliffs_label(-0.33), "medium");
  assert_string_equal(pawl_cliffs_label(0.474), "large");
  assert_string_equal(pawl_cliffs_label(-1), "large");
  assert_string_equal(pawl_cliffs_label(NAN), "unknown");
}

/* The number of orders of m and n samples with U = u, straight from the recurrence of Mann and
 * Whitney. */
static double orders_with(int m, int n, int u) {
  if (u < 0 || m < 0 || n < 0) return 0;
  if (m == 0 || n == 0) return u == 0;
  return orders_with(m - 1, n, u - n) + orders_with(m, n - 1, u);
}

static void exact_p_counts_orders(void **state) {
  (void)state;
  const struct { int m, n; } sizes[] = {{1, 1}, {1, 6}, {3, 4}, {4, 9}, {8, 8}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int m = sizes[s].m, n = sizes[s].n;
    double orders = 0, x[8], y[9];
    for (int u = 0; u <= m * n; u++) orders += orders_with(m, n, u);
    for (int i = 0; i < m; i++) x[i] = i;
    for (int above = 0; above <= n;
         above++) { /* y: `above` samples above all of x, the others below: U = m (n - above) */
      for (int i = 0; i < n; i++) y[i] = i < above ? 100 + i : -100 + i;
      const int u = m * above < m * n - m * above ? m * above : m * n - m * above;
      double tail = 0;
      for (int k = 0; k <= u; k++) tail += orders_with(m, n, k);
      struct pawl_mann_whitney test;
      assert_int_equal(pawl_mann_whitney(x, (size_t)m, y, (size_t)n, &test, NULL), PAWL_OK);
      assert_true(test.exact && test.u == m * (n - above));
      assert_close(test.p, fmin(1, 2 * tail / orders));
    }
  }
}

static double *ramp(size_t n, double start, double step) {
  double *x = pawl_alloc(n, sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = start + step * (double)i;
  return x;
}

static void large_and_lopsided_sizes_work(void **state) {
  (void)state;
  double *few = ramp(8, 0.25, 1), *many = ramp(5000, 100, 1), *spread = ramp(300000, -1.5e5, 1);
  struct pawl_mann_whitney test;
  assert_int_equal(pawl_mann_whitney(few, 8, many, 5000, &test, NULL), PAWL_OK);
  double orders = 1; /* C(5008, 8) */
  for (int i = 1; i <= 8; i++) orders *= (5000.0 + i) / i;
  assert_true(test.exact && test.u == 0);
  assert_close(test.p, 2 / orders);
  assert_int_equal(pawl_mann_whitney(few, 8, spread, 5000, &test, NULL), PAWL_OK);
  assert_close(test.p, 2 / orders); /* all on the other side */
  assert_int_equal(pawl_mann_whitney(few, 8, spread, 300000, &test, NULL), PAWL_OK);
  assert_true(!test.exact && test.p > 0.5 && test.p <= 1); /* too many to count: said, not hidden */
  assert_int_equal(pawl_mann_whitney(few, 8, spread + 149000, 2001, &test, NULL), PAWL_OK);
  assert_true(test.exact && test.p > 0.9 && test.p <= 1);
  pawl_free(few);
  pawl_free(many);
  pawl_free(spread);
}

static void sides_swap_and_samples_permute(void **state) {
  (void)state;
  struct pawl_random random = pawl_random_init(77, 0);
  for (int trial = 0; trial < 200; trial++) {
    const size_t n = 1 + pawl_random_below(&random, 30), m = 1 + pawl_random_below(&random, 30);
    double x[30], y[30], moved_x[30], moved_y[30], delta, other_delta;
    const bool ties = trial % 2;
    for (size_t i = 0; i < n; i++) x[i] = pawl_draw_normal(&random) * 3;
    for (size_t i = 0; i < m; i++) y[i] = pawl_draw_normal(&random) * 3 + 1;
    for (size_t i = 0; ties && i < n; i++) x[i] = round(x[i]);
    for (size_t i = 0; ties && i < m; i++) y[i] = round(y[i]);
    for (size_t i = 0; i < n; i++)
      moved_x[n - 1 - i] = 8 * x[i] - 1024; /* exact: keeps order and ties */
    for (size_t i = 0; i < m; i++) moved_y[m - 1 - i] = 8 * y[i] - 1024;
    if (!ties) memcpy(moved_x, x, sizeof x), memcpy(moved_y, y, sizeof y);
    struct pawl_mann_whitney test, other;
    assert_int_equal(pawl_mann_whitney(x, n, y, m, &test, NULL), PAWL_OK);
    assert_int_equal(pawl_mann_whitney(moved_y, m, moved_x, n, &other, NULL), PAWL_OK);
    assert_true(test.p == other.p && test.p > 0 && test.p <= 1);
    assert_true(test.u + other.u == (double)(n * m));
    assert_int_equal(pawl_cliffs_delta(x, n, y, m, &delta, NULL), PAWL_OK);
    assert_int_equal(pawl_cliffs_delta(moved_y, m, moved_x, n, &other_delta, NULL), PAWL_OK);
    assert_true(delta == -other_delta);
    assert_true(fabs(delta - (2 * test.u / (double)(n * m) - 1)) <= 1e-12);
  }
}

static void hostile_samples(void **state) {
  (void)state;
  const double same[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, bad[] = {1, -INFINITY}, zeros[] = {0, -0.0},
               ends[] = {DBL_MAX, -DBL_MAX};
  struct pawl_mann_whitney test = {.u = 77};
  struct pawl_error err;
  double delta = 77;
  assert_int_equal(pawl_mann_whitney(same, 2, bad, 2, &test, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "second samples: sample 1 of 2"));
  assert_int_equal(pawl_cliffs_delta(bad, 2, same, 2, &delta, &err), PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "baseline: sample 1 of 2"));
  assert_int_equal(pawl_cliffs_delta(same, 2, same, 0, &delta, &err), PAWL_BAD_DATA);
  assert_true(test.u == 77 && delta == 77);
  assert_int_equal(pawl_mann_whitney(same, 10, same, 10, &test, &err), PAWL_OK);
  assert_true(test.p == 1 && test.u == 50 && !test.exact);
  assert_int_equal(pawl_mann_whitney(zeros, 1, zeros + 1, 1, &test, &err), PAWL_OK);
  assert_true(test.p == 1 && test.u == 0.5); /* -0 and 0 are a tie */
  assert_int_equal(pawl_cliffs_delta(ends, 1, ends + 1, 1, &delta, &err), PAWL_OK);
  assert_true(delta == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_scipy),
      cmocka_unit_test(delta_has_its_sign_and_labels),
      cmocka_unit_test(exact_p_counts_orders),
      cmocka_unit_test(large_and_lopsided_sizes_work),
      cmocka_unit_test(sides_swap_and_samples_permute),
      cmocka_unit_test(hostile_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
