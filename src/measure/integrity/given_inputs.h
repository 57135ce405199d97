/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the unseen calls of a GPU kernel (protocol/stamp.h). pawl draws all values of all
 * inputs anew (oracle/renew.h) before each of these calls, and puts them into the shared memory
 * while the worker waits. The worker loads them and then flushes the caches. So a kernel gains
 * nothing by results that it has kept, whatever the key, and can mend none of them. When the call
 * has ended, the usual inputs are in place again. */
#pragma once

#include "measure/block_run.h"
#include "protocol/stamp.h"

struct pawl_given_inputs {
  struct pawl_problem *problem; /* NULL: pawl gives none */
  const pawl_stamp *call;       /* the word with which the worker names its call */
  uint64_t seed;                /* the last draw's */
  int drawn, placed;            /* the set whose new inputs are drawn, or in place; -1: none */
  uint64_t bytes;               /* the size of a set */
  unsigned char *usual;         /* the set that is not in place meanwhile */
  unsigned char *shown;         /* the set that the worker showed last */
  int shown_set;                /* its number; -1: none */
  uint64_t shown_seed;
  bool failed;
  struct pawl_error err;
};

/* Prepares the memory of a request, and sets request->given if the worker takes given inputs. Once
 * it also draws inputs, to know how long that takes. PAWL_NO_MEMORY, PAWL_FAILED: the operator
 * failed. Release it in any case. */
pawl_status pawl_given_inputs_init(struct pawl_given_inputs *given, struct pawl_block_run *run,
                                   const struct pawl_arm_run *arm, struct pawl_error *err);
void pawl_given_inputs_release(struct pawl_given_inputs *given);

/* The next three are for the thread that lets the worker's calls begin. The first draws inputs for
 * the call that the worker names, and the second puts them into place. */
void pawl_given_inputs_draw(struct pawl_given_inputs *given);
void pawl_given_inputs_put(struct pawl_given_inputs *given);
/* Puts the usual inputs back, and keeps the tensors that the worker shows. */
void pawl_given_inputs_take_back(struct pawl_given_inputs *given);

/* Puts the tensors that the worker showed into the shared memory, and draws the given inputs of
 * that call again: *inputs is the first tensor of this set. Sets *inputs to NULL if the worker
 * showed no call of the set. */
pawl_status pawl_given_inputs_show(struct pawl_given_inputs *given, int set,
                                   const unsigned char **inputs, struct pawl_error *err);
