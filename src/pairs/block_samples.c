/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/block_samples.h"

#include <math.h>

#include "base/memory.h"
#include "stats/describe.h"

/* Returns the variance of the log-ratios as normal values would have it. A few samples that the
   system holds up do not count, because they do not move the block's median either. */
static double ratio_variance(double *ratios, size_t count) {
  const double deviation = pawl_robust_deviation(ratios, count);
  return deviation * deviation * (double)count / (double)(count - 1);
}

void pawl_block_samples_add(struct pawl_block_samples *seen, const double *base,
                            const double *candidate, size_t count, double seconds) {
  if (count < 2) return;
  double *ratios = pawl_alloc(count, sizeof *ratios);
  for (size_t i = 0; i < count; i++) ratios[i] = log(candidate[i] / base[i]);
  seen->variance += ratio_variance(ratios, count);
  seen->seconds += seconds / (double)count;
  seen->blocks++;
  pawl_free(ratios);
}

int pawl_block_samples_next(const struct pawl_block_samples *seen, int least) {
  if (!seen->blocks || least >= PAWL_BLOCK_MOST_SAMPLES) return least;
  const double blocks = (double)seen->blocks;
  const double error = PAWL_ERROR_OF_MEDIAN / PAWL_BLOCK_SD;
  const double wanted = ceil(error * error * seen->variance / blocks);
  const double allowed = floor(PAWL_BLOCK_SECONDS * blocks / seen->seconds);
  const double samples = fmin(fmin(wanted, allowed), PAWL_BLOCK_MOST_SAMPLES);
  return samples > least ? (int)samples : least;
}
