/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluator's side: takes requests from a folder and appends the answers there. docs/formats.md
 * describes the lines. */
#pragma once

#include "base/ndjson.h"
#include "fleet/heartbeat.h"

/* A process counts as lost after this number of seconds without a heartbeat. */
#define PAWL_FLEET_SILENCE 60.0

#define PAWL_EVALUATOR_NAME 17 /* 16 hexadecimal digits and NUL */
#define PAWL_EVALUATOR_MOST 16 /* requests that can wait */

struct pawl_evaluator {
  struct pawl_arena arena;
  struct pawl_ndjson requests;
  const char *answers;
  /* A random name, which stands in each line of the answers and in the file `place`. A process that
   * opens the folder later replaces the name, and this process then writes no more. So two
   * processes never answer in one folder, for example if a cluster starts a task again while the
   * processes of its lost node live on. */
  char name[PAWL_EVALUATOR_NAME];
  const char *place;
  struct pawl_heartbeat heartbeat;
  json_t *waiting[PAWL_EVALUATOR_MOST]; /* in the order of arrival */
  size_t waiting_count;
  long long next; /* the first request that no earlier process in this folder took */
  bool ended;     /* the pool asked it to end, or no pool is there */
};

/* Takes the place of an earlier process in `folder` and starts the heartbeat. The functions below
 * then fail with PAWL_TRY_AGAIN in the earlier process. Requests that an earlier process took here
 * stay unanswered, because one of them may have ended that process. */
pawl_status pawl_evaluator_open(struct pawl_evaluator *evaluator, const char *folder,
                                struct pawl_error *err);
void pawl_evaluator_close(struct pawl_evaluator *evaluator);

/* Tells the pool that the evaluator is ready; `about` is what it says of itself. */
pawl_status pawl_evaluator_ready(struct pawl_evaluator *evaluator, json_t *about,
                                 struct pawl_error *err);
/* Waits until there are requests, or until `ended`. */
pawl_status pawl_evaluator_wait(struct pawl_evaluator *evaluator, struct pawl_error *err);
/* Reads the new requests, without waiting. */
pawl_status pawl_evaluator_poll(struct pawl_evaluator *evaluator, struct pawl_error *err);
/* Takes the waiting request at `place`; *request is a new reference. */
pawl_status pawl_evaluator_take(struct pawl_evaluator *evaluator, size_t place, json_t **request,
                                struct pawl_error *err);
/* Answers a request. Takes over the reference of `result`. */
pawl_status pawl_evaluator_answer(struct pawl_evaluator *evaluator, const json_t *request,
                                  json_t *result, struct pawl_error *err);
/* Tells the pool why the evaluator cannot go on. */
pawl_status pawl_evaluator_fail(struct pawl_evaluator *evaluator, const struct pawl_error *why,
                                struct pawl_error *err);
