/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the blocks of one pair of arms one by one, and judges after each. */
#pragma once

#include "measure/block.h"
#include "measure/integrity/fresh_pairs.h"
#include "measure/result_builder.h"
#include "pairs/block_samples.h"
#include "pairs/request.h"
#include "project/bench_row.h"

#define PAWL_CONFIRMATION_SEED 1000000u /* offset of the seeds of the confirmation's blocks */

/* The one block of a harness that all requests of a turn share. */
struct pawl_shared_block {
  struct pawl_block block;
  bool measured;
};

enum pawl_measuring_phase { PAWL_JUDGING, PAWL_CONFIRMING, PAWL_DONE };

struct pawl_measuring {
  struct pawl_project *project;
  const struct pawl_paired_bench_request *request;
  struct pawl_arena *arena;
  struct pawl_problem *problem; /* `own`, or that of an earlier request on the same inputs */
  struct pawl_problem own;
  struct pawl_block_plan plan;
  struct pawl_verified verified[PAWL_MAX_ARMS];
  /* The turn's block of a harness; NULL: each request has a block of its own. */
  struct pawl_shared_block *shared;
  struct pawl_tolerance tolerance;
  struct pawl_paired_bench_outcome outcome;
  struct pawl_paired_test paired, again; /* `again` has the confirmation's blocks */
  size_t confirmed;                      /* blocks of `again` that count */
  /* Pairs of calls of each arm on usual and on new inputs, and what they say of the candidate: its
   * blocks count this many times as long; 0: nothing yet. */
  struct pawl_fresh_calls fresh[2];
  double fresh_times;
  int least_samples;                 /* the least for an arm in a block */
  bool more_samples;                 /* a noisy block may have more of them */
  struct pawl_block_samples sampled; /* their noise and their time so far */
  double own_busy;                   /* the sum over the blocks that count */
  size_t own_blocks;
  struct pawl_bench_row row; /* the candidate's own result, if the request asks for it */
  struct pawl_result_builder builder;
  enum pawl_measuring_phase phase;
};

/* Measures one block and appends it. `number` gives the block its seed. *ended: an arm is not
   OK. */
pawl_status pawl_paired_block_add(struct pawl_measuring *measuring, struct pawl_paired_test *paired,
                                  uint64_t number, enum pawl_arm_order order, bool *ended,
                                  struct pawl_error *err);
/* Ends the measurement because the budget is over. The blocks so far stay. Without any, the
   candidate's outcome says that it is not measured. */
void pawl_paired_block_leave(struct pawl_measuring *measuring);
/* Measures one more block for the verdict. After it the test may answer, the budget may end, or an
   arm may fail. */
pawl_status pawl_paired_block_judge(struct pawl_measuring *measuring, enum pawl_arm_order order,
                                    struct pawl_error *err);
/* Measures one more block that the verdict has not seen, until there are as many as the verdict
   has. The median of these blocks alone says how large the improvement is. */
pawl_status pawl_paired_block_confirm(struct pawl_measuring *measuring, enum pawl_arm_order order,
                                      struct pawl_error *err);
