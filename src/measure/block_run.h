/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a block during its measurement. */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "measure/block_plan.h"

/* The streams of random numbers of the plan's seed. */
enum { PAWL_STREAM_ORDER = 1, PAWL_STREAM_FRESH = 2, PAWL_STREAM_SETS = 3 };

/* The facts of one request, or of the looks of one block. */
struct pawl_clock_facts {
  int calls, longer; /* its calls; those that lasted longer than reported */
  double excess_ns;  /* by this much, together */
  int64_t waited_ns; /* the time that its first thread waited for a CPU meanwhile; -1: unknown */
};

/* The looks at an arm's calls: measure/integrity/looks.h. */
struct pawl_looks {
  struct pawl_clock_facts facts;
  double seen_ns, says_ns; /* the last longer call */
};

struct pawl_arm_run {
  struct pawl_worker *worker; /* NULL: not started, or ended */
  enum pawl_worker_driver driver;
  int32_t device; /* enum pawl_device_kind that the kernel runs on */
  bool launched;  /* this block launched it and must read its hello */
  bool served;    /* its process has served another block */
  bool harness;   /* a command that reports the times of several benchmarks in one run */
  struct pawl_arm_block *out;
  bool deterministic;
  double limit_seconds;                 /* the time limit of one request */
  enum pawl_output_hash_kind hash_kind; /* the hash function of its worker */
  /* the hash of the outputs of each set; NULL: unknown */
  const char **set_hash;
  /* pawl compares the outputs after this number of samples too; 0: only at the end */
  int compare_after;
  /* each timed call has its own inputs: measure/integrity/permuted_calls.h */
  bool permuted;
  /* for each sample, whether it has new inputs; the others of a permuted arm have exchanged
   * elements */
  bool *is_new;
  /* the permuted sample whose outputs pawl compares; -1: none */
  int permuted_compare;
  /* pairs to take: measure/integrity/fresh_pairs.h */
  int fresh_pairs;
  /* samples after which pawl takes the pairs; 0: after all */
  int fresh_after;
  /* pawl compares the outputs of one pair */
  bool fresh_compare;
  bool fresh_taken;
  int given; /* sets of new inputs that its process has had: oracle/renew.h */
  /* the round in which pawl times a few calls with its own clock; -1: none */
  int clock_check_round;
  struct pawl_looks looks;
  /* pawl compared the outputs of the set's last timed call with the oracle */
  bool compared[PAWL_MEASURE_SETS];
  /* the hash of outputs that no call has written; "": unknown */
  char unwritten[PAWL_HASH_TEXT];
  struct pawl_verified *verified; /* the facts of earlier blocks; NULL: none */
};

struct pawl_block_run {
  struct pawl_problem *problem;
  const struct pawl_block_plan *plan;
  struct pawl_arena *arena;
  struct pawl_arm_run arms[PAWL_MAX_ARMS];
  int count;
  struct pawl_device_state first, last; /* a GPU's states after the first and the last round */
  /* other processes use CPUs, so threads bound to one CPU would wait for them */
  bool crowded;
  /* the reason that slowed a GPU down in any round */
  const char *throttled;
  double state_seconds;          /* spent on reading the device's state */
  double stop_seconds;           /* until nothing else ran or ended */
  bool timing;                   /* between the first and the last timed call */
  bool disturbed;                /* a process that pawl had stopped ran */
  bool stray_write;              /* an arm wrote to memory of another */
  struct pawl_time_spent *spent; /* the times of the problem's operator; NULL for a command */
};

/* Ends an arm with this outcome and reason. The other arms continue. */
void pawl_block_give_up(struct pawl_block_run *run, struct pawl_arm_run *arm,
                        enum pawl_outcome outcome, const char *reason);
/* Handles a failed request. A failure of the code under test ends its arm and returns PAWL_OK.
 * Returns any other failure, which ends the block. */
pawl_status pawl_block_settle(struct pawl_block_run *run, struct pawl_arm_run *arm,
                              enum pawl_status_code status, struct pawl_error *err);
/* Returns the request for samples of the arm as the plan has it. The worker keeps what the kernel
 * needs for another request. */
struct pawl_time_request pawl_block_time_request(const struct pawl_block_run *run,
                                                 const struct pawl_arm_run *arm, int samples,
                                                 int warmup, int first_set);
/* Makes the request while the other arms are at rest. Adds its time to run->spent. Ends the arm as
 * wrong if repeated calls skip work. */
pawl_status pawl_block_take_time(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 const struct pawl_time_request *request,
                                 struct pawl_time_reply *reply, struct pawl_error *err);
/* Mark the end of the first timed call's preparation and of the last timed call. Between the two,
 * nothing else starts or ends. */
void pawl_block_begin_timing(struct pawl_block_run *run);
void pawl_block_end_timing(struct pawl_block_run *run);
/* Begins a gap between two timed calls in which pawl works for long. Starting processes continue,
 * and stop again at its end. */
void pawl_block_begin_gap(struct pawl_block_run *run);
void pawl_block_end_gap(struct pawl_block_run *run);
/* Appends the samples of a reply to the arm. */
void pawl_block_keep_samples(struct pawl_arm_run *arm, const struct pawl_time_reply *reply);
/* Restores the inouts to their drawn values, because earlier calls of any arm changed them. */
pawl_status pawl_block_restore_inouts(struct pawl_block_run *run, struct pawl_error *err);
