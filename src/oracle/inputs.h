/* SPDX-License-Identifier: Apache-2.0 */
/* Random input values by counter. Element i of a tensor is a function of (seed, stream, i) alone,
 * for every machine, vector width and number of threads. So a seed gives the same bits
 * everywhere. */
#pragma once

#include <stdint.h>

#include "pawl/operator.h"

struct pawl_draw {
  int32_t fill; /* enum pawl_fill */
  double scale;
  uint64_t seed, stream; /* Philox key and the upper half of its counter */
  int64_t row; /* elements of the last dimension, for PAWL_FILL_CONSTANT_ROWS; at least 1 */
};

/* Writes the elements [first, first + count) of the tensor at `data` (its element 0). Variate i
   comes from word i % 4 of Philox block i / 4; normal variates i and i + 1 (i even) share two words
   by Box and Muller, "A note on the generation of random normal deviates", 1958. Values are
   computed in FP64 and rounded to the dtype once, to nearest; integer dtypes saturate. threads 0:
   all CPUs. */
void pawl_draw_elements(const struct pawl_draw *draw, void *data, int32_t dtype, int64_t first,
                        int64_t count, int threads);
