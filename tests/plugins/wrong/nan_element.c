/* SPDX-License-Identifier: Apache-2.0 */
/* One element of all is NaN. */
#define AFTER(launch) put(launch, O, elements(launch) - 1, (double)NAN)
#include "attention.h"
