/* SPDX-License-Identifier: Apache-2.0 */
/* Times a candidate beside the current code, over one problem that stays in memory for the whole search. */
#ifndef PAWL_LOOP_TUNE_BENCH_H
#define PAWL_LOOP_TUNE_BENCH_H

#include "loop/kernels.h"
#include "measure/bench.h"
#include "measure/block.h"

#define PAWL_TUNE_WAITING 16u

/* A candidate's process that was started before its turn. */
struct pawl_waiting_candidate {
  const char *plugin; /* whose it is */
  struct pawl_block_processes process;
};

struct pawl_tune_bench {
  struct pawl_project *project;
  const struct pawl_ready_kernel *base; /* the current code */
  const struct pawl_case *config;
  struct pawl_problem problem;
  bool open;
  struct pawl_tolerance tolerance;
  struct pawl_block_processes processes;        /* the current code's serves many candidates */
  struct pawl_verified verified[PAWL_MAX_ARMS]; /* of the current code; of the candidate at hand */
  double block_seconds;                         /* of a whole block of two fresh processes */
  struct pawl_waiting_candidate waiting[PAWL_TUNE_WAITING];
  size_t waiting_count;
  struct pawl_arena arena; /* of the blocks: reasons live in it */
  double best;             /* the least ratio of a candidate so far; 1 at first */
};

struct pawl_tune_block {
  enum pawl_outcome outcome; /* of the candidate */
  const char *reason;
  double base_ms, candidate_ms; /* NaN: not OK */
  bool checked;                 /* its outputs were compared with the oracle */
  double start_seconds;         /* of the time it took: until its process was ready */
};

/* Draws the inputs, asks the oracle, and measures one block of the current code alone. PAWL_FAILED: it is wrong or
   fails. */
pawl_status pawl_tune_bench_open(struct pawl_tune_bench *bench, struct pawl_project *project,
                                 struct pawl_oracle *oracle, const struct pawl_ready_kernel *base,
                                 const struct pawl_case *config, uint64_t seed, struct pawl_error *err);
void pawl_tune_bench_close(struct pawl_tune_bench *bench);

/* Starts the processes of candidates side by side, while nothing is timed: on a GPU a start takes longer than the
   measurement. Elsewhere, and of more than fit, it starts none. The processes that still wait from before end. */
void pawl_tune_bench_start(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *const *candidates,
                           size_t count);

/* A fresh process of the candidate. A few samples first: a candidate whose fastest is slower than the best so far by
   more than a factor ends there, unchecked. Any other gets all its samples, and its outputs are compared. It is given
   ten times as long as the current code. */
pawl_status pawl_tune_bench_screen(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                                   struct pawl_tune_block *out, struct pawl_error *err);
/* A whole block: fresh processes of both. `number` is the block's own, for seeds. */
pawl_status pawl_tune_bench_block(struct pawl_tune_bench *bench, const struct pawl_ready_kernel *candidate,
                                  uint64_t number, struct pawl_tune_block *out, struct pawl_error *err);

#endif
