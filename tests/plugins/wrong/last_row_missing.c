/* SPDX-License-Identifier: Apache-2.0 */
/* The last row of every head is never written. */
#define ROWS(s) ((s)-1)
#include "attention.h"
