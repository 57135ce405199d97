/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/queue.h"

#include <stdint.h>
#include <string.h>

void pawl_tune_queue_add(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                         const struct pawl_tune_question *question) {
  PAWL_ASSERT(queue->count < PAWL_TUNE_WAITING);
  queue->items[queue->count] = *question;
  queue->items[queue->count++].turn = SIZE_MAX; /* behind all ranked questions */
  if (!question->known) pawl_tuning_build_ahead(tuning, question->candidate.index);
}

void pawl_tune_queue_remove(struct pawl_tune_queue *queue, size_t place) {
  queue->count--;
  memmove(&queue->items[place], &queue->items[place + 1],
          (queue->count - place) * sizeof *queue->items);
}

size_t pawl_tune_queue_ready(const struct pawl_tune_queue *queue) {
  size_t next = queue->count;
  for (size_t i = 0; i < queue->count; i++) {
    const struct pawl_tune_question *question = &queue->items[i];
    if (question->known) return i;
    if (!question->prepared) continue;
    if (question->kernel.outcome != PAWL_OUTCOME_OK) return i;
    if (next == queue->count || question->turn < queue->items[next].turn) next = i;
  }
  return next;
}

bool pawl_tune_queue_await(const struct pawl_tuning *tuning, const struct pawl_tune_queue *queue,
                           double seconds) {
  size_t indices[PAWL_TUNE_WAITING];
  for (size_t i = 0; i < queue->count; i++) indices[i] = queue->items[i].candidate.index;
  return pawl_tuning_await_builds(tuning, indices, queue->count, seconds);
}

void pawl_tune_queue_rank(struct pawl_tune_queue *queue, struct pawl_search *search) {
  size_t indices[PAWL_TUNE_WAITING];
  for (size_t i = 0; i < queue->count; i++) indices[i] = queue->items[i].candidate.index;
  pawl_search_order(search, indices, queue->count);
  for (size_t i = 0; i < queue->count; i++)
    for (size_t turn = 0; turn < queue->count; turn++)
      if (indices[turn] == queue->items[i].candidate.index) queue->items[i].turn = turn;
}

/* The processes start in this order, and only as many as fit in memory. */
static void sort_by_turn(struct pawl_tune_question **questions, size_t count) {
  for (size_t i = 1; i < count; i++) {
    struct pawl_tune_question *question = questions[i];
    size_t place = i;
    for (; place > 0 && question->turn < questions[place - 1]->turn; place--)
      questions[place] = questions[place - 1];
    questions[place] = question;
  }
}

pawl_status pawl_tune_queue_prepare(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                                    struct pawl_tune_costs *costs, struct pawl_error *err) {
  struct pawl_tune_question *built[PAWL_TUNE_WAITING];
  const size_t most = tuning->builds ? queue->count : 1;
  size_t count = 0;
  for (size_t i = 0; i < most; i++)
    if (pawl_tuning_is_built(tuning, queue->items[i].candidate.index))
      built[count++] = &queue->items[i];
  sort_by_turn(built, count);
  return pawl_tuning_prepare(tuning, built, count, costs, err);
}
