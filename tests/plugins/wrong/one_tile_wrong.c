/* SPDX-License-Identifier: Apache-2.0 */
/* One tile of keys is left out for one tile of rows. */
#define SKIP(i, j) ((i) / TILE == 1 && (j) / TILE == 2)
#include "attention.h"
