/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/screen.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/progress.h"
#include "tune/insight.h"
#include "tuning/finals.h"
#include "tuning/queue.h"

/* a share of the time of one candidate; shorter builds gain nothing from running beside it */
#define LONG_BUILD 0.5
/* times the median build; then the search asks for other candidates that may overtake this build */
#define SLOW_BUILD 4.0
#define LEAST_SLOW_SECONDS 2.0
#define PATIENCE 0.1 /* seconds between two looks at the clock and at the user */

/* --- the search --- */

void pawl_tuning_tell_current(struct pawl_tuning *tuning) {
  const size_t index = pawl_tuning_current(tuning);
  if (index == PAWL_NO_CONFIGURATION) return;
  pawl_search_tell(&tuning->search, index, 1);
  tuning->tune.current_in_space = true;
  tuning->tune.current_index = index;
}

/* The candidate with the least time so far; NULL if none is faster than the current code. */
static const struct pawl_tune_candidate *best_so_far(const struct pawl_tune *tune) {
  const struct pawl_tune_candidate *best = NULL;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *one = &tune->candidates[i];
    const double value = pawl_tune_ratio(one);
    if (one->checked && value < 1 && (!best || value < pawl_tune_ratio(best))) best = one;
  }
  return best;
}

static void add_failures(const struct pawl_tune *tune, struct pawl_text *out) {
  const char *before = "; ";
  for (enum pawl_outcome outcome = PAWL_OUTCOME_OK + 1; outcome < PAWL_OUTCOMES; outcome++) {
    size_t count = 0;
    for (size_t i = 0; i < tune->count; i++) count += tune->candidates[i].outcome == outcome;
    if (!count) continue;
    pawl_text_printf(out, "%s%zu %s", before, count, pawl_outcome_name(outcome));
    before = ", ";
  }
}

void pawl_tune_progress_words(const struct pawl_tune *tune, const char *doing, const char *key,
                              struct pawl_text *words, struct pawl_text *details) {
  const struct pawl_tune_candidate *best = best_so_far(tune);
  const size_t failed = pawl_tune_failed(tune);
  pawl_text_printf(words, "%zu of %zu", pawl_tune_tried(tune), tune->space->count);
  if (best) pawl_text_printf(words, ", best %+.1f %%", (pawl_tune_ratio(best) - 1) * 100);
  if (failed) pawl_text_printf(words, ", %zu failed", failed);
  pawl_text_printf(words, "; %s", doing);
  if (key) pawl_text_printf(details, " %s", key);
  add_failures(tune, details);
  if (best) pawl_text_printf(details, "; best: %s", best->key);
}

void pawl_tuning_show_progress(const struct pawl_tuning *tuning, const char *doing,
                               const char *key) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text details = {0};
  pawl_tune_progress_words(&tuning->tune, doing, key, &words, &details);
  const struct pawl_progress progress = {.task = "tuning",
                                         .done = pawl_tuning_seconds(tuning),
                                         .total = tuning->options->budget_seconds,
                                         .at_most = true,
                                         .in_seconds = true,
                                         .details = details.data};
  pawl_progress_show(tuning->project->options.log, &progress, "%s", words.data);
}

/* The number of questions to have open. For a GPU kernel: the one that is timed, and as many
   builds beside it as keep the device busy. For a CPU kernel, which builds nothing meanwhile: as
   many as make their common build no longer than their timing. A question that is asked in
   advance knows less, so the number is as small as possible. A resumed search repeats the
   numbers of its journal. */
static size_t choose_open(const struct pawl_tuning *tuning, const struct pawl_tune_costs *costs,
                          size_t known) {
  const double limit = fmin(PAWL_TUNE_WAITING, pawl_cpu_count());
  if (known < tuning->journal.count) return tuning->journal.entries[known].open;
  if (!tuning->tune.count) return pawl_tuning_first_batch(&tuning->search);
  if (!(costs->alone > 0))
    return (size_t)limit; /* every candidate failed so far, so builds take all the time */
  const bool overlaps =
      tuning->spec->device == PAWL_CUDA && costs->build > LONG_BUILD * costs->alone;
  const double beside = overlaps ? ceil(costs->build / costs->alone) : 0;
  return (size_t)fmax(
      1, fmin(limit, fmax(1 + beside, round((costs->build + costs->start) / costs->alone))));
}

static struct pawl_tune_question make_question(struct pawl_tuning *tuning, size_t index) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
  pawl_space_key(&tuning->space, index, &key);
  const struct pawl_tune_entry *entry =
      pawl_tune_journal_find(&tuning->journal, pawl_text_string(&key));
  struct pawl_tune_question question = {.candidate = {.median_ms = NAN, .base_ms = NAN},
                                        .known = entry != NULL};
  if (entry) question.candidate = entry->candidate;
  question.candidate.index = index;
  question.candidate.key = pawl_arena_copy(&tuning->project->arena, pawl_text_string(&key));
  return question;
}

/* Asks until `open` questions are open, and starts their builds. */
static void screen_ask(struct pawl_tuning *tuning, struct pawl_tune_queue *queue, size_t open) {
  while (queue->count < open && queue->count < PAWL_TUNE_WAITING) {
    const size_t index = pawl_search_next(&tuning->search);
    if (index == PAWL_NO_CONFIGURATION) return;
    pawl_search_hold(&tuning->search, index);
    const struct pawl_tune_question question = make_question(tuning, index);
    pawl_tune_queue_add(tuning, queue, &question);
  }
}

static bool screen_has_time(const struct pawl_tuning *tuning) {
  return pawl_tuning_left(tuning) > pawl_tuning_reserve(tuning);
}

/* Waits until a question is built. If that takes long, it asks others that may be built sooner.
   False: the budget is used up. */
static bool await_build(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                        const struct pawl_tune_costs *costs) {
  const double slow = fmax(SLOW_BUILD * costs->build, LEAST_SLOW_SECONDS);
  double since = pawl_tuning_seconds(tuning);
  while (!pawl_tune_queue_await(tuning, queue, PATIENCE)) {
    if (!screen_has_time(tuning)) return false;
    pawl_tuning_show_progress(tuning, "building", queue->items[0].candidate.key);
    if (pawl_tuning_seconds(tuning) - since < slow || queue->count >= (size_t)pawl_cpu_count())
      continue;
    screen_ask(tuning, queue, queue->count + 1);
    since = pawl_tuning_seconds(tuning);
  }
  return screen_has_time(tuning);
}

/* Times the next of the questions that are built. *place: its place in the queue; queue->count
   if the budget is used up. */
static pawl_status answer(struct pawl_tuning *tuning, struct pawl_tune_queue *queue,
                          struct pawl_tune_costs *costs, size_t *place, struct pawl_error *err) {
  *place = queue->count;
  if (pawl_tune_queue_ready(queue) == queue->count) {
    if (!await_build(tuning, queue, costs)) return PAWL_OK;
    PAWL_TRY(pawl_tune_queue_prepare(tuning, queue, costs, err));
  }
  const size_t next = pawl_tune_queue_ready(queue);
  struct pawl_tune_question *question = &queue->items[next];
  pawl_tuning_show_progress(tuning, "timing", question->candidate.key);
  PAWL_TRY(pawl_tuning_evaluate(tuning, question, costs, err));
  const struct pawl_tune_entry added = {question->candidate, queue->count,
                                        pawl_tuning_seconds(tuning)};
  PAWL_TRY(pawl_tune_journal_add(&tuning->journal, &added, err));
  *place = next;
  return PAWL_OK;
}

/* The question that the journal answers now: the one of its next entry, or one whose entry was
   skipped. queue->count: none. */
static size_t find_known(const struct pawl_tuning *tuning, const struct pawl_tune_queue *queue,
                         size_t known) {
  const char *key =
      known < tuning->journal.count ? tuning->journal.entries[known].candidate.key : NULL;
  size_t place = 0;
  while (place < queue->count &&
         !(key ? !strcmp(queue->items[place].candidate.key, key) : queue->items[place].known))
    place++;
  return place;
}

/* Evaluators answered in the order in which they were ready, so pawl cannot ask their questions
   again in the same order. */
static bool was_shared(const struct pawl_tuning *tuning) {
  for (size_t i = 0; i < tuning->journal.count; i++)
    if (tuning->journal.entries[i].candidate.evaluator) return true;
  return false;
}

pawl_status pawl_tuning_screen(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_tune_queue *queue = pawl_arena_alloc(&tuning->project->arena, 1, sizeof *queue);
  struct pawl_tune_costs costs = {0};
  size_t known = 0; /* entries of the journal that the search has learnt */
  pawl_tuning_tell_current(tuning);
  if (was_shared(tuning)) {
    pawl_tuning_recall(tuning);
    known = tuning->journal.count;
  }
  for (bool recorded; (recorded = known < tuning->journal.count) || screen_has_time(tuning);) {
    /* The queue is ranked twice, for recorded answers too. So a resumed search learns at the
       same points, whatever it asked during a wait. */
    pawl_tune_queue_rank(queue, &tuning->search);
    screen_ask(tuning, queue, choose_open(tuning, &costs, known));
    if (!queue->count) break;
    pawl_tune_queue_rank(queue, &tuning->search);
    size_t place = find_known(tuning, queue, known);
    if (recorded) known++;
    if (place == queue->count && recorded)
      continue; /* the question of this entry comes later, or never if the space has changed */
    if (place == queue->count) PAWL_TRY(answer(tuning, queue, &costs, &place, err));
    if (place == queue->count) break;
    pawl_tuning_learn(tuning, &queue->items[place].candidate);
    pawl_tune_queue_remove(queue, place);
  }
  for (size_t i = 0; i < queue->count && tuning->builds && !tuning->tune.building; i++) {
    const struct pawl_tune_candidate *candidate = &queue->items[i].candidate;
    if (!queue->items[i].known && !pawl_tuning_is_built(tuning, candidate->index))
      tuning->tune.building = candidate->key;
  }
  pawl_progress_end(tuning->project->options.log);
  return PAWL_OK;
}
