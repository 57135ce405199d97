/* SPDX-License-Identifier: Apache-2.0 */
/* Builds of configurations before they are timed. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "tuning/tuning.h"

/* a share of the budget; a longer compilation costs more than its candidate can gain */
#define LONGEST_BUILD_SHARE 0.25
#define LEAST_LONGEST_BUILD 30.0 /* seconds, for a budget of any length */
#define PATIENCE 0.1 /* seconds between two looks at whether the user stopped the search */

/* Returns NULL where pawl builds nothing in advance: the command of a user builds in one place
   only. */
static struct pawl_tune_builds *builds_of(struct pawl_tuning *tuning) {
  if (tuning->builds || tuning->spec->kind != PAWL_FROM_SOURCES) return tuning->builds;
  const struct pawl_build_options options =
      pawl_project_build_options(tuning->project, tuning->spec->device == PAWL_CUDA);
  const double most =
      fmax(LONGEST_BUILD_SHARE * tuning->options->budget_seconds, LEAST_LONGEST_BUILD);
  return tuning->builds = pawl_tune_builds_begin(&options, most, pawl_cpu_count());
}

void pawl_tuning_build_ahead(struct pawl_tuning *tuning, size_t index) {
  struct pawl_tune_builds *builds = builds_of(tuning);
  if (builds) pawl_tune_builds_add(builds, index, pawl_tuning_spec(tuning, index), NULL);
}

bool pawl_tuning_is_built(const struct pawl_tuning *tuning, size_t index) {
  return !tuning->builds || pawl_tune_builds_is_done(tuning->builds, index);
}

bool pawl_tuning_await_builds(const struct pawl_tuning *tuning, const size_t *indices, size_t count,
                              double seconds) {
  return !tuning->builds || pawl_tune_builds_await_any(tuning->builds, indices, count, seconds);
}

/* pawl does not compile again what failed to compile. It asks Ninja again for a build that
   succeeded, which takes no compilation. */
pawl_status pawl_tuning_take_build(struct pawl_tuning *tuning, size_t index,
                                   struct pawl_ready_kernel *out, double *seconds,
                                   struct pawl_error *err) {
  struct pawl_arena *arena = &tuning->project->arena;
  struct pawl_tune_build build = {0};
  if (tuning->builds) build = pawl_tune_builds_await(tuning->builds, index);
  *seconds = build.seconds;
  if (!build.failure) return pawl_tuning_ready(tuning, index, out, err);
  *out = (struct pawl_ready_kernel){.spec = pawl_tuning_spec(tuning, index),
                                    .outcome = PAWL_OUTCOME_BUILD,
                                    .reason = pawl_arena_copy(arena, build.failure),
                                    .diagnostics = pawl_arena_copy(arena, build.diagnostics),
                                    .build = {.compiles = -1, .cache_hits = -1}};
  pawl_log_detail(tuning->project->options.log, "%s", out->diagnostics);
  return pawl_tuning_require_sources(tuning, err);
}

void pawl_tuning_end_builds(struct pawl_tuning *tuning) {
  tuning->bench.jobs = NULL;
  pawl_tune_builds_end(tuning->builds);
  tuning->builds = NULL;
}

struct pawl_jobs *pawl_tuning_jobs_beside(const struct pawl_tuning *tuning) {
  return tuning->spec->device == PAWL_CUDA ? pawl_tune_builds_jobs(tuning->builds) : NULL;
}

void pawl_tuning_pause_builds(const struct pawl_tuning *tuning) {
  if (tuning->spec->device != PAWL_CUDA && !pawl_jobs_pause(pawl_tune_builds_jobs(tuning->builds)))
    pawl_log_detail(tuning->project->options.log,
                    "a build does not stand still while a candidate is timed");
}

void pawl_tuning_resume_builds(const struct pawl_tuning *tuning) {
  if (tuning->spec->device != PAWL_CUDA) pawl_jobs_resume(pawl_tune_builds_jobs(tuning->builds));
}

pawl_status pawl_tuning_open_bench(struct pawl_tuning *tuning, struct pawl_error *err) {
  pawl_tuning_pause_builds(tuning);
  const enum pawl_status_code status = pawl_tune_bench_open(
      &tuning->bench, tuning->project, tuning->oracle, &tuning->base, tuning->configs,
      tuning->config_count, tuning->options->seed, pawl_tuning_jobs_beside(tuning), err);
  pawl_tuning_resume_builds(tuning);
  tuning->block_seconds = tuning->bench.block_seconds;
  return status;
}

/* --- the first builds --- */

size_t pawl_tuning_current(const struct pawl_tuning *tuning) {
  const struct pawl_space *space = &tuning->space;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    const char *current = pawl_kernel_param(tuning->spec, space->axes[axis].name);
    size_t value = 0;
    while (current && value < space->axes[axis].count &&
           strcmp(space->axes[axis].values[value].word, current) != 0)
      value++;
    if (!current || value == space->axes[axis].count) return PAWL_NO_CONFIGURATION;
    at[axis] = (uint16_t)value;
  }
  return pawl_space_find(space, at);
}

/* The current parameters take one CPU. This counts the configurations that build beside them. */
static size_t count_beside(void) {
  const size_t cpus = (size_t)pawl_cpu_count() - 1;
  return cpus < PAWL_TUNE_WAITING ? cpus : PAWL_TUNE_WAITING;
}

size_t pawl_tuning_first_batch(const struct pawl_search *search) {
  const size_t first = pawl_search_first(search), beside = count_beside();
  const size_t count = first < beside ? first : beside;
  return count ? count : 1;
}

/* configurations for each CPU; in a larger space most guesses are wrong \ */
#define WORTH_GUESSING 8

/* The number of configurations to build first. The search needs those of its first batch. The
   other CPUs build the configurations that the search asks for next if no time surprises it. */
static size_t count_first(const struct pawl_search *search) {
  const size_t needed = pawl_tuning_first_batch(search), beside = count_beside();
  const bool worth = search->space->count <= WORTH_GUESSING * (size_t)pawl_cpu_count();
  return needed < beside && worth ? beside : needed;
}

/* A second search with the same seed asks the questions that the real one will ask. */
static pawl_status add_first(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_search_release) struct pawl_search search = {0};
  const struct pawl_tune_options *options = tuning->options;
  PAWL_TRY(pawl_search_init(&search, &tuning->space, options->strategy, options->seed, err));
  if (tuning->prior.known_count) pawl_tune_prior_use(&tuning->prior, &search);
  const size_t current = pawl_tuning_current(tuning);
  if (current != PAWL_NO_CONFIGURATION) pawl_search_tell(&search, current, 1);
  for (const size_t count = count_first(&search); search.held_count < count;) {
    const size_t index = pawl_search_next(&search);
    if (index == PAWL_NO_CONFIGURATION) break;
    pawl_search_hold(&search, index);
    pawl_tuning_build_ahead(tuning, index);
  }
  return PAWL_OK;
}

pawl_status pawl_tuning_build_first(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_tune_builds *builds = builds_of(tuning);
  /* One CPU builds nothing beside the current parameters. A resumed search asks its journal. */
  if (!builds || tuning->options->resume || pawl_cpu_count() < 2) return PAWL_OK;
  pawl_tune_builds_add(builds, PAWL_NO_CONFIGURATION, tuning->spec, tuning->project->options.log);
  PAWL_TRY(add_first(tuning, err));
  const size_t current = PAWL_NO_CONFIGURATION;
  while (!pawl_tune_builds_await_any(builds, &current, 1, PATIENCE))
    if (tuning->options->stop && *tuning->options->stop) break;
  return PAWL_OK;
}
