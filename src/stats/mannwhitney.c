/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/mannwhitney.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "stats/ranks.h"
#include "stats/sort.h"

#define EXACT_AT_MOST 8 /* samples of the smaller side */

__extension__ typedef unsigned __int128 wide;

/* Returns C(m + n, m), or 0 if it needs more than 128 bits. */
static wide count_orders(size_t m, size_t n) {
  wide orders = 1;
  for (size_t i = 1; i <= m; i++) {
    if (orders > ~(wide)0 / (n + i)) return 0;
    orders = orders * (n + i) / i;
  }
  return orders;
}

/* Returns how many of the orders of m and n samples have U <= u. The number of orders with U = k is
   the coefficient of q^k in the Gaussian binomial, the product over i = 1..m of (1 - q^(n+i)) / (1
   - q^i) (Andrews, "The Theory of Partitions", 1976, chapter 3). Each factor is one pass over the u
   + 1 coefficients that matter: O(m u) time, O(u) memory. Intermediate numbers may wrap modulo
   2^128. That is harmless, because the result is smaller. */
static wide count_up_to(size_t m, size_t n, size_t u) {
  wide *coefficient = pawl_alloc(u + 1, sizeof *coefficient), sum = 0;
  coefficient[0] = 1;
  for (size_t i = 1; i <= m; i++) {
    for (size_t k = i; k <= u; k++) coefficient[k] += coefficient[k - i];
    for (size_t k = u; k >= n + i; k--) coefficient[k] -= coefficient[k - n - i];
  }
  for (size_t k = 0; k <= u; k++) sum += coefficient[k];
  pawl_free(coefficient);
  return sum;
}

/* Returns the two-sided p-value, where `u` is the smaller of both sides' U. */
static double exact_p(size_t m, size_t n, uint64_t u, wide orders) {
  const long double p = 2 * (long double)count_up_to(m, n, u) / (long double)orders;
  return p < 1 ? (double)p : 1;
}

static double normal_p(double x_count, double y_count, double larger_u, long double tie_term) {
  const long double pairs = (long double)x_count * y_count, n = (long double)x_count + y_count;
  const long double variance = pairs / 12 * (n + 1 - tie_term / (n * (n - 1)));
  const long double distance = larger_u - pairs / 2 - 0.5L;
  /* The continuity correction reaches the centre, or all samples are tied. */
  if (!(distance > 0 && variance > 0)) return 1;
  return erfc((double)(distance / sqrtl(2 * variance)));
}

void pawl_mann_whitney_sorted(const double *x, size_t x_count, const double *y, size_t y_count,
                              struct pawl_mann_whitney *out) {
  PAWL_ASSERT(x_count > 0 && y_count > 0);
  const struct pawl_rank_counts counts = pawl_count_ranks(x, x_count, y, y_count);
  const double u = (double)counts.greater + (double)counts.equal / 2,
               other = (double)x_count * (double)y_count - u;
  const size_t small = x_count < y_count ? x_count : y_count,
               large = x_count < y_count ? y_count : x_count;
  const wide orders = small <= EXACT_AT_MOST && !counts.ties ? count_orders(small, large) : 0;
  *out = (struct pawl_mann_whitney){.u = u, .exact = orders != 0};
  if (orders)
    out->p =
        exact_p(small, large, counts.less < counts.greater ? counts.less : counts.greater, orders);
  else
    out->p = normal_p((double)x_count, (double)y_count, u > other ? u : other, counts.tie_term);
}

pawl_status pawl_mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count,
                              struct pawl_mann_whitney *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) double *sorted_x = NULL;
  PAWL_CLEANUP(pawl_free_pointer) double *sorted_y = NULL;
  if (pawl_sorted_copy(x, x_count, &sorted_x, err)) return pawl_prefix(err, "first samples");
  if (pawl_sorted_copy(y, y_count, &sorted_y, err)) return pawl_prefix(err, "second samples");
  pawl_mann_whitney_sorted(sorted_x, x_count, sorted_y, y_count, out);
  return PAWL_OK;
}
