/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out a required hook. */
#include "scale.h"

HOSTILE_KERNEL("no_launch", .launch = NULL)
