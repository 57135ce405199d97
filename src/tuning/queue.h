/* SPDX-License-Identifier: Apache-2.0 */
/* The open questions. They build at once, and no answer waits for the build of another question. */
#pragma once

#include "tuning/evaluate.h"

struct pawl_tune_queue {
  struct pawl_tune_question items[PAWL_TUNE_WAITING]; /* in the order of asking */
  size_t count;
};

/* Adds a question and queues its build, unless its answer is known. The queue must have room. */
void pawl_tune_queue_add(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                         const struct pawl_tune_question *question);
void pawl_tune_queue_remove(struct pawl_tune_queue *queue, size_t place);
/* Returns the place of the next question that needs no build, or queue->count. A question that
 * cannot run comes first, because it costs no time. */
size_t pawl_tune_queue_ready(const struct pawl_tune_queue *queue);
/* Waits until a question is built, for at most `seconds`. Returns false if none is. */
bool pawl_tune_queue_await(const struct pawl_tuning *tuning, const struct pawl_tune_queue *queue,
                           double seconds);
/* Orders the questions as the search expects after all results so far. Questions that it cannot
   rank come last, in the order of asking. */
void pawl_tune_queue_rank(struct pawl_tune_queue *queue, struct pawl_search *search);
/* Starts the processes of all built questions together. If none is queued for a build, it builds
   the first one now. */
pawl_status pawl_tune_queue_prepare(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                                    struct pawl_tune_costs *costs, struct pawl_error *err);
