/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled against headers of another version. */
#include "scale.h"

HOSTILE_KERNEL("bad_version", .launch = scale, .abi_version = PAWL_ABI_VERSION + 1)
