/* SPDX-License-Identifier: Apache-2.0 */
/* The questions that are open: they build at once, and no answer waits for the build of another. */
#ifndef PAWL_TUNING_QUEUE_H
#define PAWL_TUNING_QUEUE_H

#include "tuning/evaluate.h"

struct pawl_tune_queue {
  struct pawl_tune_question items[PAWL_TUNE_WAITING]; /* in the order asked */
  size_t count;
};

/* Adds a question, for which there is room, and begins to build it unless its answer is known. */
void pawl_tune_queue_add(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                         const struct pawl_tune_question *question);
void pawl_tune_queue_remove(struct pawl_tune_queue *queue, size_t place);
/* Whose turn it is of those that wait for no build; queue->count: none. What cannot run comes
 * first: it costs no time.
 */
size_t pawl_tune_queue_ready(const struct pawl_tune_queue *queue);
/* Waits at most so long until one is built. False: none is. */
bool pawl_tune_queue_await(const struct pawl_tuning *tuning, const struct pawl_tune_queue *queue,
                           double seconds);
/* Gives all their turns, as the search orders them after all answers so far. What has no turn comes
 * last, as asked. */
void pawl_tune_queue_rank(struct pawl_tune_queue *queue, struct pawl_search *search);
/* All that are built get their processes, side by side. Where none is built ahead, the first is
 * built now. */
pawl_status pawl_tune_queue_prepare(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                                    struct pawl_tune_costs *costs, struct pawl_error *err);

#endif
