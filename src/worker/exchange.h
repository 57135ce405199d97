/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of an input that change places: few enough to be missed by who looks at a part of it, while its values and
   their distribution stay. */
#ifndef PAWL_WORKER_EXCHANGE_H
#define PAWL_WORKER_EXCHANGE_H

#include "worker/worker.h"

#define PAWL_EXCHANGES 8 /* of two elements, in each input */

struct pawl_exchanges {
  uint64_t places[PAWL_EXCHANGES][2]; /* element indices, none twice */
  int count;                          /* 0: not a floating-point input, or of one element only */
};

struct pawl_exchanges pawl_exchanges_of(const struct pawl_placed_tensor *tensor,
                                        const uint64_t random[PAWL_EXCHANGES][2]);

#endif
