/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the unseen calls of a GPU kernel (protocol/stamp.h). pawl draws all values of all
 * inputs anew (oracle/renew.h) before the request, and puts them into the shared memory while the
 * worker waits. The worker loads them and then flushes the caches. So a kernel gains nothing by
 * results that it has kept, whatever the key, and can mend none of them. A repeated call has other
 * new inputs, because the kernel then knows those of its first try. When the call has ended, the
 * usual inputs are in place again. */
#pragma once

#include "measure/block_run.h"
#include "protocol/stamp.h"

struct pawl_given_inputs {
  struct pawl_problem *problem; /* NULL: pawl gives none */
  const pawl_stamp *call;       /* the word with which the worker names its call */
  int *had;                     /* sets of new inputs that the arm's process has had */
  int drawn;                    /* pawl has drawn all sets below this number */
  int placed, number;           /* the set that has new inputs, and their number; -1: none */
  uint64_t bytes;               /* the size of a set */
  unsigned char *usual;         /* the set that is not in place meanwhile */
  unsigned char *shown;         /* the set that the worker showed last */
  int shown_set, shown_number;  /* its number, and that of its inputs; -1: none */
  struct pawl_error err;        /* why a draw failed that a repeated call needs */
};

/* Prepares the memory of a request if the worker takes given inputs. PAWL_NO_MEMORY, PAWL_FAILED:
 * the operator failed. Release it in any case. */
pawl_status pawl_given_inputs_init(struct pawl_given_inputs *given, struct pawl_block_run *run,
                                   struct pawl_arm_run *arm, struct pawl_error *err);
void pawl_given_inputs_release(struct pawl_given_inputs *given);
/* Draws inputs for `*pairs` calls that the arm's process has not had. Call it before each request.
 * Fewer, but one for each set, fit where they are large or where draws take long. */
pawl_status pawl_given_inputs_draw(struct pawl_given_inputs *given, int *pairs,
                                   struct pawl_error *err);

/* The next three are for the thread that lets the worker's calls begin. The first draws inputs for
 * the next call if repeated calls have used up those of the request. It sets `err` if that fails.
 */
void pawl_given_inputs_prepare(struct pawl_given_inputs *given);
/* Puts new inputs into place for the call that the worker names. */
void pawl_given_inputs_put(struct pawl_given_inputs *given);
/* Puts the usual inputs back, and keeps the tensors that the worker shows. */
void pawl_given_inputs_take_back(struct pawl_given_inputs *given);

/* Puts the tensors that the worker showed into the shared memory. Returns the inputs that pawl had
 * given to that call, from the first tensor on; NULL: the worker showed no call of the set. */
const unsigned char *pawl_given_inputs_show(const struct pawl_given_inputs *given, int set);
