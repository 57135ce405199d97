/* SPDX-License-Identifier: Apache-2.0 */
/* Needs a function that nothing defines. */
#include "scale.h"

int nobody_defines_this(const struct pawl_launch *call);

static int launch(const struct pawl_launch *call) { return nobody_defines_this(call); }

HOSTILE_KERNEL("undefined_symbol", .launch = launch)
