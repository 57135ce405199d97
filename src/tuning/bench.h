/* SPDX-License-Identifier: Apache-2.0 */
/* Times a candidate beside the current code on the cases of a search. Their problems stay in memory
 * for all of it. */
#ifndef PAWL_TUNING_BENCH_H
#define PAWL_TUNING_BENCH_H

#include "measure/bench.h"
#include "measure/block.h"
#include "project/kernels.h"
#include "tune/tune.h"

#define PAWL_TUNE_START_SECONDS \
  20.0 /* of a candidate: a busy machine or a slow disk is no fault of its */
#define PAWL_TUNE_WAITING 16u

/* A candidate's process that was started before its turn. */
struct pawl_waiting_candidate {
  const char *plugin; /* whose it is */
  struct pawl_block_processes process;
};

/* A case that candidates are timed on. */
struct pawl_tune_case {
  const struct pawl_case *config;
  struct pawl_problem problem;
  bool open;
  struct pawl_tolerance tolerance;
  struct pawl_verified verified[PAWL_MAX_ARMS]; /* of the current code; of the candidates at hand */
  double block_seconds;                         /* of a whole block of two fresh processes */
  double best;         /* the least ratio of a candidate that is right there; 1 at first */
  double sum, squares; /* of the log ratios of candidates that were timed on all cases */
};

struct pawl_tune_bench {
  struct pawl_project *project;
  struct pawl_jobs *jobs;               /* that stand still while calls are timed; NULL: none */
  const struct pawl_ready_kernel *base; /* the current code */
  struct pawl_tune_case cases[PAWL_TUNE_MOST_CASES];
  size_t case_count;
  size_t whole;                          /* candidates that were timed on all cases */
  struct pawl_block_processes processes; /* the current code's serves many candidates */
  uint64_t process_bytes; /* of the machine's memory, that a process of the current code held after
                             a block */
  double block_seconds;   /* of a whole block of each case */
  struct pawl_waiting_candidate waiting[PAWL_TUNE_WAITING];
  size_t waiting_count;
  struct pawl_arena arena; /* of the blocks: reasons live in it */
  double best; /* the least ratio of a candidate that is right on all cases; 1 at first */
};

/* What a candidate did: one block of it and the current code on each case. Plain data: a line of
 * text can hold it. */
struct pawl_tune_evaluation {
  enum pawl_outcome outcome; /* of the first case where it fails; a failure on one is a failure */
  const char *reason;        /* why, and on which of several cases; NULL */
  struct pawl_tune_times times[PAWL_TUNE_MOST_CASES];
  size_t time_count;    /* cases */
  double start_seconds; /* of the time it took: until its process was ready */
};

/* A racer in a round. */
struct pawl_tune_arm {
  const struct pawl_ready_kernel *kernel;
  struct pawl_verified *verified; /* of each case, from round to round; zeros at first */
  struct pawl_tune_evaluation evaluation;
};

/* Draws the inputs of each case, asks the oracle, and measures one block of the current code alone.
   The jobs (NULL: none) stand still while calls are timed, now and later. PAWL_FAILED: the code is
   wrong or fails. */
pawl_status pawl_tune_bench_open(struct pawl_tune_bench *bench, struct pawl_project *project,
                                 struct pawl_oracle *oracle, const struct pawl_ready_kernel *base,
                                 const struct pawl_case *const *cases, size_t case_count,
                                 uint64_t seed, struct pawl_jobs *jobs, struct pawl_error *err);
void pawl_tune_bench_close(struct pawl_tune_bench *bench);

/* Starts the processes of candidates side by side, while nothing is timed: on a GPU a start takes
   longer than the measurement. Elsewhere, and of more than fit, it starts none. The processes that
   still wait from before end. If the first is the current code, it starts too. */
void pawl_tune_bench_start(struct pawl_tune_bench *bench,
                           const struct pawl_ready_kernel *const *candidates, size_t count);

/* A fresh process of the candidate. A few samples of each case first, the case that tells most
   before the others. A candidate ends there, unchecked, once the geometric mean of its ratios
   cannot come near the best so far and it is no candidate for the best of a single case. Any other
   gets all samples, and its outputs are compared: on all cases if it may be the best of all, else
   on those where it may be the best. It is given ten times as long as the current code. */
pawl_status pawl_tune_bench_screen(struct pawl_tune_bench *bench,
                                   const struct pawl_ready_kernel *candidate,
                                   struct pawl_tune_evaluation *out, struct pawl_error *err);
/* Whether a candidate that was compared would be the one to beat, on all cases together or on one
 * of them. */
bool pawl_tune_bench_is_best(const struct pawl_tune_bench *bench,
                             const struct pawl_tune_candidate *candidate);
/* What a candidate did decides which later ones end early. */
void pawl_tune_bench_learn(struct pawl_tune_bench *bench,
                           const struct pawl_tune_candidate *candidate);

/* A whole block of each case with true in `wanted` (NULL: of all): fresh processes of both.
   `number` is the block's own, for seeds. */
pawl_status pawl_tune_bench_block(struct pawl_tune_bench *bench,
                                  const struct pawl_ready_kernel *candidate, const bool *wanted,
                                  uint64_t number, struct pawl_tune_evaluation *out,
                                  struct pawl_error *err);

/* A round of a race: a fresh process of the current code and one of each arm (1 to PAWL_MAX_ARMS -
   1) take turns on each case, as one block. So the arms share one time of the current code, whose
   luck cancels between them, and all have the machine in the same states. Not all may be there at
   once (on a GPU pawl_ahead_limit, on a CPU pawl_ahead_room): then they race in even groups, each
   with a process of the current code. An arm that fails on a case takes no part in the later ones.
   The screening's processes end. */
pawl_status pawl_tune_bench_round(struct pawl_tune_bench *bench, struct pawl_tune_arm *arms,
                                  size_t count, uint64_t number, struct pawl_error *err);

#endif
