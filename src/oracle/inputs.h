/* SPDX-License-Identifier: Apache-2.0 */
/* Random input values by counter. Element i of a tensor is a function of (seed, stream, i) alone,
 * for every machine, vector width and number of threads. So a seed gives the same bits
 * everywhere. */
#pragma once

#include <stdbool.h>
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

/* The elements of a tensor from which on a draw of normal variates takes longer than a flush of the
 * caches. */
#define PAWL_DRAW_MIXED_FROM 6000000
/* Returns whether a draw of new values for this number of elements uses pawl_draw_mixed. */
bool pawl_draw_is_mixed(int32_t fill, int64_t count);
/* Draws `count` elements of PAWL_FILL_NORMAL at the speed of memory: a pool of 2^18 variates by
   pawl_draw_elements, and of each 512 elements the sum of two stretches of the pool with weights
   cos and sin of a random angle. Each element is normal, and each seed has other values. Elements
   far apart may have a variate in common, so this is for inputs that only have to be new. After
   Wallace, "Fast pseudorandom generators for normal and exponential variates", 1996. The bits do
   not depend on the number of threads. */
void pawl_draw_mixed(const struct pawl_draw *draw, void *data, int32_t dtype, int64_t count,
                     int threads);
