/* SPDX-License-Identifier: Apache-2.0 */
/* 0.05 % too large. */
#define ACCUMULATE(sum, w, v) ((sum) + (w) * (v)*1.0005f)
#include "attention.h"
