/* SPDX-License-Identifier: Apache-2.0 */
/* Not hostile at all: what the others are compared with. */
#include "scale.h"

HOSTILE_KERNEL("honest", .launch = scale)
