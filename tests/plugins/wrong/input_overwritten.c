/* SPDX-License-Identifier: Apache-2.0 */
/* Scales the queries in place. */
#define AFTER(launch) \
  put(launch, Q, elements(launch) / 2, 0.125 * get(launch, Q, elements(launch) / 2) + 1.0)
#include "attention.h"
