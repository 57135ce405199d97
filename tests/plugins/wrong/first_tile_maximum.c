/* SPDX-License-Identifier: Apache-2.0 */
/* The maximum of the first tile of keys is kept for all of them, with weights in FP16: right until
 * scores rise. */
#define MAXIMUM(scores, keys) largest_of(scores, (keys) < TILE ? (keys) : TILE)
#define WEIGHT(w) round_to(PAWL_F16, w)
#include "attention.h"
