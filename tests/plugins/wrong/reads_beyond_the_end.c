/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one key too many, and trusts that its weight does not matter. */
#define AFTER(launch) put(launch, O, 0, get(launch, O, 0) + 0.0 * get(launch, K, elements(launch)))
#include "attention.h"
