/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/binomial.h"

#include <math.h>

#define BISECTIONS 60 /* enough for each bit of a double in [0, 1] that matters */

double pawl_binomial_upper_tail(int trials, int successes, double p) {
  if (!(p >= 0 && p <= 1) || trials < 0) return NAN;
  if (successes <= 0) return 1;
  if (successes > trials || !(p > 0)) return 0;
  if (!(p < 1)) return 1;
  const double odds = log(p), against = log1p(-p), all = lgamma(trials + 1.0);
  double sum = 0;
  for (int k = successes; k <= trials; k++)
    sum +=
        exp(all - lgamma(k + 1.0) - lgamma(trials - k + 1.0) + k * odds + (trials - k) * against);
  return fmin(sum, 1);
}

/* Returns the p at which the chance of `successes` or more is `tail`. The chance grows with p. */
static double solve(int trials, int successes, double tail) {
  double low = 0, high = 1;
  for (int i = 0; i < BISECTIONS; i++) {
    const double middle = (low + high) / 2;
    if (pawl_binomial_upper_tail(trials, successes, middle) < tail)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

void pawl_clopper_pearson(int trials, int successes, double confidence, double *low, double *high) {
  *low = *high = NAN;
  if (!(confidence > 0 && confidence < 1) || successes < 0 || successes > trials) return;
  const double tail = (1 - confidence) / 2;
  *low = successes == 0 ? 0 : solve(trials, successes, tail);
  *high = successes == trials ? 1 : solve(trials, successes + 1, 1 - tail);
}
