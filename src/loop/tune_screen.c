/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_screen.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/progress.h"
#include "loop/tune_evaluate.h"
#include "loop/tune_finals.h"
#include "tune/insight.h"

#define MOST_AHEAD PAWL_TUNE_WAITING /* candidates that are built and started at once */

/* --- the search --- */

void pawl_tuning_tell_current(struct pawl_tuning *tuning) {
  const size_t index = pawl_tuning_current(tuning);
  if (index == PAWL_NO_CONFIGURATION) return;
  pawl_search_tell(&tuning->search, index, 1);
  tuning->tune.current_in_space = true;
}

/* The candidate with the least time so far; NULL: none is faster than the current code. */
static const struct pawl_tune_candidate *best_so_far(const struct pawl_tune *tune) {
  const struct pawl_tune_candidate *best = NULL;
  for (size_t i = 0; i < tune->count; i++) {
    const struct pawl_tune_candidate *one = &tune->candidates[i];
    const double value = pawl_tune_ratio(one);
    if (one->checked && value < 1 && (!best || value < pawl_tune_ratio(best))) best = one;
  }
  return best;
}

void pawl_tuning_show_progress(const struct pawl_tuning *tuning, const char *now) {
  const struct pawl_tune *tune = &tuning->tune;
  const struct pawl_tune_candidate *best = best_so_far(tune);
  const struct pawl_progress progress = {"tuning", pawl_tuning_seconds(tuning), tuning->options->budget_seconds, true};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  pawl_text_printf(&words, "%zu of %zu tried", tune->count + tune->current_in_space, tuning->space.count);
  for (enum pawl_outcome outcome = 0; outcome < PAWL_OUTCOMES; outcome++) {
    size_t count = 0;
    for (size_t i = 0; i < tune->count; i++) count += tune->candidates[i].outcome == outcome;
    if (outcome != PAWL_OUTCOME_OK && count) pawl_text_printf(&words, ", %zu %s", count, pawl_outcome_name(outcome));
  }
  if (best) pawl_text_printf(&words, ", best so far %s, %+.1f %%", best->key, (pawl_tune_ratio(best) - 1) * 100);
  pawl_progress_show(tuning->project->options.log, &progress, "%s; now %s", words.data, now);
}

/* How many candidates to ask for at once. While one is measured nothing may build or start, so that several are built
   and started together, as many as make this no longer than measuring them. A search goes on as it began: from the
   journal. */
static size_t choose_batch(const struct pawl_tuning *tuning, const struct pawl_tune_costs *costs, size_t known) {
  if (known < tuning->journal.count) return tuning->journal.entries[known].batch;
  if (!(costs->alone > 0)) return pawl_tuning_first_batch(&tuning->search);
  const double limit = fmin(MOST_AHEAD, pawl_cpu_count());
  return (size_t)fmax(1, fmin(limit, round((costs->build + costs->start) / costs->alone)));
}

/* What the batch asks, with what the journal knows of it. */
static void read_batch(struct pawl_tuning *tuning, struct pawl_tune_question *questions) {
  const struct pawl_search *search = &tuning->search;
  for (size_t i = 0; i < search->held_count; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
    pawl_space_key(&tuning->space, search->held[i], &key);
    const struct pawl_tune_entry *entry = pawl_tune_journal_find(&tuning->journal, pawl_text_string(&key));
    questions[i] = (struct pawl_tune_question){.candidate = {.median_ms = NAN, .base_ms = NAN}, .known = entry != NULL};
    if (entry) questions[i].candidate = entry->candidate;
    questions[i].candidate.index = search->held[i];
    questions[i].candidate.key = pawl_arena_copy(&tuning->project->arena, pawl_text_string(&key));
  }
}

/* One batch, in the order asked. *ended: the budget is spent. */
static pawl_status try_batch(struct pawl_tuning *tuning, size_t batch, struct pawl_tune_costs *costs, size_t *known,
                             bool *ended, struct pawl_error *err) {
  const size_t count = tuning->search.held_count;
  size_t unknown = 0;
  struct pawl_tune_question *questions = pawl_arena_alloc(&tuning->project->arena, count, sizeof *questions);
  read_batch(tuning, questions);
  for (size_t i = 0; i < count; i++) unknown += !questions[i].known;
  if (unknown) pawl_tuning_show_progress(tuning, questions[count - 1].candidate.key);
  PAWL_TRY(pawl_tuning_prepare(tuning, questions, count, costs, err));
  for (size_t i = 0; i < count; i++) {
    struct pawl_tune_candidate *candidate = &questions[i].candidate;
    *known += questions[i].known;
    if (!questions[i].known) {
      *ended = pawl_tuning_left(tuning) <= pawl_tuning_reserve(tuning);
      if (*ended) return PAWL_OK;
      pawl_tuning_show_progress(tuning, candidate->key);
      PAWL_TRY(pawl_tuning_evaluate(tuning, &questions[i], costs, err));
      const struct pawl_tune_entry added = {*candidate, batch, pawl_tuning_seconds(tuning)};
      PAWL_TRY(pawl_tune_journal_add(&tuning->journal, &added, err));
    }
    pawl_tuning_learn(tuning, candidate);
  }
  return PAWL_OK;
}

/* Evaluators answered in the order that they were ready, so that nobody can ask their questions again. */
static bool was_shared(const struct pawl_tuning *tuning) {
  for (size_t i = 0; i < tuning->journal.count; i++)
    if (tuning->journal.entries[i].candidate.evaluator) return true;
  return false;
}

pawl_status pawl_tuning_screen(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_search *search = &tuning->search;
  struct pawl_tune_costs costs = {.build = tuning->first_seconds};
  size_t known = 0;
  bool ended = false;
  pawl_tuning_tell_current(tuning);
  if (was_shared(tuning)) {
    pawl_tuning_recall(tuning);
    known = tuning->journal.count;
  }
  while (!ended) {
    const bool recorded = known < tuning->journal.count;
    if (!recorded && pawl_tuning_left(tuning) <= pawl_tuning_reserve(tuning)) break;
    const size_t batch = choose_batch(tuning, &costs, known);
    while (search->held_count < batch) {
      const size_t index = pawl_search_next(search);
      if (index == PAWL_NO_CONFIGURATION) break;
      pawl_search_hold(search, index);
    }
    if (!search->held_count) break;
    PAWL_TRY(try_batch(tuning, batch, &costs, &known, &ended, err));
  }
  pawl_progress_end(tuning->project->options.log);
  return PAWL_OK;
}
