/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/process_interval.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/binomial.h"
#include "stats/sign_test.h"
#include "stats/sort.h"

size_t pawl_process_interval_least(double confidence) {
  int count = 1;
  while (ldexp(1, 1 - count) > 1 - confidence) count++;
  return (size_t)count;
}

void pawl_process_interval(const double *medians, size_t count, double *low, double *high) {
  pawl_process_interval_at(PAWL_PROCESS_CONFIDENCE, medians, count, low, high);
}

void pawl_process_interval_at(double confidence, const double *medians, size_t count, double *low,
                              double *high) {
  *low = *high = NAN;
  if (count < pawl_process_interval_least(confidence)) return;
  double *sorted = pawl_alloc(count, sizeof *sorted);
  memcpy(sorted, medians, count * sizeof *sorted);
  pawl_sort_doubles(sorted, count);
  pawl_sign_fixed_limits(sorted, (int)count, confidence, low, high);
  pawl_free(sorted);
}

/* Uses the limits of the values 1, 2, ..., count: the lower limit is then the rank of the lower
   end. */
double pawl_process_interval_confidence(size_t count) {
  if (count < PAWL_PROCESS_INTERVAL_LEAST) return NAN;
  double *ranks = pawl_alloc(count, sizeof *ranks), low, high;
  for (size_t i = 0; i < count; i++) ranks[i] = (double)(i + 1);
  pawl_sign_fixed_limits(ranks, (int)count, PAWL_PROCESS_CONFIDENCE, &low, &high);
  pawl_free(ranks);
  return 1 - 2 * pawl_binomial_upper_tail((int)count, (int)(count + 1 - (size_t)low), 0.5);
}
