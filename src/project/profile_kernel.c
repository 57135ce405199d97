/* SPDX-License-Identifier: Apache-2.0 */
#include "project/profile_kernel.h"

#include "base/parallel.h"
#include "build/code_elf.h"
#include "profile/profiled_worker.h"
#include "profile/profiler.h"
#include "project/operators.h"

#define VERSIONS 2
/* Between rows, and beside the process of ncu, a process keeps its tensors on the GPU if they take
   at most this share of its memory. */
#define KEPT_SHARE 4

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
  bool loaded[VERSIONS]; /* into a process that had served another version or kernel */
};

static void profile_version(void *context, int64_t i) {
  struct profiled_calls *all = context;
  struct pawl_profiled_version *version = &all->versions[i];
  version->status = pawl_profile_call(version->kernel->spec->device, &all->calls[i],
                                      &all->arenas[i], version->profile, &version->why);
}

/* A plug-in that opens files, or finds libraries in folders of its own, would get those of the
   other version in its process, and a sandbox holds the files of one. */
static bool share_process(const struct pawl_profiled_version *versions, int count,
                          struct pawl_arena *arena) {
  for (int i = 0; i < count; i++) {
    const struct pawl_ready_kernel *kernel = versions[i].kernel;
    if (!kernel->build.plugin || kernel->build.opens_files ||
        kernel->worker.isolate == PAWL_ISOLATE_REQUIRED || kernel->spec->device != PAWL_CUDA ||
        pawl_elf_run_path(kernel->build.plugin, arena))
      return false;
  }
  return count == VERSIONS;
}

static void end_or_rest(struct pawl_profiling *profiling) {
  const struct pawl_problem *problem = &profiling->problem;
  if (problem->end - problem->first > (uint64_t)problem->oracle->gpu_bytes / KEPT_SHARE)
    pawl_profiled_process_end(&profiling->process);
  pawl_profiled_process_rest(&profiling->process);
}

/* A version that failed where another one had run before gets a process of its own. */
static void profile_alone(struct pawl_profiling *profiling, struct profiled_calls *all, int count) {
  for (int i = 0; i < count; i++) {
    struct pawl_profiled_version *version = &all->versions[i];
    all->calls[i].process = NULL;
    if (!all->loaded[i] || (version->status != PAWL_FAILED && version->status != PAWL_UNAVAILABLE))
      continue;
    pawl_profiled_process_end(&profiling->process);
    version->why = (struct pawl_error){0};
    profile_version(all, i);
  }
}

static void begin_samples(struct pawl_profiling *profiling, const struct profiled_calls *all) {
  struct pawl_profiled_call calls[VERSIONS];
  struct pawl_error why = {0};
  for (int i = 0; i < VERSIONS; i++) {
    calls[i] = all->calls[i];
    calls[i].seconds = &all->versions[i].sample_seconds;
    calls[i].loaded = NULL;
  }
  if (pawl_ncu_sample_begin(calls, calls[0].process, &profiling->project->arena,
                            &profiling->running, &why) != PAWL_OK)
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

void pawl_profiling_init(struct pawl_profiling *profiling, struct pawl_project *project) {
  *profiling = (struct pawl_profiling){.project = project};
}

void pawl_profiling_release(struct pawl_profiling *profiling) {
  pawl_profiled_process_end(&profiling->process);
}

static pawl_status make_calls(struct pawl_profiling *profiling, struct profiled_calls *all,
                              int count, const char *case_name, bool full, struct pawl_error *err) {
  struct pawl_profiled_version *versions = all->versions;
  profiling->no_samples = NULL;
  PAWL_TRY(draw_inputs(profiling, versions[count - 1].kernel->spec, case_name, err));
  const bool shared = share_process(versions, count, &profiling->project->arena);
  if (profiling->oracle != profiling->problem.oracle)
    pawl_profiled_process_end(&profiling->process);
  profiling->oracle = profiling->problem.oracle;
  for (int i = 0; i < count; i++) {
    PAWL_TRY(make_call(profiling, &versions[i], case_name, full, &all->calls[i], err));
    all->calls[i].seconds = &versions[i].seconds;
    if (!shared) continue;
    all->calls[i].process = &profiling->process;
    all->calls[i].loaded = &all->loaded[i];
  }
  return PAWL_OK;
}

void pawl_profile_begin(struct pawl_profiling *profiling, struct pawl_profiled_version *versions,
                        int count, const char *case_name, bool full, bool sampled) {
  const struct pawl_ready_kernel *last = versions[count - 1].kernel;
  const bool gpu = last->spec->device == PAWL_CUDA;
  struct profiled_calls all = {.versions = versions};
  struct pawl_error why = {0};
  PAWL_ASSERT(count <= VERSIONS);
  const enum pawl_status_code status = make_calls(profiling, &all, count, case_name, full, &why);
  for (int i = 0; i < count && status != PAWL_OK; i++) {
    versions[i].status = status;
    versions[i].why = why;
  }
  if (status != PAWL_OK) return;
  if (sampled && gpu && count == VERSIONS && last->build.plugin) begin_samples(profiling, &all);
  const bool side_by_side = gpu && !all.calls[0].process;
  pawl_parallel_for(side_by_side ? count : 1, count, profile_version, &all);
  end_or_rest(profiling);
  profile_alone(profiling, &all, count);
  for (int i = 0; i < count; i++) {
    pawl_arena_join(&profiling->project->arena, &all.arenas[i]);
    say_seconds(profiling, "counters", &versions[i], &versions[i].seconds);
  }
}

void pawl_profile_end(struct pawl_profiling *profiling, struct pawl_profiled_version *versions,
                      int count) {
  struct pawl_code_samples samples[VERSIONS];
  struct pawl_error why = {0};
  bool sampled = false;
  if (profiling->running) {
    struct pawl_arena *arena = &profiling->project->arena;
    const size_t launches[] = {versions[0].profile->count, versions[1].profile->count};
    const bool both = versions[0].status == PAWL_OK && versions[1].status == PAWL_OK;
    sampled = pawl_ncu_sample_end(profiling->running, both ? launches : NULL, arena, samples,
                                  &why) == PAWL_OK;
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
