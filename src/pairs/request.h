/* SPDX-License-Identifier: Apache-2.0 */
/* A request to measure two arms in pairs, and the outcome of the arms besides the verdict. */
#pragma once

#include <signal.h>

#include "gate/paired_test.h"
#include "measure/bench.h"
#include "pairs/waiting.h"
#include "project/kernels.h"

struct pawl_paired_bench_request {
  const struct pawl_ready_kernel *base, *candidate; /* both OK */
  struct pawl_oracle *oracle;     /* NULL: both are commands, a block is one run of each */
  const struct pawl_case *config; /* a harness's case bears the name of a benchmark */
  const char *anchor;             /* as in struct pawl_paired_test */
  enum pawl_anchor_kind anchor_kind;
  bool identical;  /* the caller has decided that both are the same code: no call is timed */
  int comparisons; /* kernels and cases that this run judges */
  double detect;   /* in place of the gate's `detect`; 0: the gate's */
  bool confirm;    /* measure an improvement again, for the ratchet */
  bool own_row;    /* sum up the candidate's side of the verdict's blocks as a result of its own */
  /* Pairs that are launched for the first blocks; the measurement takes them over. NULL: none. */
  struct pawl_waiting_pairs *early;
  /* The filled problem of the blocks, for which the `early` pairs get ready; NULL: the request's
     own. */
  struct pawl_problem *problem;
  uint64_t seed;       /* draws the orders of the arms */
  uint64_t input_seed; /* draws the inputs; a constant seed lets pawl keep the oracle's answers */
  struct pawl_arena *arena; /* owns strings and arrays; NULL: the project's */
  /* A selftest measures arms of the same code, with these delays inside their timed calls. */
  bool injected;
  int64_t delay_ns[2];
  int samples;    /* for each arm in a block; 0: the default */
  int max_blocks; /* stops without an answer; 0: at the test's end */
  /* On the clock of pawl_clock_ns(), beside the budget of base/budget.h. A block that ends later is
     the last; without an answer the verdict is then INCONCLUSIVE. 0: none. */
  int64_t deadline_ns;
  /* True ends the measurement now, as the deadline does; NULL: never. */
  const volatile sig_atomic_t *stop;
  bool says_wrong; /* the log tells at once that the candidate is wrong */
  bool silent;     /* the caller shows the progress */
  /* commands that stop while calls are timed; NULL: none */
  struct pawl_jobs *jobs;
  /* Processes may end later, in the project's `shutdown`, because the caller times nothing next. */
  bool leave;
};

/* Fields of a worker's environment: what its autotuners chose, the machine code of the functions
   that it launched, and the launches. */
#define PAWL_AUTOTUNED "autotuned"
#define PAWL_MACHINE_CODE "machine_code"
#define PAWL_FUNCTIONS "functions"

struct pawl_paired_bench_outcome {
  /* OK, WRONG, CRASHED or UNSUPPORTED. Each but OK ends the measurement. */
  enum pawl_outcome candidate, base;
  const char *reason; /* why an outcome is not OK */
  double cpus_used;   /* mean number of CPUs in use over the blocks that count; NaN: unknown */
  /* The row that `own_row` asks for, with JSON that the caller owns. NULL: no request, or the base
     is not OK. */
  struct pawl_result *own;
  /* The benchmarks that the base alone has; only the first request of a harness fills them in. */
  struct pawl_strings left;
  /* The configurations that the first autotuner of the base and of the candidate chose; NULL: it
     has none. */
  const char *chosen[2];
  bool chose_again; /* a later process of an arm chose otherwise */
  /* The machine code and the launches of both arms in their first block; NULL: unknown. */
  const char *launched[2];
};
