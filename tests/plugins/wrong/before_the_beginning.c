/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one element before its output. */
#define AFTER(launch) put(launch, O, -1, 1.0)
#include "attention.h"
