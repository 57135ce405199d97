/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves the rounding mode changed: the first call rounds to nearest, the others towards zero. */
#include <fenv.h>
#define AFTER(launch) (void)fesetround(FE_TOWARDZERO)
#include "attention.h"
