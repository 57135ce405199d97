/* SPDX-License-Identifier: Apache-2.0 */
/* The first row of every tile leaves out the first key. */
#define SKIP(i, j) ((i) % TILE == 0 && (j) == 0)
#include "attention.h"
