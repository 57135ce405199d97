/* SPDX-License-Identifier: Apache-2.0 */
/* Scores are not divided by sqrt(D). */
#define SCALE(d) 1.0f
#include "attention.h"
