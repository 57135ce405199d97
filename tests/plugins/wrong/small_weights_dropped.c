/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of little weight are left out. */
#define WEIGHT(w) ((w) < 1e-3f ? 0.0f : (w))
#include "attention.h"
