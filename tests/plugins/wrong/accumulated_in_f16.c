/* SPDX-License-Identifier: Apache-2.0 */
/* The sum over the keys is kept in FP16. */
#define ACCUMULATE(sum, w, v) round_to(PAWL_F16, (sum) + (w) * (v))
#include "attention.h"
