/* SPDX-License-Identifier: Apache-2.0 */
/* Queries do not see their own key, but for the first. */
#define KEYS(i, s, causal) ((causal) && (i) > 0 ? (i) : (causal) ? 1 : (s))
#include "attention.h"
