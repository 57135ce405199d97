/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluators that work at once, seen by the process that hands out the work: it sends requests, and
   gets answers in the order they come. An evaluator that is lost gives its requests back, and is
   started again a few times. */
#pragma once

#include "fleet/evaluator.h"
#include "fleet/executor.h"
#include "fleet/heartbeat.h"

#define PAWL_POOL_AHEAD 8 /* requests that one evaluator has at most */

/* A request that is not answered. */
struct pawl_pool_request {
  long long number;
  size_t tag;     /* the caller's */
  bool taken;     /* the evaluator has begun with it */
  bool withdrawn; /* the evaluator drops it, or had begun with it before it read that */
};

struct pawl_pool_member {
  struct pawl_ndjson answers;
  const char *requests, *node;
  struct pawl_heartbeat_watch heartbeat;
  bool ready;       /* takes requests */
  bool gone;        /* for good */
  int64_t ready_ns; /* when it said so */
  int starts; /* processes that said they were ready, or were started in place of one that was lost
               */
  long long next;
  struct pawl_pool_request pending[PAWL_POOL_AHEAD];
  size_t pending_count;
};

enum pawl_pool_news {
  PAWL_POOL_NOTHING, /* so far */
  PAWL_POOL_READY,   /* document: what the evaluator says of itself, an object */
  PAWL_POOL_ANSWER,  /* tag, document: the answer, an object */
  PAWL_POOL_LOST,    /* tag, taken: the evaluator was lost before it answered; reason */
  PAWL_POOL_FAILED   /* reason, status: the evaluator cannot work; it is gone */
};

struct pawl_pool_event {
  enum pawl_pool_news news;
  int member; /* from 0 */
  size_t tag;
  bool taken;
  json_t *document; /* the caller's to release */
  const char *reason;
  int status;
};

struct pawl_pool {
  struct pawl_staff staff;
  const struct pawl_executor *executor;
  struct pawl_pool_member *members;
  double silence; /* seconds without a heartbeat that a member may have; PAWL_FLEET_SILENCE */
  struct pawl_heartbeat heartbeat;
  long long last; /* request */
  int turn;       /* the member that is asked first for news */
};

/* Ends the evaluators of an earlier search in `folder`, makes the folder anew and starts `count`
   evaluators. Each runs `command` with its own folder appended. devices: [count] values of
   --device, or NULL. options: options of sbatch, or NULL. The struct must stay where it is. */
pawl_status pawl_pool_start(struct pawl_pool *pool, const struct pawl_executor *executor, int count,
                            const struct pawl_words *command, const char *folder,
                            const char *const *devices, const struct pawl_words *options,
                            struct pawl_arena *arena, struct pawl_log *log, struct pawl_error *err);
/* Ends all that is left. */
void pawl_pool_end(struct pawl_pool *pool);

/* Takes over the reference of `request`. The member is ready and has fewer than PAWL_POOL_AHEAD. */
pawl_status pawl_pool_send(struct pawl_pool *pool, int member, json_t *request, size_t tag,
                           struct pawl_error *err);
/* Takes back all requests that no evaluator has begun with. They stay pending until their
   evaluators say that they dropped them, or answer what they had just begun with. */
pawl_status pawl_pool_withdraw(struct pawl_pool *pool, struct pawl_error *err);
/* One piece of news; waits a moment for it. A member that wrote a line that no evaluator writes is
 * lost for good. */
pawl_status pawl_pool_next(struct pawl_pool *pool, struct pawl_pool_event *event,
                           struct pawl_error *err);
/* Ends a member for good: it is not needed any more. */
void pawl_pool_dismiss(struct pawl_pool *pool, int member);
/* The same with a warning: what it wrote cannot be right, so nothing that it writes counts. It
   gives back all requests that it has not answered. why: one line. */
void pawl_pool_distrust(struct pawl_pool *pool, int member, const char *why);
/* "FILE:NUMBER" of the line that a member wrote last, of those that were read; in the arena of the
 * pool. */
const char *pawl_pool_line(const struct pawl_pool *pool, int member);
/* Ends all others for good. */
void pawl_pool_dismiss_others(struct pawl_pool *pool, int member);

/* A member that is ready; -1: none is. */
int pawl_pool_find_ready(const struct pawl_pool *pool);
/* Members that are not gone. */
int pawl_pool_left(const struct pawl_pool *pool);
/* Whether all members that are left wait in the queue of the executor. */
bool pawl_pool_is_queued(const struct pawl_pool *pool);
/* Why the last member that is not ready is not; NULL. */
const char *pawl_pool_waits(const struct pawl_pool *pool);
