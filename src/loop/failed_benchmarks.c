/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/failed_benchmarks.h"

#include <string.h>

#include "project/project.h"
#include "project/selection.h"

static const struct pawl_result *failed_benchmarks_find_row(const struct pawl_results *results,
                                                            const char *kernel_name,
                                                            const char *case_name) {
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *row = &results->items[i];
    if (!strcmp(row->kernel_name, kernel_name) && !strcmp(row->config.name, case_name)) return row;
  }
  return NULL;
}

/* A failed command has a row beside those of its benchmarks. A command that the budget left out has
   only its own. */
static bool is_failure(const struct pawl_suite *suite, const struct pawl_results *results,
                       const struct pawl_result *row) {
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(suite, row->kernel_name);
  size_t rows = 0;
  for (size_t i = 0; i < results->count; i++)
    rows += !strcmp(results->items[i].kernel_name, row->kernel_name);
  const bool left_out = row->outcome == PAWL_OUTCOME_INCONCLUSIVE;
  return spec && pawl_kernel_is_harness(spec) &&
         (left_out || (rows > 1 && pawl_outcome_fails(row->outcome))) &&
         !strcmp(row->config.name, pawl_command_case(suite).name);
}

static bool is_lost(const struct pawl_run_context *run, const struct pawl_results *results,
                    const struct pawl_result *failure, const struct pawl_baseline_entry *entry) {
  const struct pawl_suite *suite = &run->project->suite;
  return entry->kernel_name && !strcmp(entry->kernel_name, failure->kernel_name) &&
         entry->hardware && results->hardware && !strcmp(entry->hardware, results->hardware) &&
         pawl_kernel_selects(pawl_suite_kernel(suite, entry->kernel_name), entry->case_name) &&
         pawl_selection_has(&run->options->selection, suite, entry->kernel_name,
                            entry->case_name) &&
         !failed_benchmarks_find_row(results, entry->kernel_name, entry->case_name);
}

void pawl_failed_benchmarks_name(const struct pawl_run_context *run,
                                 const struct pawl_baseline *baseline,
                                 struct pawl_results *results) {
  struct pawl_results named = *results;
  named.items = pawl_arena_alloc(&run->project->arena, results->count + baseline->count + 1,
                                 sizeof *named.items);
  named.count = 0;
  for (size_t i = 0; i < results->count; i++) {
    const struct pawl_result *row = &results->items[i];
    const size_t before = named.count;
    for (size_t j = 0; j < baseline->count && is_failure(&run->project->suite, results, row); j++) {
      const struct pawl_baseline_entry *entry = &baseline->entries[j];
      if (!is_lost(run, results, row, entry)) continue;
      named.items[named.count] = *row;
      named.items[named.count++].config = entry->config;
    }
    if (named.count == before) named.items[named.count++] = *row;
  }
  *results = named;
}
