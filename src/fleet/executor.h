/* SPDX-License-Identifier: Apache-2.0 */
/* Starts evaluators and knows the state of their processes; each executor is a row of a table. The
 * work of an evaluator is in its folder. */
#pragma once

#include "base/log.h"
#include "build/words.h"
#include "process/process.h"

#define PAWL_EVALUATORS_MOST 1000
#define PAWL_END_SECONDS 3.0 /* for evaluators that pawl asked to end */
/* seconds; a node or a controller restarts in less */
#define PAWL_QUEUE_PATIENCE 600.0

/* An evaluator's process, as its executor knows it. */
struct pawl_post {
  int number; /* from 1 */
  const char *folder;
  const char *device;          /* for --device; NULL: the executor or the evaluator chooses */
  struct pawl_process process; /* local executor */
  long long job;               /* slurm: the post's array job */
  enum pawl_post_state {
    PAWL_POST_WAITS, /* in a queue */
    PAWL_POST_RUNS,
    PAWL_POST_ENDED,    /* the executor can start it again */
    PAWL_POST_CANCELLED /* somebody cancelled it */
  } state;
  const char *how; /* how it ended, or why it waits; NULL: unknown */
  /* slurm: the request of the job, and why it waits; node_list: the nodes that it must have, or
   * "" */
  const char *partition, *node_list, *reason;
  enum pawl_post_wait {
    PAWL_WAIT_PASSES,   /* it starts after a while */
    PAWL_WAIT_ON_NODES, /* it starts, unless its partition or a required node takes no jobs */
    PAWL_WAIT_STUCK     /* it starts only if somebody changes something */
  } wait;
};

/* The state of Slurm's queue. A time of 0 means that the event has not occurred. */
struct pawl_slurm_queue {
  struct pawl_process question; /* squeue, which runs beside the search */
  int64_t asked_ns;             /* the last start of squeue */
  int64_t silent_ns;            /* since when squeue has failed */
  const char *silence;          /* how the first of these squeue calls failed */
  int64_t waits_ns;             /* since when a post waits */
  int64_t stuck_ns; /* since when all posts wait for something that time alone may not change */
  int64_t told_ns;  /* the last message to the user */
  const char *told;
  enum pawl_post_wait told_wait;
};

struct pawl_staff {
  struct pawl_arena *arena;
  struct pawl_log *log;
  struct pawl_words command; /* starts an evaluator; the executor appends its folder */
  const char *folder;
  const struct pawl_words *options; /* for sbatch; NULL: none */
  struct pawl_post *posts;
  int count;
  const char *goes_on; /* how the user continues after a failure */
  int64_t polled_ns;   /* slurm: the start of the last squeue that answered */
  /* slurm: seconds that pawl waits for something that time alone does not change */
  double patience;
  struct pawl_slurm_queue queue;
};

struct pawl_executor {
  const char *name;
  /* starts posts [first, first + count) */
  pawl_status (*start)(struct pawl_staff *staff, int first, int count, struct pawl_error *err);
  /* updates the states of all posts */
  pawl_status (*poll)(struct pawl_staff *staff, struct pawl_error *err);
  /* ends a post, which has `patience` seconds to end its own processes first */
  void (*stop)(struct pawl_staff *staff, struct pawl_post *post, double patience);
  /* ends all posts, which pawl asked to end before, and waits for that */
  void (*end)(struct pawl_staff *staff);
  /* ends the processes that a killed pawl left in this folder */
  void (*sweep)(struct pawl_staff *staff);
  /* fails with PAWL_UNAVAILABLE if no post will start; called while no evaluator is ready; NULL:
   * posts never wait */
  pawl_status (*check_wait)(struct pawl_staff *staff, struct pawl_error *err);
};

/* Finds "local" or "slurm". PAWL_USAGE names them. */
pawl_status pawl_executor_find(const char *name, const struct pawl_executor **out,
                               struct pawl_error *err);

/* Ends the evaluators of every executor that a killed pawl left in this folder. Otherwise they
 * would answer this search's requests. */
void pawl_executors_sweep(struct pawl_staff *staff);

extern const struct pawl_executor pawl_executor_local, pawl_executor_slurm;
