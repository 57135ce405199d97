/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/bench_phase.h"

#include <string.h>

#include "project/bench_kernels.h"

#define ROWS_OF_A_PAIR 4 /* 12 blocks of two processes beside a row of 6 processes */

struct timing_filter {
  const struct pawl_suite *suite;
  const struct pawl_selection *selection;
  const struct pawl_arm_pairs *pairs;
  const struct pawl_results *results;
};

/* Leaves out cases of other shards, cases with the baseline's code, and cases that the pairs time.
   References have their own phase. */
static bool bench_phase_is_left_out(const void *context, const char *kernel,
                                    const char *case_name) {
  const struct timing_filter *filter = context;
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(filter->suite, kernel);
  const struct pawl_arm_pair *pair = pawl_arm_pairs_of(filter->pairs, kernel, case_name);
  if (spec && spec->reference && spec->operator_name) return true;
  const bool right = pair && pair->candidate->outcome == PAWL_OUTCOME_OK;
  if (right && pair->identical && !pair->needs_time) return true;
  if (right && pawl_arm_pair_times_candidate(pair)) return true;
  return !pawl_selection_has(filter->selection, filter->suite, kernel, case_name);
}

static bool has_row(const struct pawl_results *results, const struct pawl_arm_pair *pair) {
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *row = &results->items[i];
    if (!strcmp(row->kernel_name, pair->candidate->spec->name) && row->config.name &&
        !strcmp(row->config.name, pair->config->name))
      return true;
  }
  return false;
}

static bool lacks_row(const struct timing_filter *filter, const struct pawl_arm_pair *pair) {
  return pawl_arm_pair_times_candidate(pair) && !has_row(filter->results, pair);
}

static bool bench_phase_is_done(const void *context, const char *kernel, const char *case_name) {
  const struct timing_filter *filter = context;
  const struct pawl_arm_pair *pair = pawl_arm_pairs_of(filter->pairs, kernel, case_name);
  return !pair || !lacks_row(filter, pair);
}

static pawl_status bench(struct pawl_project *project, const struct timing_filter *filter,
                         bool (*skip)(const void *context, const char *kernel,
                                      const char *case_name),
                         size_t later, const struct pawl_built *built, struct pawl_results *results,
                         struct pawl_error *err) {
  const struct pawl_bench_selection filtered = {.only_case = filter->selection->case_name,
                                                .warmup = -1,
                                                .skip = skip,
                                                .context = filter,
                                                .later = later};
  return pawl_bench_kernels(project, built->kernels, built->count, &filtered, results, err);
}

/* The blocks of the pairs, as the number of rows whose timing takes as long. */
static size_t rows_of_pairs(const struct pawl_arm_pairs *pairs) {
  size_t measured = 0;
  for (size_t i = 0; i < pairs->count; i++) {
    const struct pawl_arm_pair *pair = &pairs->items[i];
    measured += pair->paired && !pair->identical && pair->candidate->outcome == PAWL_OUTCOME_OK;
  }
  return measured * ROWS_OF_A_PAIR;
}

pawl_status pawl_bench_phase(struct pawl_project *project, const struct pawl_selection *selection,
                             const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                             struct pawl_results *results, struct pawl_error *err) {
  const struct timing_filter filter = {&project->suite, selection, pairs, results};
  return bench(project, &filter, bench_phase_is_left_out, rows_of_pairs(pairs), built, results,
               err);
}

bool pawl_bench_phase_is_empty(struct pawl_project *project, const struct pawl_selection *selection,
                               const struct pawl_arm_pairs *pairs, const struct pawl_built *built) {
  const struct timing_filter filter = {&project->suite, selection, pairs, NULL};
  for (size_t i = 0; i < built->count; i++) {
    const struct pawl_kernel_spec *spec = built->kernels[i].spec;
    if (built->kernels[i].outcome != PAWL_OUTCOME_OK) continue;
    if (!spec->operator_name) return false; /* commands are timed here */
    for (size_t j = 0; j < project->suite.case_count; j++) {
      const struct pawl_case *config = &project->suite.cases[j];
      if (config->operator_name && !strcmp(config->operator_name, spec->operator_name) &&
          !bench_phase_is_left_out(&filter, spec->name, config->name))
        return false;
    }
  }
  return true;
}

/* Rows stand by kernel, then by case. Benchmarks of a harness keep their order. */
static size_t bench_phase_rank(const struct pawl_suite *suite, const struct pawl_built *built,
                               const struct pawl_result *row) {
  const size_t cases = suite->case_count + 1;
  size_t kernel = 0, place = 0;
  while (kernel < built->count && strcmp(built->kernels[kernel].spec->name, row->kernel_name) != 0)
    kernel++;
  if (kernel == built->count || !built->kernels[kernel].spec->operator_name) return kernel * cases;
  while (place < suite->case_count && strcmp(suite->cases[place].name, row->config.name) != 0)
    place++;
  return kernel * cases + place;
}

static void order_rows(const struct pawl_suite *suite, const struct pawl_built *built,
                       struct pawl_results *results) {
  for (size_t i = 1; i < results->count; i++) {
    const struct pawl_result row = results->items[i];
    size_t place = i;
    for (; place && bench_phase_rank(suite, built, &results->items[place - 1]) >
                        bench_phase_rank(suite, built, &row);
         place--)
      results->items[place] = results->items[place - 1];
    results->items[place] = row;
  }
}

pawl_status pawl_bench_phase_rest(struct pawl_project *project,
                                  const struct pawl_selection *selection,
                                  const struct pawl_arm_pairs *pairs,
                                  const struct pawl_built *built, struct pawl_results *results,
                                  struct pawl_error *err) {
  const struct timing_filter filter = {&project->suite, selection, pairs, results};
  bool any = false;
  for (size_t i = 0; i < pairs->count && !any; i++) any = lacks_row(&filter, &pairs->items[i]);
  if (any) { /* nothing else stops the jobs here */
    struct pawl_jobs *jobs = project->listings.jobs;
    if (!pawl_jobs_pause(jobs)) pawl_jobs_stop(jobs);
    const enum pawl_status_code status =
        bench(project, &filter, bench_phase_is_done, 0, built, results, err);
    pawl_jobs_resume(jobs);
    if (status != PAWL_OK) return status;
  }
  order_rows(&project->suite, built, results);
  return PAWL_OK;
}
