/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/tune_screen.h"

#include <math.h>
#include <string.h>

#include "loop/paired_bench.h"

#define SHARE 0.6  /* of the budget; the rest is for the finalists and the other cases */
#define SAMPLES 10 /* of each arm */
#define CURRENT "current"

/* One block of the candidate and the current code. */
static pawl_status time_candidate(struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                                  struct pawl_tune_candidate *candidate, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const struct pawl_paired_bench_request request = {.base = &tuning->base,
                                                    .candidate = kernel,
                                                    .oracle = tuning->oracle,
                                                    .config = tuning->config,
                                                    .comparisons = 1,
                                                    .seed = tuning->options->seed,
                                                    .arena = &arena,
                                                    .samples = SAMPLES,
                                                    .max_blocks = 1};
  struct pawl_paired_test paired;
  struct pawl_paired_bench_outcome outcome;
  PAWL_TRY(pawl_paired_bench(tuning->project, &request, 1, &paired, &outcome, err));
  if (outcome.base != PAWL_OUTCOME_OK)
    return pawl_fail(err, PAWL_FAILED, "kernel '%s' fails with its current parameters: %s", tuning->spec->name,
                     outcome.reason);
  candidate->outcome = outcome.candidate;
  candidate->reason = pawl_arena_copy(&tuning->project->arena, outcome.reason);
  if (outcome.candidate != PAWL_OUTCOME_OK) return PAWL_OK;
  candidate->median_ms = paired.blocks[0].candidate_ms;
  candidate->base_ms = paired.blocks[0].base_ms;
  return PAWL_OK;
}

/* The same machine code was measured already: its times are this one's. */
static bool adopt(const struct pawl_tuning *tuning, const struct pawl_ready_kernel *kernel,
                  struct pawl_tune_candidate *candidate) {
  if (pawl_same_machine_code(&tuning->base, kernel)) {
    candidate->same_as = CURRENT;
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
    return true;
  }
  return false;
}

static pawl_status try_candidate(struct pawl_tuning *tuning, struct pawl_tune_candidate *candidate,
                                 struct pawl_error *err) {
  struct pawl_ready_kernel kernel;
  PAWL_TRY(pawl_tuning_ready(tuning, candidate->index, &kernel, err));
  candidate->outcome = kernel.outcome;
  candidate->reason = kernel.reason;
  candidate->code_hash = kernel.build.code_hash;
  if (kernel.outcome != PAWL_OUTCOME_OK || adopt(tuning, &kernel, candidate)) return PAWL_OK;
  PAWL_TRY(pawl_tuning_check(tuning, &kernel, &candidate->outcome, &candidate->reason, err));
  return candidate->outcome == PAWL_OUTCOME_OK ? time_candidate(tuning, &kernel, candidate, err) : PAWL_OK;
}

/* What the search minimises: time as a share of the current code's, measured side by side. */
static double value_of(const struct pawl_tune_candidate *candidate) {
  if (candidate->outcome != PAWL_OUTCOME_OK) return NAN;
  if (candidate->same_as && !strcmp(candidate->same_as, CURRENT)) return 1;
  return candidate->median_ms / candidate->base_ms;
}

static void say(const struct pawl_tuning *tuning, const struct pawl_tune_candidate *candidate) {
  struct pawl_log *log = tuning->project->options.log;
  if (candidate->outcome != PAWL_OUTCOME_OK)
    pawl_log_detail(log, "%s: %s: %s", candidate->key, pawl_outcome_name(candidate->outcome),
                    candidate->reason ? candidate->reason : "the reason is unknown");
  else
    pawl_log_detail(log, "%s: %.3g times the current time", candidate->key, value_of(candidate));
}

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
  if (index != PAWL_NO_CONFIGURATION) pawl_search_tell(&tuning->search, index, 1);
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

pawl_status pawl_tuning_screen(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_log *log = tuning->project->options.log;
  tell_current(tuning);
  for (;;) {
    const size_t index = pawl_search_next(&tuning->search);
    if (index == PAWL_NO_CONFIGURATION) break;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text key = {0};
    pawl_space_key(&tuning->space, index, &key);
    struct pawl_tune_candidate candidate = {.median_ms = NAN, .base_ms = NAN};
    const struct pawl_tune_candidate *known = pawl_tune_journal_find(&tuning->journal, pawl_text_string(&key));
    if (known) candidate = *known;
    candidate.index = index;
    candidate.key = pawl_arena_copy(&tuning->project->arena, pawl_text_string(&key));
    if (!known) {
      if (pawl_tuning_seconds(tuning) > SHARE * tuning->options->budget_seconds) break;
      pawl_log_progress(log, "trying %s, %zu of %zu tried, %.0f s of %.0f", candidate.key, tuning->tune.count,
                        tuning->space.count, pawl_tuning_seconds(tuning), tuning->options->budget_seconds);
      PAWL_TRY(try_candidate(tuning, &candidate, err));
      PAWL_TRY(pawl_tune_journal_add(&tuning->journal, &candidate, err));
    }
    append(tuning, &candidate);
    pawl_search_tell(&tuning->search, index, value_of(&candidate));
    say(tuning, &candidate);
  }
  pawl_log_progress(log, "%s", "");
  return PAWL_OK;
}
