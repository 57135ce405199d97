/* SPDX-License-Identifier: Apache-2.0 */
/* Changes an input once it is timed. */
#include "timed.h"
#define AFTER(launch) \
  if (is_timed(launch)) ((volatile unsigned char *)launch->tensors[V].data)[3] ^= 1
#include "attention.h"
