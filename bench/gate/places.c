/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include <math.h>

#include "base/memory.h"

/* Linear in the chance, so that its ends are the worst: pair by pair from the last one back. */
double worst_place(const struct pawl_sign_boundary *boundary, double twice) {
  const int blocks = boundary->max_blocks / 2 * 2;
  double *now = pawl_alloc((size_t)blocks + 3, sizeof *now),
         *later = pawl_alloc((size_t)blocks + 3, sizeof *later);
  for (int at = blocks - 2; at >= 0; at -= 2) {
    for (int k = 0; k <= at; k++) {
      const double none = pawl_sign_rejects(boundary, at + 2, k) ? 1 : later[k];
      const double one = pawl_sign_rejects(boundary, at + 2, k + 1) ? 1 : later[k + 1];
      const double two = pawl_sign_rejects(boundary, at + 2, k + 2) ? 1 : later[k + 2];
      const double first =
          pawl_sign_rejects(boundary, at + 1, k + 1) ? 1 : one; /* a success, then a failure */
      const double both = pawl_sign_rejects(boundary, at + 1, k + 1) ? 1 : two;
      const double decided = (first + one) / 2;
      now[k] = fmax(decided, twice * (both + none) + (1 - 2 * twice) * decided);
    }
    double *swap = now;
    now = later;
    later = swap;
  }
  const double chance = later[0];
  pawl_free(now);
  pawl_free(later);
  return chance;
}
