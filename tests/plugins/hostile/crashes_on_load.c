/* SPDX-License-Identifier: Apache-2.0 */
/* Crashes while it is loaded. */
#include <stdlib.h>

#include "scale.h"

__attribute__((constructor)) static void on_load(void) { abort(); }

HOSTILE_KERNEL("crashes_on_load", .launch = scale)
