/* SPDX-License-Identifier: Apache-2.0 */
/* Builds of several configurations at once, while nothing is timed. */
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "loop/tuning.h"

struct ahead {
  struct pawl_build_options options;
  const struct pawl_kernel_spec **specs;
  double *seconds;
  struct pawl_log *first_log; /* of the first alone: the others say nothing */
};

static void build_one(void *context, int64_t i) {
  const struct ahead *ahead = context;
  struct pawl_build_options options = ahead->options;
  const int64_t begin = pawl_clock_ns();
  options.log = i == 0 ? ahead->first_log : NULL;
  pawl_build_ahead(ahead->specs[i], &options);
  ahead->seconds[i] = pawl_seconds_since(begin);
}

void pawl_tuning_build_ahead(struct pawl_tuning *tuning, const size_t *indices, size_t count, double *seconds) {
  struct ahead ahead = {.options = pawl_project_build_options(tuning->project, tuning->spec->device == PAWL_CUDA),
                        .seconds = seconds};
  for (size_t i = 0; i < count; i++) seconds[i] = 0;
  if (count < 2 || tuning->spec->kind != PAWL_FROM_SOURCES) return;
  ahead.specs = pawl_alloc(count, sizeof *ahead.specs);
  for (size_t i = 0; i < count; i++) ahead.specs[i] = pawl_tuning_spec(tuning, indices[i]);
  pawl_parallel_for(0, (int64_t)count, build_one, &ahead);
  pawl_free(ahead.specs);
}

/* --- the first builds --- */

size_t pawl_tuning_current(const struct pawl_tuning *tuning) {
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
    if (!current || value == space->axes[axis].count) return PAWL_NO_CONFIGURATION;
    at[axis] = (uint16_t)value;
  }
  return pawl_space_find(space, at);
}

/* How many configurations are built at once beside the current parameters, which take one CPU. */
static size_t count_beside(void) {
  const size_t cpus = (size_t)pawl_cpu_count() - 1;
  return cpus < PAWL_TUNE_WAITING ? cpus : PAWL_TUNE_WAITING;
}

size_t pawl_tuning_first_batch(const struct pawl_search *search) {
  const size_t first = pawl_search_first(search), beside = count_beside();
  const size_t count = first < beside ? first : beside;
  return count ? count : 1;
}

#define WORTH_GUESSING 8 /* times as many configurations as CPUs: of a larger space most guesses are wrong */

/* How many configurations to build at first. Those of the first batch are needed; the CPUs that are left build what the
   search asks next if no time surprises it. */
static size_t count_first(const struct pawl_search *search) {
  const size_t needed = pawl_tuning_first_batch(search), beside = count_beside();
  const bool worth = search->space->count <= WORTH_GUESSING * (size_t)pawl_cpu_count();
  return needed < beside && worth ? beside : needed;
}

/* A search of its own asks what the real one will ask. */
static pawl_status ask_first(struct pawl_tuning *tuning, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_search_release) struct pawl_search search = {0};
  const struct pawl_tune_options *options = tuning->options;
  PAWL_TRY(pawl_search_init(&search, &tuning->space, options->strategy, options->seed, 0, err));
  if (options->prior) pawl_tune_prior_use(&tuning->prior, &search);
  const size_t current = pawl_tuning_current(tuning);
  if (current != PAWL_NO_CONFIGURATION) pawl_search_tell(&search, current, 1);
  const size_t count = count_first(&search);
  tuning->first = pawl_arena_alloc(&tuning->project->arena, count, sizeof *tuning->first);
  while (tuning->first_count < count) {
    const size_t index = pawl_search_next(&search);
    if (index == PAWL_NO_CONFIGURATION) break;
    pawl_search_hold(&search, index);
    tuning->first[tuning->first_count++].index = index;
  }
  return PAWL_OK;
}

pawl_status pawl_tuning_build_first(struct pawl_tuning *tuning, struct pawl_error *err) {
  struct pawl_project *project = tuning->project;
  const int64_t begin = pawl_clock_ns();
  /* on one CPU nothing is beside; a search that goes on asks its journal */
  if (tuning->spec->kind != PAWL_FROM_SOURCES || tuning->options->resume || pawl_cpu_count() < 2) return PAWL_OK;
  PAWL_TRY(ask_first(tuning, err));
  const size_t count = tuning->first_count + 1;
  struct ahead ahead = {.options = pawl_project_build_options(project, tuning->spec->device == PAWL_CUDA),
                        .specs = pawl_arena_alloc(&project->arena, count, sizeof *ahead.specs),
                        .seconds = pawl_arena_alloc(&project->arena, count, sizeof *ahead.seconds),
                        .first_log = project->options.log};
  ahead.specs[0] = tuning->spec;
  for (size_t i = 1; i < count; i++) ahead.specs[i] = pawl_tuning_spec(tuning, tuning->first[i - 1].index);
  pawl_parallel_for(0, (int64_t)count, build_one, &ahead);
  for (size_t i = 1; i < count; i++) tuning->first[i - 1].seconds = ahead.seconds[i];
  tuning->first_seconds = pawl_seconds_since(begin);
  return PAWL_OK;
}
