/* SPDX-License-Identifier: Apache-2.0 */
/* Writes past the end once it is timed. */
#include "timed.h"
#define AFTER(launch) \
  if (is_timed(launch)) ((volatile unsigned char *)launch->tensors[O].data)[bytes(launch)] ^= 1
#include "attention.h"
