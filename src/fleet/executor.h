/* SPDX-License-Identifier: Apache-2.0 */
/* Where evaluators run: a row of a table each. An executor starts processes and says what became of
   them; what they do is in their folders. */
#pragma once

#include "base/log.h"
#include "build/words.h"
#include "process/process.h"

#define PAWL_EVALUATORS_MOST 1000
#define PAWL_END_SECONDS 3.0 /* in which evaluators end that were asked to */
/* seconds: nodes are rebooted in less, and a controller is restarted */
#define PAWL_QUEUE_PATIENCE 600.0

/* One evaluator's process, as its executor knows it. */
struct pawl_post {
  int number; /* from 1 */
  const char *folder;
  const char *device;          /* --device; NULL: the executor or the evaluator chooses */
  struct pawl_process process; /* local */
  long long job;               /* slurm: the array job that it belongs to */
  enum pawl_post_state {
    PAWL_POST_WAITS, /* in a queue */
    PAWL_POST_RUNS,
    PAWL_POST_ENDED,    /* it can be started again */
    PAWL_POST_CANCELLED /* somebody did not want it */
  } state;
  const char *how; /* it ended, or why it waits; NULL: nothing is known */
  /* slurm: what its job asks for, and why it waits. node_list: the nodes that it must have, or ""
   */
  const char *partition, *node_list, *reason;
  enum pawl_post_wait {
    PAWL_WAIT_PASSES,   /* in a while it starts */
    PAWL_WAIT_ON_NODES, /* it starts unless its partition, or a node that it must have, takes no
                           jobs */
    PAWL_WAIT_STUCK     /* it starts only after somebody has changed something */
  } wait;
};

/* The state of Slurm's queue. A moment of 0 means that the event has not occurred. */
struct pawl_slurm_queue {
  struct pawl_process question; /* squeue, until it answers: the search goes on meanwhile */
  int64_t asked_ns;             /* when it was started last */
  int64_t silent_ns;            /* since when no question was answered */
  const char *silence;          /* and how the first of them failed */
  int64_t waits_ns;             /* since when a post waits */
  int64_t stuck_ns;             /* since when all posts wait, and time alone may not help */
  int64_t told_ns;              /* when the user was told last */
  const char *told;
  enum pawl_post_wait told_wait;
};

struct pawl_staff {
  struct pawl_arena *arena;
  struct pawl_log *log;
  struct pawl_words command; /* starts an evaluator; the executor appends its folder */
  const char *folder;
  const struct pawl_words *options; /* options of sbatch; NULL: none */
  struct pawl_post *posts;
  int count;
  int64_t polled_ns; /* slurm: when the question was asked that it answered last */
  double patience;   /* slurm: seconds that pawl waits where time alone does not help;
                        PAWL_QUEUE_PATIENCE */
  struct pawl_slurm_queue queue;
};

struct pawl_executor {
  const char *name;
  /* Starts posts [first, first + count). */
  pawl_status (*start)(struct pawl_staff *staff, int first, int count, struct pawl_error *err);
  /* Brings the states of all up to date. */
  pawl_status (*poll)(struct pawl_staff *staff, struct pawl_error *err);
  /* Ends one. One that was asked to end has `patience` seconds to end its own processes first. */
  void (*stop)(struct pawl_staff *staff, struct pawl_post *post, double patience);
  /* Ends all, which were asked to end, and waits until they have ended. */
  void (*end)(struct pawl_staff *staff);
  /* Ends what a killed pawl left of an earlier search in this folder. */
  void (*sweep)(struct pawl_staff *staff);
  /* The pool asks this while no evaluator is ready. PAWL_UNAVAILABLE: it waits in vain. NULL: it
   * never does. */
  pawl_status (*check_wait)(struct pawl_staff *staff, struct pawl_error *err);
};

/* "local", "slurm". PAWL_USAGE: no such row, with the names. */
pawl_status pawl_executor_find(const char *name, const struct pawl_executor **out,
                               struct pawl_error *err);

/* Ends the evaluators that a killed pawl left in this folder, with any executor. Otherwise they
   would answer the requests of this search. */
void pawl_executors_sweep(struct pawl_staff *staff);

extern const struct pawl_executor pawl_executor_local, pawl_executor_slurm;
