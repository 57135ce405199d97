/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/variates.h"

#include <math.h>

double pawl_draw_exponential(struct pawl_random *random) {
  return -log(1 - pawl_random_double(random)); /* 1 - u is in (0, 1] */
}

double pawl_draw_normal(struct pawl_random *random) {
  const double radius = sqrt(2 * pawl_draw_exponential(random));
  return radius * cos(2 * M_PI * pawl_random_double(random));
}

double pawl_draw_gamma(struct pawl_random *random, double shape) {
  const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    const double x = pawl_draw_normal(random), root = 1 + c * x;
    if (!(root > 0)) continue;
    const double v = root * root * root, u = 1 - pawl_random_double(random), x2 = x * x;
    if (u < 1 - 0.0331 * x2 * x2) return d * v; /* inside the squeeze: no logarithm needed */
    if (log(u) < x2 / 2 + d * (1 - v + log(v))) return d * v;
  }
}
