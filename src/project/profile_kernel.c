/* SPDX-License-Identifier: Apache-2.0 */
#include "project/profile_kernel.h"

#include "base/parallel.h"
#include "profile/profiler.h"
#include "project/operators.h"

#define VERSIONS 2

static pawl_status check_kind(const struct pawl_kernel_spec *spec, struct pawl_error *err) {
  if (spec->kind == PAWL_FROM_COMMAND)
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "cannot profile '%s': its command runs the kernel itself; run it under ncu or perf",
        spec->name);
  return PAWL_OK;
}

/* Draws the inputs, once for all versions. */
static pawl_status draw_inputs(struct pawl_profiling *profiling,
                               const struct pawl_kernel_spec *spec, const char *case_name,
                               struct pawl_error *err) {
  struct pawl_project *project = profiling->project;
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(check_kind(spec, err));
  PAWL_TRY(pawl_project_oracle(project, spec->operator_name, &oracle, err));
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, case_name, NULL, &project->arena,
                               &cases, &count, err));
  if (!count)
    return pawl_fail(err, PAWL_USAGE, "the case '%s' is not of the operator '%s'", case_name,
                     oracle->info.name);
  PAWL_TRY(pawl_problem_init(&profiling->problem, oracle, &cases[0], 1, err));
  profiling->drawn = true;
  return pawl_problem_fill(&profiling->problem, 0, oracle->info.distributions[0].name,
                           PAWL_DEFAULT_SEED, err);
}

static pawl_status make_call(struct pawl_profiling *profiling,
                             const struct pawl_profiled_version *version, const char *case_name,
                             bool full, struct pawl_profiled_call *out, struct pawl_error *err) {
  struct pawl_project *project = profiling->project;
  PAWL_TRY(pawl_make_folders(version->folder, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *real =
      pawl_path_real(version->folder); /* absolute, because the worker runs in the suite's folder */
  *out = (struct pawl_profiled_call){
      .worker = &version->kernel->worker,
      .listings = &project->listings,
      .problem = &profiling->problem,
      .threads = pawl_measure_threads(&project->suite.measure),
      .full = full,
      .warm = project->suite.measure.cache == PAWL_CACHE_WARM,
      .timeout_seconds = project->suite.profile.timeout_seconds,
      .path = pawl_arena_printf(&project->arena, "%s/%s-%s", real ? real : version->folder,
                                version->kernel->spec->name, case_name)};
  return PAWL_OK;
}

/* The calls of all versions. A thread has an arena of its own. */
struct profiled_calls {
  struct pawl_profiled_version *versions;
  struct pawl_profiled_call calls[VERSIONS];
  struct pawl_arena arenas[VERSIONS];
};

static void profile_version(void *context, int64_t i) {
  struct profiled_calls *all = context;
  struct pawl_profiled_version *version = &all->versions[i];
  version->status = pawl_profile_call(version->kernel->spec->device, &all->calls[i],
                                      &all->arenas[i], version->profile, &version->why);
}

static void begin_samples(struct pawl_profiling *profiling, const struct profiled_calls *all) {
  struct pawl_profiled_call calls[VERSIONS];
  struct pawl_error why = {0};
  for (int i = 0; i < VERSIONS; i++) {
    calls[i] = all->calls[i];
    calls[i].seconds = &all->versions[i].sample_seconds;
  }
  if (pawl_ncu_sample_begin(calls, &profiling->project->arena, &profiling->running, &why) !=
      PAWL_OK)
    profiling->no_samples = pawl_arena_copy(&profiling->project->arena, why.message);
}

static void say_seconds(const struct pawl_profiling *profiling, const char *what,
                        const struct pawl_profiled_version *version,
                        const struct pawl_profiled_seconds *seconds) {
  pawl_log_detail(profiling->project->options.log,
                  "%s, %s: the %s took %.2f s to start, %.2f s to wait for the turn, %.2f s to "
                  "prepare, %.2f s of calls, %.2f s to end",
                  version->kernel->spec->name, version->name, what, seconds->start, seconds->turn,
                  seconds->prepare, seconds->calls, seconds->end);
}

void pawl_profile_begin(struct pawl_project *project, struct pawl_profiled_version *versions,
                        int count, const char *case_name, bool full, bool sampled,
                        struct pawl_profiling *out) {
  const struct pawl_ready_kernel *last = versions[count - 1].kernel;
  const bool gpu = last->spec->device == PAWL_CUDA;
  struct profiled_calls all = {.versions = versions};
  struct pawl_error why = {0};
  PAWL_ASSERT(count <= VERSIONS);
  *out = (struct pawl_profiling){.project = project};
  enum pawl_status_code status = draw_inputs(out, last->spec, case_name, &why);
  for (int i = 0; i < count && status == PAWL_OK; i++) {
    status = make_call(out, &versions[i], case_name, full, &all.calls[i], &why);
    all.calls[i].seconds = &versions[i].seconds;
  }
  for (int i = 0; i < count && status != PAWL_OK; i++) {
    versions[i].status = status;
    versions[i].why = why;
  }
  if (status != PAWL_OK) return;
  if (sampled && gpu && count == VERSIONS && last->build.plugin) begin_samples(out, &all);
  pawl_parallel_for(gpu ? count : 1, count, profile_version, &all);
  for (int i = 0; i < count; i++) {
    pawl_arena_join(&project->arena, &all.arenas[i]);
    say_seconds(out, "counters", &versions[i], &versions[i].seconds);
  }
}

void pawl_profile_end(struct pawl_profiling *profiling, struct pawl_profiled_version *versions,
                      int count) {
  struct pawl_code_samples samples[VERSIONS];
  struct pawl_error why = {0};
  bool sampled = false;
  if (profiling->running) {
    struct pawl_arena *arena = &profiling->project->arena;
    sampled = pawl_ncu_sample_end(profiling->running, arena, samples, &why) == PAWL_OK;
    if (!sampled) profiling->no_samples = pawl_arena_copy(arena, why.message);
    for (int i = 0; i < count; i++)
      say_seconds(profiling, "samples", &versions[i], &versions[i].sample_seconds);
  }
  profiling->running = NULL;
  for (int i = 0; i < count; i++) {
    if (sampled) versions[i].profile->samples = samples[i];
    if (profiling->no_samples) versions[i].profile->no_samples = profiling->no_samples;
  }
  if (profiling->drawn) pawl_problem_release(&profiling->problem);
  profiling->drawn = false;
}
