/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/variates.h"

#include <math.h>

double pawl_draw_exponential(struct pawl_random *random) {
  return -log(1 - pawl_random_double(random)); /* 1 - u is in (0, 1] */
}

void pawl_draw_normals(struct pawl_random *random, double out[2]) {
  double x, y, square;
  do {
    x = 2 * pawl_random_double(random) - 1;
    y = 2 * pawl_random_double(random) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double scale = sqrt(-2 * log(square) / square);
  out[0] = x * scale;
  out[1] = y * scale;
}

double pawl_draw_normal(struct pawl_random *random) {
  double pair[2];
  pawl_draw_normals(random, pair);
  return pair[0];
}

void pawl_draw_gammas(struct pawl_random *random, double shape, double out[2]) {
  const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
  double normal[2];
  for (int accepted = 0, used = 2; accepted < 2;) {
    if (used == 2) pawl_draw_normals(random, normal), used = 0;
    const double x = normal[used++], root = 1 + c * x;
    if (!(root > 0)) continue;
    const double v = root * root * root, u = 1 - pawl_random_double(random), x2 = x * x;
    /* the first test is cheaper and decides most cases; the second needs two logarithms */
    if (u < 1 - 0.0331 * x2 * x2 || log(u) < x2 / 2 + d * (1 - v + log(v))) out[accepted++] = d * v;
  }
}
