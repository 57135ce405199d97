/* SPDX-License-Identifier: Apache-2.0 */
/* The side of an evaluator: it takes requests from its folder and appends the answers there. The
   lines are in docs/formats.md. */
#pragma once

#include "base/ndjson.h"
#include "fleet/heartbeat.h"

/* seconds without a heartbeat after which a process counts as lost */
#define PAWL_FLEET_SILENCE 60.0

#define PAWL_EVALUATOR_MOST 16 /* requests that can wait */

struct pawl_evaluator {
  struct pawl_arena arena;
  struct pawl_ndjson requests;
  const char *answers;
  struct pawl_heartbeat heartbeat;
  json_t *waiting[PAWL_EVALUATOR_MOST]; /* in the order they came */
  size_t waiting_count;
  long long next; /* the first request that an earlier process here did not take */
  bool ended;     /* it was told to end, or nobody is there to tell it */
};

/* Starts the heartbeat in `folder`. Does not take requests that an earlier process took here: one
   of them may have ended that process. */
pawl_status pawl_evaluator_open(struct pawl_evaluator *evaluator, const char *folder,
                                struct pawl_error *err);
void pawl_evaluator_close(struct pawl_evaluator *evaluator);

/* Says that it is ready; `about` says what for. */
pawl_status pawl_evaluator_ready(struct pawl_evaluator *evaluator, json_t *about,
                                 struct pawl_error *err);
/* Waits until requests wait, or `ended`. */
pawl_status pawl_evaluator_wait(struct pawl_evaluator *evaluator, struct pawl_error *err);
/* Reads the requests that came, without waiting. */
pawl_status pawl_evaluator_poll(struct pawl_evaluator *evaluator, struct pawl_error *err);
/* Takes one of those that wait: a new reference. */
pawl_status pawl_evaluator_take(struct pawl_evaluator *evaluator, size_t place, json_t **request,
                                struct pawl_error *err);
/* Answers a request; takes over the reference of `result`. */
pawl_status pawl_evaluator_answer(struct pawl_evaluator *evaluator, const json_t *request,
                                  json_t *result, struct pawl_error *err);
/* Says why it cannot go on. */
pawl_status pawl_evaluator_fail(struct pawl_evaluator *evaluator, const struct pawl_error *why,
                                struct pawl_error *err);
