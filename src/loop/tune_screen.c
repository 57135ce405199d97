/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_screen.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/progress.h"
#include "loop/tune_finals.h"
#include "tune/insight.h"

#define MOST_AHEAD PAWL_TUNE_WAITING /* candidates that are built and started at once */

/* What a candidate cost lately, in seconds: what several can share, and what each needs alone. */
struct costs {
  double build, start, alone;
};

/* --- one candidate --- */

/* The same machine code was measured already: its times are this one's. */
static bool adopt(const struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                  struct pawl_tune_candidate *candidate) {
  if (pawl_same_machine_code(&tuning->base, kernel)) {
    candidate->same_as = PAWL_TUNE_CURRENT;
    candidate->checked = true;
    return true;
  }
  for (size_t i = 0; kernel->build.code_hash && i < tuning->tune.count; i++) {
    const struct pawl_tune_candidate *other = &tuning->tune.candidates[i];
    if (!other->code_hash || strcmp(other->code_hash, kernel->build.code_hash) != 0) continue;
    candidate->same_as = other->same_as ? other->same_as : other->key;
    candidate->outcome = other->outcome;
    candidate->reason = other->reason;
    candidate->median_ms = other->median_ms;
    candidate->base_ms = other->base_ms;
    candidate->checked = other->checked;
    candidate->times = other->times;
    candidate->time_count = other->time_count;
    return true;
  }
  return false;
}

static void take_evaluation(struct pawl_tuning *tuning, const struct pawl_tune_evaluation *evaluation,
                            struct pawl_tune_candidate *candidate) {
  struct pawl_arena *arena = &tuning->project->arena;
  struct pawl_tune_times *times = pawl_arena_alloc(arena, evaluation->time_count, sizeof *times);
  memcpy(times, evaluation->times, evaluation->time_count * sizeof *times);
  candidate->outcome = evaluation->outcome;
  candidate->reason = pawl_arena_copy(arena, evaluation->reason);
  candidate->times = times;
  candidate->time_count = evaluation->time_count;
  pawl_tune_sum_up(candidate);
}

static pawl_status try_candidate(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                                 struct pawl_tune_candidate *candidate, struct costs *costs, struct pawl_error *err) {
  struct pawl_tune_evaluation evaluation;
  candidate->outcome = kernel->outcome;
  candidate->reason = kernel->reason;
  candidate->code_hash = kernel->build.code_hash;
  candidate->build_seconds = kernel->build.seconds;
  if (kernel->outcome != PAWL_OUTCOME_OK || adopt(tuning, kernel, candidate)) return PAWL_OK;
  const double begin = pawl_tuning_seconds(tuning);
  PAWL_TRY(pawl_tune_bench_screen(&tuning->bench, kernel, &evaluation, err));
  if (kernel->spec->device == PAWL_CUDA) costs->start = fmax(costs->start, evaluation.start_seconds);
  costs->alone = pawl_tuning_seconds(tuning) - begin - fmin(costs->start, evaluation.start_seconds);
  candidate->measure_seconds = pawl_tuning_seconds(tuning) - begin;
  take_evaluation(tuning, &evaluation, candidate);
  return PAWL_OK;
}

static void say(const struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate) {
  struct pawl_log *log = tuning->project->options.log;
  if (candidate->outcome != PAWL_OUTCOME_OK)
    pawl_log_detail(log, "%s: %s: %s", candidate->key, pawl_outcome_name(candidate->outcome),
                    candidate->reason ? candidate->reason : "the reason is unknown");
  else
    pawl_log_detail(log, "%s: %.3g times the current time%s", candidate->key, pawl_tune_ratio(candidate),
                    candidate->checked ? "" : ", not checked");
}

/* --- the search --- */

/* The current parameters are known: they take as long as themselves. */
static void tell_current(struct pawl_tuning *tuning) {
  const struct pawl_space *space = &tuning->space;
  const struct pawl_kernel_spec *spec = tuning->spec;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    const char *current = NULL;
    for (size_t i = 0; i < spec->param_count; i++) {
      if (!strcmp(spec->params[i].name, space->axes[axis].name)) current = spec->params[i].value;
    }
    size_t value = 0;
    while (current && value < space->axes[axis].count && strcmp(space->axes[axis].values[value].word, current) != 0)
      value++;
    if (!current || value == space->axes[axis].count) return;
    at[axis] = (uint16_t)value;
  }
  const size_t index = pawl_space_find(space, at);
  if (index == PAWL_NO_CONFIGURATION) return;
  pawl_search_tell(&tuning->search, index, 1);
  tuning->tune.current_in_space = true;
}

static void append(struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate) {
  struct pawl_tune *tune = &tuning->tune;
  if (!(tune->count & (tune->count - 1))) { /* full at each power of two */
    struct pawl_tune_candidate *grown =
        pawl_arena_alloc(&tuning->project->arena, tune->count ? 2 * tune->count : 1, sizeof *grown);
    if (tune->count) memcpy(grown, tune->candidates, tune->count * sizeof *grown);
    tune->candidates = grown;
  }
  tune->candidates[tune->count++] = *candidate;
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

/* The search ends with its share of the budget, or earlier when all configurations were tried. */
static void show_progress(const struct pawl_tuning *tuning, const char *key) {
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
  pawl_progress_show(tuning->project->options.log, &progress, "%s; now %s", words.data, key);
}

/* How many candidates to ask for at once. While one is measured nothing may build or start, so that several are built
   and started together, as many as make this no longer than measuring them. A search goes on as it began: from the
   journal. */
static size_t choose_batch(const struct pawl_tuning *tuning, const struct costs *costs, size_t known) {
  if (known < tuning->journal.count) return tuning->journal.entries[known].batch;
  if (!(costs->alone > 0)) return 1;
  const double limit = fmin(MOST_AHEAD, pawl_cpu_count());
  return (size_t)fmax(1, fmin(limit, round((costs->build + costs->start) / costs->alone)));
}

/* A configuration of a batch. */
struct question {
  struct pawl_tune_candidate candidate;
  bool known; /* from the journal */
  struct pawl_ready_kernel kernel;
};

/* What the batch asks, with what the journal knows of it. */
static void read_batch(struct pawl_tuning *tuning, struct question *questions) {
  const struct pawl_search *search = &tuning->search;
  for (size_t i = 0; i < search->held_count; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
    pawl_space_key(&tuning->space, search->held[i], &key);
    const struct pawl_tune_entry *entry = pawl_tune_journal_find(&tuning->journal, pawl_text_string(&key));
    questions[i] = (struct question){.candidate = {.median_ms = NAN, .base_ms = NAN}, .known = entry != NULL};
    if (entry) questions[i].candidate = entry->candidate;
    questions[i].candidate.index = search->held[i];
    questions[i].candidate.key = pawl_arena_copy(&tuning->project->arena, pawl_text_string(&key));
  }
}

/* Builds what is not known, and starts the processes of what works. */
static pawl_status make_ready(struct pawl_tuning *tuning, struct question *questions, size_t count, struct costs *costs,
                              struct pawl_error *err) {
  const struct pawl_ready_kernel **ready = pawl_arena_alloc(&tuning->project->arena, count, sizeof *ready);
  size_t *indices = pawl_arena_alloc(&tuning->project->arena, count, sizeof *indices), unknown = 0, working = 0;
  for (size_t i = 0; i < count; i++)
    if (!questions[i].known) indices[unknown++] = questions[i].candidate.index;
  if (unknown) show_progress(tuning, questions[count - 1].candidate.key);
  const double begin = pawl_tuning_seconds(tuning);
  int compiles = 0;
  pawl_tuning_build_ahead(tuning, indices, unknown);
  for (size_t i = 0; i < count; i++) {
    struct pawl_ready_kernel *kernel = &questions[i].kernel;
    if (questions[i].known) continue;
    PAWL_TRY(pawl_tuning_ready(tuning, questions[i].candidate.index, kernel, err));
    compiles += kernel->build.compiles;
    if (kernel->outcome == PAWL_OUTCOME_OK) ready[working++] = kernel;
  }
  if (compiles > 0 || unknown > 1) costs->build = pawl_tuning_seconds(tuning) - begin;
  pawl_tune_bench_start(&tuning->bench, ready, working);
  return PAWL_OK;
}

static void learn(struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate) {
  append(tuning, candidate);
  pawl_search_tell(&tuning->search, candidate->index, pawl_tune_ratio(candidate));
  pawl_tune_bench_learn(&tuning->bench, candidate);
  say(tuning, candidate);
}

/* One batch, in the order asked. *ended: the budget is spent. */
static pawl_status try_batch(struct pawl_tuning *tuning, size_t batch, struct costs *costs, size_t *known, bool *ended,
                             struct pawl_error *err) {
  const size_t count = tuning->search.held_count;
  struct question *questions = pawl_arena_alloc(&tuning->project->arena, count, sizeof *questions);
  read_batch(tuning, questions);
  PAWL_TRY(make_ready(tuning, questions, count, costs, err));
  for (size_t i = 0; i < count; i++) {
    struct pawl_tune_candidate *candidate = &questions[i].candidate;
    *known += questions[i].known;
    if (!questions[i].known) {
      *ended = pawl_tuning_left(tuning) <= pawl_tuning_reserve(tuning);
      if (*ended) return PAWL_OK;
      show_progress(tuning, candidate->key);
      PAWL_TRY(try_candidate(tuning, &questions[i].kernel, candidate, costs, err));
      const struct pawl_tune_entry added = {*candidate, batch, pawl_tuning_seconds(tuning)};
      PAWL_TRY(pawl_tune_journal_add(&tuning->journal, &added, err));
    }
    learn(tuning, candidate);
  }
  return PAWL_OK;
}

pawl_status pawl_tuning_screen(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_search *search = &tuning->search;
  struct costs costs = {.build = tuning->base.build.compiles > 0 ? tuning->base.build.seconds : 0};
  size_t known = 0;
  bool ended = false;
  tell_current(tuning);
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
