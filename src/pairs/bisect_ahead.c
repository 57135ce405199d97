/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs/bisect_ahead.h"

#include "base/budget.h"
#include "base/parallel.h"
#include "project/change_base.h"

#define MOST_DEPTH 3 /* questions */
#define MOST_BUILDS ((1 << MOST_DEPTH) - 1)

struct ahead_build {
  const struct pawl_kernel_spec *spec;
  struct pawl_build_options options;
};

static void ahead_build_one(void *context, int64_t i) {
  const struct ahead_build *build = &((const struct ahead_build *)context)[i];
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_build_result result = {0};
  struct pawl_error ignored = {0};
  const char *diagnostics = NULL;
  (void)!pawl_build_kernel(build->spec, &build->options, &arena, &result, &diagnostics, &ignored);
}

/* Opens the tree of a commit. Returns false if there is nothing to compile. */
static bool prepare_build(struct pawl_bisect_job *job, struct pawl_bisect_place *place,
                          struct ahead_build *out) {
  struct pawl_project *tree;
  struct pawl_error ignored = {0};
  if (place->built || place->reason || place->ahead) return false;
  place->ahead = true;
  if (pawl_change_base_tree(job->project, place->commit, &tree, &ignored) != PAWL_OK) return false;
  out->spec = pawl_suite_kernel(&tree->suite, job->options->kernel);
  if (!out->spec || out->spec->kind != PAWL_FROM_SOURCES) return false;
  out->options = pawl_project_build_options(tree, out->spec->device == PAWL_CUDA);
  out->options.log = NULL; /* threads cannot share it */
  return true;
}

void pawl_bisect_build_together(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                                const size_t *places, size_t count) {
  struct ahead_build builds[MOST_BUILDS];
  size_t ready = 0;
  PAWL_ASSERT(count <= MOST_BUILDS);
  for (size_t i = 0; i < count && !pawl_budget_is_over(); i++)
    ready += prepare_build(job, &line->places[places[i]], &builds[ready]);
  if (ready > 1) pawl_parallel_for(0, (int64_t)ready, ahead_build_one, builds);
}

void pawl_bisect_build_ahead(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                             size_t at) {
  const struct pawl_bisection search = {line->count, line->evidence, line->prior, line->testable};
  size_t places[MOST_BUILDS];
  const int cpus = pawl_cpu_count(), depth = cpus >= MOST_BUILDS ? MOST_DEPTH : cpus > 1 ? 2 : 0;
  if (line->places[at].built || line->places[at].reason || line->places[at].ahead) return;
  pawl_bisection_weights(&search, line->weights);
  pawl_bisect_build_together(job, line, places,
                             pawl_bisection_ahead(&search, line->weights, depth, places));
}
