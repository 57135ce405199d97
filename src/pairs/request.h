/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be measured in pairs, and what becomes of it besides the verdict. */
#ifndef PAWL_PAIRS_REQUEST_H
#define PAWL_PAIRS_REQUEST_H

#include <signal.h>

#include "gate/paired_test.h"
#include "measure/bench.h"
#include "pairs/waiting.h"
#include "project/kernels.h"

struct pawl_paired_bench_request {
  const struct pawl_ready_kernel *base, *candidate; /* both OK */
  struct pawl_oracle *oracle;     /* NULL: both are commands, a block is one run of each */
  const struct pawl_case *config; /* of a harness: it has the name of a benchmark */
  const char *anchor;             /* as in struct pawl_paired_test */
  enum pawl_anchor_kind anchor_kind;
  int comparisons; /* kernels and cases that this run judges */
  bool confirm;    /* measure an improvement again, for the ratchet */
  bool own_row;    /* sum up the candidate's side of the verdict's blocks as a result of its own */
  struct pawl_waiting_pairs
      *early; /* of its first blocks, to be taken over; NULL: none was launched */
  struct pawl_problem
      *problem;  /* of its blocks, filled, for which the `early` pairs get ready; NULL: its own */
  uint64_t seed; /* of the places of the arms */
  uint64_t input_seed; /* of the inputs, so that an oracle's answers are kept from run to run */
  struct pawl_arena *arena; /* of strings and arrays; NULL: the project's */
  /* Of a selftest: the arms are the same code, measured all the same, with delays in their timed
   * calls. */
  bool injected;
  int64_t delay_ns[2];
  int samples;         /* of each arm in a block; 0: as usual */
  int max_blocks;      /* stop without an answer; 0: at the test's end */
  int64_t deadline_ns; /* of pawl_clock_ns(): a block that ends later is the last, and without an
 answer the verdict is INCONCLUSIVE; 0: none */
  const volatile sig_atomic_t *stop; /* becomes true: the same, now; NULL: never */
  bool silent;                       /* shows no progress: the caller does */
  bool leave; /* processes may end later, in the project's `shutdown`: what the caller does next is
                 not timed */
};

/* What became of the two arms besides the verdict. */
struct pawl_paired_bench_outcome {
  enum pawl_outcome candidate,
      base;                /* OK, WRONG, CRASHED, UNSUPPORTED; all but OK end the measurement */
  const char *reason;      /* of the outcome that is not OK */
  double cpus_used;        /* CPUs' worth of time, mean over the blocks that count; NaN: unknown */
  struct pawl_result *own; /* that was asked for, with new references to its JSON; NULL: none, or
                              the base is not OK */
  struct pawl_strings
      left; /* with the first request of a harness: benchmarks that the base alone has */
};

#endif
