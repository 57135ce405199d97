/* SPDX-License-Identifier: Apache-2.0 */
/* The weights are rounded to BF16 on the way to the second product: each element is near enough,
 * all of them are not.
 */
#define WEIGHT(w) round_to(PAWL_BF16, w)
#include "attention.h"
