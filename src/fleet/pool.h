/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluators that work at once, as the process that hands out the work sees them. It sends requests
 * and takes answers in the order of arrival. If an evaluator is lost, the pool reports its requests
 * and starts it again a few times. */
#pragma once

#include "fleet/evaluator.h"
#include "fleet/executor.h"
#include "fleet/heartbeat.h"

#define PAWL_POOL_AHEAD 8 /* requests of one evaluator at most */

/* A request without an answer. */
struct pawl_pool_request {
  long long number;
  size_t tag;     /* the caller's own */
  bool taken;     /* the evaluator has begun it */
  bool withdrawn; /* the pool took it back: the evaluator drops it, unless it has begun it */
};

struct pawl_pool_member {
  struct pawl_ndjson answers;
  const char *requests, *node;
  const char *writer; /* the process that is ready; lines of an earlier one do not count */
  struct pawl_heartbeat_watch heartbeat;
  bool ready;       /* takes requests */
  bool gone;        /* the pool does not start it again */
  int64_t ready_ns; /* when it became ready */
  int starts;       /* its starts, the first included */
  long long next;
  struct pawl_pool_request pending[PAWL_POOL_AHEAD];
  size_t pending_count;
};

enum pawl_pool_news {
  PAWL_POOL_NOTHING, /* no news so far */
  PAWL_POOL_READY,   /* document: an object in which the evaluator describes itself */
  PAWL_POOL_ANSWER,  /* tag, document: the answer, an object */
  PAWL_POOL_LOST,    /* tag, taken, reason: the pool lost the evaluator before it answered */
  PAWL_POOL_FAILED   /* reason, status: the evaluator cannot work and is gone */
};

struct pawl_pool_event {
  enum pawl_pool_news news;
  int member; /* from 0 */
  size_t tag;
  bool taken;
  json_t *document; /* the caller releases it */
  const char *reason;
  int status;
};

struct pawl_pool {
  struct pawl_staff staff;
  const struct pawl_executor *executor;
  struct pawl_pool_member *members;
  double silence; /* seconds that a member may be without a heartbeat */
  struct pawl_heartbeat heartbeat;
  long long last;   /* the last request's number */
  int turn;         /* the member that the pool asks first for news */
  const char *lost; /* "evaluator 2 was cancelled": the last one that is gone; NULL: none */
};

struct pawl_pool_plan {
  const struct pawl_executor *executor;
  int evaluators;
  const char *const *devices; /* [evaluators] values of --device; NULL: each evaluator chooses */
  const struct pawl_words *executor_options; /* options of sbatch; NULL: none */
  double patience; /* seconds to wait for a queue that may never move; 0: the default */
  const struct pawl_words *words; /* the command of an evaluator, without its folder */
  const char *goes_on;            /* "the same command goes on": for messages */
};

/* Ends the evaluators of an earlier command in `folder`, makes the folder anew and starts the
 * evaluators. Each runs the plan's words with its own folder appended. The struct must not move. */
pawl_status pawl_pool_start(struct pawl_pool *pool, const struct pawl_pool_plan *plan,
                            const char *folder, struct pawl_arena *arena, struct pawl_log *log,
                            struct pawl_error *err);
/* Ends all evaluators. */
void pawl_pool_end(struct pawl_pool *pool);

/* Sends a request and takes over its reference. The member must be ready and have fewer than
 * PAWL_POOL_AHEAD. */
pawl_status pawl_pool_send(struct pawl_pool *pool, int member, json_t *request, size_t tag,
                           struct pawl_error *err);
/* Takes back all requests that no evaluator has begun. Each stays pending until its evaluator drops
 * it, or answers it because it had just begun. */
pawl_status pawl_pool_withdraw(struct pawl_pool *pool, struct pawl_error *err);
/* Waits a moment for one piece of news. A member that writes an invalid line is lost for good. */
pawl_status pawl_pool_next(struct pawl_pool *pool, struct pawl_pool_event *event,
                           struct pawl_error *err);
/* Ends a member for good, because the caller needs no more of it. */
void pawl_pool_dismiss(struct pawl_pool *pool, int member);
/* Ends a member for good with the warning `why` (one line), because it wrote something impossible.
 * Its later answers do not count, and its pending requests are lost. */
void pawl_pool_distrust(struct pawl_pool *pool, int member, const char *why);
/* Returns "2 on NODE, DEVICE", in the pool's arena. */
const char *pawl_pool_name(const struct pawl_pool *pool, int member);
/* Returns "FILE:NUMBER" of the member's last line that the pool read, in the pool's arena. */
const char *pawl_pool_line(const struct pawl_pool *pool, int member);
/* Ends all other members for good. */
void pawl_pool_dismiss_others(struct pawl_pool *pool, int member);

/* Returns a ready member, or -1. */
int pawl_pool_find_ready(const struct pawl_pool *pool);
/* Counts the members that are not gone. */
int pawl_pool_left(const struct pawl_pool *pool);
/* Fails because no member is left, with the reason of the last loss. `failure` has the reason of a
 * member that the caller dismissed, if there is one; else the code is PAWL_UNAVAILABLE. */
pawl_status pawl_pool_fail_empty(const struct pawl_pool *pool, const struct pawl_error *failure,
                                 struct pawl_error *err);
/* Returns whether all members that are not gone wait in the executor's queue. */
bool pawl_pool_is_queued(const struct pawl_pool *pool);
/* Returns why the last waiting member waits, or NULL. */
const char *pawl_pool_waits(const struct pawl_pool *pool);
