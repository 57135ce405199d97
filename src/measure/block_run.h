/* SPDX-License-Identifier: Apache-2.0 */
/* A block while it is being measured. */
#ifndef PAWL_MEASURE_BLOCK_RUN_H
#define PAWL_MEASURE_BLOCK_RUN_H

#include "base/error.h"
#include "base/hash.h"
#include "measure/block_plan.h"

/* Streams of the plan's seed. */
enum { PAWL_STREAM_ORDER = 1, PAWL_STREAM_FRESH = 2, PAWL_STREAM_SETS = 3 };

/* An arm while it is being measured. */
struct pawl_arm_run {
  struct pawl_worker *worker;     /* NULL: not started, or given up */
  enum pawl_worker_driver driver; /* of the worker */
  int32_t device;                 /* enum pawl_device_kind: what the kernel runs on */
  bool launched;                  /* for this block: it owes a hello */
  bool harness;                   /* a command whose one run gives the times of many benchmarks */
  struct pawl_arm_block *out;
  bool deterministic;
  double limit_seconds;                 /* of one request */
  enum pawl_output_hash_kind hash_kind; /* of its timed calls */
  const char **set_hash;                /* the outputs' hash of each set, once seen */
  int compare_after; /* samples after which its outputs are compared, besides the end; 0: at the end
                        alone */
  bool permuted;     /* each timed call has inputs of its own: measure/integrity/permuted_calls.h */
  int permuted_compare; /* the sample of these whose outputs are compared; -1: none */
  int fresh_pairs;      /* of calls that are to be taken: measure/integrity/fresh_pairs.h */
  int fresh_after;      /* samples after which; 0: after all */
  bool fresh_compare;   /* the outputs of one of them are compared */
  bool fresh_taken;
  int clock_check_round;            /* in which pawl watches a few of its calls; -1: none */
  bool compared[PAWL_MEASURE_SETS]; /* the outputs of the set's last timed call were compared with
                                       the oracle */
  char unwritten[PAWL_HASH_TEXT]; /* the hash of outputs that no call has written; "": not known, or
                                     there is none */
  struct pawl_verified *verified; /* of earlier blocks; NULL: none */
};

/* A block while it is being measured. */
struct pawl_block_run {
  struct pawl_problem *problem;
  const struct pawl_block_plan *plan;
  struct pawl_arena *arena;
  struct pawl_arm_run arms[PAWL_MAX_ARMS];
  int count;
  struct pawl_device_state first, last; /* of a GPU: between the rounds */
  bool crowded; /* other processes use CPUs: threads that stay on one would wait for them */
  const char *throttled;         /* of a GPU: what slowed it down after any round */
  double state_seconds;          /* spent on reading it */
  bool timing;                   /* between its first timed call and its last */
  bool disturbed;                /* a process ran that was stopped */
  bool stray_write;              /* an arm wrote where it may not */
  struct pawl_time_spent *spent; /* of the problem's operator; NULL: it is a command's */
};

/* Ends an arm with this outcome and reason; the others go on. */
void pawl_block_give_up(struct pawl_block_run *run, struct pawl_arm_run *arm,
                        enum pawl_outcome outcome, const char *reason);
/* A failure that is the fault of the code under test ends its arm; any other ends the block. */
pawl_status pawl_block_settle(struct pawl_block_run *run, struct pawl_arm_run *arm,
                              enum pawl_status_code status, struct pawl_error *err);
/* The request for samples of the arm as the plan has it. The worker keeps what the kernel needs for
   another request. */
struct pawl_time_request pawl_block_time_request(const struct pawl_block_run *run,
                                                 const struct pawl_arm_run *arm, int samples,
                                                 int warmup, int first_set);
/* pawl_worker_time, while the other arms rest; what of it is not hashing, here or there, counts as
 * calls. Ends the arm where calls left work out.
 */
pawl_status pawl_block_take_time(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                 const struct pawl_time_request *request,
                                 struct pawl_time_reply *reply, struct pawl_error *err);
/* Before the first timed call, nothing else starts or ends any more; after the last it does again.
 */
void pawl_block_begin_timing(struct pawl_block_run *run);
void pawl_block_end_timing(struct pawl_block_run *run);
/* Between two timed calls, while pawl alone works for long: what starts goes on, and is stopped
 * again. */
void pawl_block_begin_gap(struct pawl_block_run *run);
void pawl_block_end_gap(struct pawl_block_run *run);
/* Notes what a request for samples gave. */
void pawl_block_keep_samples(struct pawl_arm_run *arm, const struct pawl_time_reply *reply);
/* Inouts as they were drawn: the calls before, another arm's too, have written to them. */
pawl_status pawl_block_restore_inouts(struct pawl_block_run *run, struct pawl_error *err);

#endif
