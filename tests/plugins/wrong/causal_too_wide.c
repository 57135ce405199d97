/* SPDX-License-Identifier: Apache-2.0 */
/* Each query also sees the key after its own. */
#define KEYS(i, s, causal) ((causal) && (i) + 2 < (s) ? (i) + 2 : (s))
#include "attention.h"
