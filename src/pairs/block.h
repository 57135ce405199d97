/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of one pair of arms as they come, and what they say so far. */
#ifndef PAWL_PAIRS_BLOCK_H
#define PAWL_PAIRS_BLOCK_H

#include "measure/block.h"
#include "measure/result_builder.h"
#include "pairs/request.h"
#include "project/bench_row.h"

#define PAWL_CONFIRMATION_SEED 1000000u /* added: the confirmation's blocks are other blocks */

/* The one block of a harness that the requests of a turn share. */
struct pawl_shared_block {
  struct pawl_block block;
  bool measured;
};

enum pawl_measuring_phase { PAWL_JUDGING, PAWL_CONFIRMING, PAWL_DONE };

/* Blocks of one request as they come. */
struct pawl_measuring {
  struct pawl_project *project;
  const struct pawl_paired_bench_request *request;
  struct pawl_arena *arena;
  struct pawl_problem *problem; /* `own`, or that of an earlier request on the same inputs */
  struct pawl_problem own;
  struct pawl_block_plan plan;
  struct pawl_verified verified[PAWL_MAX_ARMS];
  struct pawl_shared_block
      *shared; /* of the turn, of a harness; NULL: each request has a block of its own */
  struct pawl_tolerance tolerance;
  struct pawl_paired_bench_outcome outcome;
  struct pawl_paired_test paired, again; /* again: the confirmation's blocks */
  size_t confirmed;                      /* of those, that count */
  double own_busy;                       /* the sum over the blocks that count */
  size_t own_blocks;
  struct pawl_bench_row row; /* of the candidate's own result, where it is asked for */
  struct pawl_result_builder builder;
  enum pawl_measuring_phase phase;
};

/* Measures one block and appends it; `number` is the block's own, for seeds. *ended: an arm is not
 * OK. */
pawl_status pawl_paired_block_add(struct pawl_measuring *measuring, struct pawl_paired_test *paired,
                                  uint64_t number, enum pawl_place place, bool *ended,
                                  struct pawl_error *err);
/* One more block for the verdict; then the test answers, the budget ends, or an arm fails, or none
 * of these. */
pawl_status pawl_paired_block_judge(struct pawl_measuring *measuring, enum pawl_place place,
                                    struct pawl_error *err);
/* One more block that the verdict has not seen, until there are as many again: their median alone
   says how large the improvement is. */
pawl_status pawl_paired_block_confirm(struct pawl_measuring *measuring, enum pawl_place place,
                                      struct pawl_error *err);

#endif
