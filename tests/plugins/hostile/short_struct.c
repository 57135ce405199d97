/* SPDX-License-Identifier: Apache-2.0 */
/* A descriptor shorter than any version has had. */
#include "scale.h"

HOSTILE_KERNEL("short_struct", .launch = scale, .struct_size = 16)
