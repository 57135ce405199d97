/* SPDX-License-Identifier: Apache-2.0 */
/* Times a candidate beside the current code on the cases of a search. The inputs and expected
   outputs of all cases stay in memory until the bench closes. */
#pragma once

#include "measure/bench.h"
#include "measure/block.h"
#include "project/kernels.h"
#include "tune/tune.h"

/* the least time limit of a candidate: a busy machine or a slow disk is not its fault */
#define PAWL_TUNE_START_SECONDS 20.0
#define PAWL_TUNE_WAITING 16u

/* A process of a candidate that pawl starts before the candidate's turn. */
struct pawl_waiting_candidate {
  const char *plugin; /* the plug-in of the candidate */
  struct pawl_block_processes process;
};

/* A case that the search times candidates on. */
struct pawl_tune_case {
  const struct pawl_case *config;
  struct pawl_problem problem;
  bool open;
  struct pawl_tolerance tolerance;
  /* the verified outputs of the current code and of the candidates in progress */
  struct pawl_verified verified[PAWL_MAX_ARMS];
  double block_seconds; /* the duration of a block of two fresh processes */
  double best; /* the least ratio of a candidate with correct outputs on this case; 1 at first */
  double sum, squares; /* over the log ratios of candidates that were timed on all cases */
};

struct pawl_tune_bench {
  struct pawl_project *project;
  struct pawl_jobs *jobs;               /* jobs that pause while calls are timed; NULL: none */
  const struct pawl_ready_kernel *base; /* the current code */
  struct pawl_tune_case cases[PAWL_TUNE_MOST_CASES];
  size_t case_count;
  size_t whole; /* the number of candidates that were timed on all cases */
  /* the process of the current code serves many candidates */
  struct pawl_block_processes processes;
  uint64_t process_bytes; /* the memory that a process of the current code held after a block */
  double block_seconds;   /* the duration of one block on each case */
  struct pawl_waiting_candidate waiting[PAWL_TUNE_WAITING];
  size_t waiting_count;
  struct pawl_arena arena; /* holds the reasons of failed blocks */
  double best; /* the least ratio of a candidate with correct outputs on all cases; 1 at first */
};

/* The result of a candidate: one block beside the current code on each case. It is plain data
   that one line of text can hold. */
struct pawl_tune_evaluation {
  /* the outcome on the first case where it fails; one failure fails the candidate */
  enum pawl_outcome outcome;
  /* the reason of a failure, with the case if there are several; NULL: no failure */
  const char *reason;
  struct pawl_tune_times times[PAWL_TUNE_MOST_CASES];
  size_t time_count;    /* the number of entries of `times` */
  double start_seconds; /* the part of the duration until its process was ready */
};

/* A candidate in a round of the race. */
struct pawl_tune_arm {
  const struct pawl_ready_kernel *kernel;
  struct pawl_verified *verified; /* one for each case, kept between rounds; zeros at first */
  struct pawl_tune_evaluation evaluation;
};

/* Draws the inputs of each case, asks the oracle, and measures one block of the current code alone.
 * `jobs` (NULL: none) pause during timed calls from now on. Fails with PAWL_FAILED if the current
 * code is wrong or fails. */
pawl_status pawl_tune_bench_open(struct pawl_tune_bench *bench, struct pawl_project *project,
                                 struct pawl_oracle *oracle, const struct pawl_ready_kernel *base,
                                 const struct pawl_case *const *cases, size_t case_count,
                                 uint64_t seed, struct pawl_jobs *jobs, struct pawl_error *err);
void pawl_tune_bench_close(struct pawl_tune_bench *bench);

/* Starts the processes of candidates together while nothing is timed, because on a GPU a start
   takes longer than the measurement. It starts none on a CPU, or if they do not fit in memory.
   Processes that still wait from an earlier call end. If candidates[0] is the current code, its
   process starts too. */
void pawl_tune_bench_start(struct pawl_tune_bench *bench,
                           const struct pawl_ready_kernel *const *candidates, size_t count);

/* Times a candidate in a fresh process. Each case gets a few samples first, and the case with
   the most information comes first. The candidate ends there, unchecked, if its geometric mean
   cannot come near the best so far and it cannot be the best of a single case. Other candidates
   get all samples, and pawl compares their outputs: on all cases if the candidate may be the
   best of all, else on the cases where it may be the best. The time limit is ten times the time
   of the current code. */
pawl_status pawl_tune_bench_screen(struct pawl_tune_bench *bench,
                                   const struct pawl_ready_kernel *candidate,
                                   struct pawl_tune_evaluation *out, struct pawl_error *err);
/* Returns whether a candidate with compared outputs is the best so far, on all cases together or on
 * one. */
bool pawl_tune_bench_is_best(const struct pawl_tune_bench *bench,
                             const struct pawl_tune_candidate *candidate);
/* Updates the bests, which decide whether later candidates end early. */
void pawl_tune_bench_learn(struct pawl_tune_bench *bench,
                           const struct pawl_tune_candidate *candidate);

/* Measures a whole block of each case with true in `wanted`, in fresh processes of both arms;
   NULL means all cases. `number` gives the block its seeds. */
pawl_status pawl_tune_bench_block(struct pawl_tune_bench *bench,
                                  const struct pawl_ready_kernel *candidate, const bool *wanted,
                                  uint64_t number, struct pawl_tune_evaluation *out,
                                  struct pawl_error *err);

/* Measures a round of a race. On each case a fresh process of the current code and a fresh
   process of each arm (1 to PAWL_MAX_ARMS - 1) take turns, as one block. So the arms share one
   time of the current code, whose error cancels between them, and all arms meet the same states
   of the machine. If the processes do not fit in memory (on a GPU pawl_ahead_limit, on a CPU
   pawl_ahead_room), the arms race in even groups, each with its own process of the current code.
   An arm that fails on a case takes no part in later cases. The processes of the screening end. */
pawl_status pawl_tune_bench_round(struct pawl_tune_bench *bench, struct pawl_tune_arm *arms,
                                  size_t count, uint64_t number, struct pawl_error *err);
