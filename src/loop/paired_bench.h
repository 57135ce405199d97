/* SPDX-License-Identifier: Apache-2.0 */
/* The anchor and the candidate of one kernel and case, measured side by side until the verdict is known. */
#ifndef PAWL_LOOP_PAIRED_BENCH_H
#define PAWL_LOOP_PAIRED_BENCH_H

#include "gate/paired_test.h"
#include "loop/kernels.h"
#include "measure/bench.h"

struct pawl_paired_bench_request {
  const struct pawl_ready_kernel *base, *candidate; /* both OK */
  struct pawl_oracle *oracle;                       /* NULL: both are commands, a block is one run of each */
  const struct pawl_case *config;                   /* of a harness: it has the name of a benchmark */
  const char *anchor;                               /* as in struct pawl_paired_test */
  enum pawl_anchor_kind anchor_kind;
  int comparisons;          /* kernels and cases that this run judges */
  bool confirm;             /* measure an improvement again, for the ratchet */
  bool own_row;             /* sum up the candidate's side of the verdict's blocks as a result of its own */
  uint64_t seed;            /* of the places of the arms */
  uint64_t input_seed;      /* of the inputs, so that an oracle's answers are kept from run to run */
  struct pawl_arena *arena; /* of strings and arrays; NULL: the project's */
  /* Of a selftest: the arms are the same code, measured all the same, with delays in their timed calls. */
  bool injected;
  int64_t delay_ns[2];
  int samples;         /* of each arm in a block; 0: as usual */
  int max_blocks;      /* stop without an answer; 0: at the test's end */
  int64_t deadline_ns; /* of pawl_clock_ns(): a block that ends later is the last, and without an answer the verdict is
 INCONCLUSIVE; 0: none */
  bool silent;         /* shows no progress: the caller does */
};

/* What became of the two arms besides the verdict. */
struct pawl_paired_bench_outcome {
  enum pawl_outcome candidate, base; /* OK, WRONG, CRASHED, UNSUPPORTED; all but OK end the measurement */
  const char *reason;                /* of the outcome that is not OK */
  double cpus_used;                  /* CPUs' worth of time, mean over the blocks that count; NaN: unknown */
  struct pawl_result *own;  /* that was asked for, with new references to its JSON; NULL: none, or the base is not OK */
  struct pawl_strings left; /* with the first request of a harness: benchmarks that the base alone has */
};

/* Samples of each arm in a block. */
int pawl_paired_bench_samples(const struct pawl_measure_spec *spec);

/* Measures blocks for each request until its test decides or the budget ends. Spoiled blocks are repeated, max_blocks
   of them at most. The requests share their two arms and their operator: one fresh process of each arm serves a block
   of every request that is not decided yet, so that its start is paid once a block. Each request's blocks are fresh
   processes to it, as when it is measured alone; what two requests share is a process's luck, and a bound on false
   alarms that is shared out over the requests (comparisons) does not ask that they be independent. Of a harness, one
   run of each arm is a block of every request. `out` and `outcomes` have `count`. Strings and arrays live in the arena.
 */
pawl_status pawl_paired_bench(struct pawl_project *project, const struct pawl_paired_bench_request *requests,
                              size_t count, struct pawl_paired_test *out, struct pawl_paired_bench_outcome *outcomes,
                              struct pawl_error *err);

#endif
