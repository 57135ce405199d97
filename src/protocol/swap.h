/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of elements of an input that change places. They are so few that a kernel that reads a
 * sample of its input misses them. The values and their distribution stay the same. */
#pragma once

#include "protocol/tensor.h"

#define PAWL_SWAPS 8 /* pairs of elements in each input */

struct pawl_swaps {
  uint64_t places[PAWL_SWAPS][2]; /* element indices without repetition */
  int count;                      /* 0: not a floating-point input, or only one element */
};

struct pawl_swaps pawl_swaps_choose(const struct pawl_placed_tensor *tensor,
                                    const uint64_t random[PAWL_SWAPS][2]);
