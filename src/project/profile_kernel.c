/* SPDX-License-Identifier: Apache-2.0 */
#include "project/profile_kernel.h"

#include "base/parallel.h"
#include "build/code_elf.h"
#include "profile/profiled_worker.h"
#include "profile/profiler.h"
#include "project/operators.h"

#define VERSIONS 2
/* Between rows a process keeps its tensors on the GPU if they take at most this share of its
   memory. */
#define KEPT_SHARE 4

/* Versions that are profiled, and what waits for their samples. */
struct pawl_profiled_row {
  struct pawl_profiled_version *versions;
  int count;
  struct pawl_profiled_call calls[VERSIONS];
  struct pawl_arena arenas[VERSIONS]; /* a thread has its own */
  struct pawl_problem problem;        /* the inputs of all calls */
  bool drawn;
  bool sampled;           /* among the calls of the sampling */
  const char *no_samples; /* why there are none; NULL: no known reason */
};

static pawl_status check_kind(const struct pawl_kernel_spec *spec, struct pawl_error *err) {
  if (spec->kind == PAWL_FROM_COMMAND)
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "cannot profile '%s': its command runs the kernel itself; run it under ncu or perf",
        spec->name);
  return PAWL_OK;
}

/* The process has the tensors of one operator, and so has the sampling. */
static void use_oracle(struct pawl_profiling *profiling, const struct pawl_oracle *oracle) {
  if (profiling->oracle == oracle) return;
  pawl_profile_end(profiling);
  pawl_profiled_process_end(&profiling->process);
  profiling->oracle = oracle;
}

/* The inputs of the rows that wait lie one behind the other. Where there is no room for more, they
   wait no longer. */
static pawl_status open_problem(struct pawl_profiling *profiling, struct pawl_profiled_row *row,
                                struct pawl_oracle *oracle, const struct pawl_case *config,
                                struct pawl_error *err) {
  struct pawl_error full;
  if (profiling->count && pawl_problem_init(&row->problem, oracle, config, 1, &full) == PAWL_OK)
    return PAWL_OK;
  pawl_profile_end(profiling);
  return pawl_problem_init(&row->problem, oracle, config, 1, err);
}

/* Draws the inputs, once for all versions. */
static pawl_status draw_inputs(struct pawl_profiling *profiling, struct pawl_profiled_row *row,
                               const char *case_name, struct pawl_error *err) {
  const struct pawl_kernel_spec *spec = row->versions[row->count - 1].kernel->spec;
  struct pawl_project *project = profiling->project;
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(check_kind(spec, err));
  PAWL_TRY(pawl_project_oracle(project, spec->operator_name, &oracle, err));
  use_oracle(profiling, oracle);
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, case_name, NULL, &project->arena,
                               &cases, &count, err));
  if (!count)
    return pawl_fail(err, PAWL_USAGE, "the case '%s' is not of the operator '%s'", case_name,
                     oracle->info.name);
  PAWL_TRY(open_problem(profiling, row, oracle, &cases[0], err));
  row->drawn = true;
  return pawl_problem_fill(&row->problem, 0, oracle->info.distributions[0].name, PAWL_DEFAULT_SEED,
                           err);
}

static pawl_status make_call(struct pawl_project *project, struct pawl_profiled_row *row, int i,
                             const char *case_name, bool full, struct pawl_error *err) {
  struct pawl_profiled_version *version = &row->versions[i];
  PAWL_TRY(pawl_make_folders(version->folder, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *real =
      pawl_path_real(version->folder); /* absolute, because the worker runs in the suite's folder */
  row->calls[i] = (struct pawl_profiled_call){
      .worker = &version->kernel->worker,
      .listings = &project->listings,
      .problem = &row->problem,
      .seconds = &version->seconds,
      .threads = pawl_measure_threads(&project->suite.measure),
      .full = full,
      .warm = project->suite.measure.cache == PAWL_CACHE_WARM,
      .timeout_seconds = project->suite.profile.timeout_seconds,
      .path = pawl_arena_printf(&project->arena, "%s/%s-%s", real ? real : version->folder,
                                version->kernel->spec->name, case_name)};
  return PAWL_OK;
}

static void profile_version(void *context, int64_t i) {
  struct pawl_profiled_row *row = context;
  struct pawl_profiled_version *version = &row->versions[i];
  version->status = pawl_profile_call(version->kernel->spec->device, &row->calls[i],
                                      &row->arenas[i], version->profile, &version->why);
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

static void end_or_rest(struct pawl_profiling *profiling, const struct pawl_problem *problem) {
  const uint64_t bytes = problem->end - problem->first + profiling->process.workspace_bytes;
  if (bytes > (uint64_t)problem->oracle->gpu_bytes / KEPT_SHARE)
    pawl_profiled_process_end(&profiling->process);
  pawl_profiled_process_rest(&profiling->process);
}

static bool has_profiles(const struct pawl_profiled_row *row) {
  for (int i = 0; i < row->count; i++)
    if (row->versions[i].status != PAWL_OK) return false;
  return true;
}

/* Begins a sampling, or adds the row to the one that waits. */
static void sample_row(struct pawl_profiling *profiling, struct pawl_profiled_row *row,
                       bool together) {
  struct pawl_profiled_call calls[VERSIONS];
  struct pawl_error why = {0};
  for (int i = 0; i < VERSIONS; i++) {
    calls[i] = row->calls[i];
    calls[i].seconds = &row->versions[i].sample_seconds;
  }
  row->sampled = true;
  profiling->together = together;
  if (profiling->running) {
    pawl_ncu_sample_add(profiling->running, calls);
  } else if (pawl_ncu_sample_begin(calls, together, &profiling->project->arena, &profiling->running,
                                   &why) != PAWL_OK) {
    row->no_samples = pawl_arena_copy(&profiling->project->arena, why.message);
    row->sampled = false;
  }
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
  pawl_profile_end(profiling);
  pawl_profiled_process_end(&profiling->process);
}

static pawl_status make_calls(struct pawl_profiling *profiling, struct pawl_profiled_row *row,
                              const char *case_name, bool full, struct pawl_error *err) {
  const bool shared = share_process(row->versions, row->count, &profiling->project->arena);
  if (profiling->running && shared != profiling->together) pawl_profile_end(profiling);
  PAWL_TRY(draw_inputs(profiling, row, case_name, err));
  for (int i = 0; i < row->count; i++) {
    PAWL_TRY(make_call(profiling->project, row, i, case_name, full, err));
    if (shared) row->calls[i].process = &profiling->process;
  }
  return PAWL_OK;
}

static struct pawl_profiled_row *add_row(struct pawl_profiling *profiling,
                                         struct pawl_profiled_version *versions, int count) {
  struct pawl_profiled_row *row = pawl_arena_alloc(&profiling->project->arena, 1, sizeof *row);
  if (profiling->count == PAWL_SAMPLED_ROWS) pawl_profile_end(profiling);
  row->versions = versions;
  row->count = count;
  return row;
}

/* A sampling that waits takes further rows when they have their profiles. The first row of one
   begins it before that, so that both start side by side. */
static void profile_row(struct pawl_profiling *profiling, struct pawl_profiled_row *row,
                        bool sampled) {
  const bool gpu = row->versions[row->count - 1].kernel->spec->device == PAWL_CUDA,
             together = row->calls[0].process, first = !profiling->running;
  if (sampled && first) sample_row(profiling, row, together);
  pawl_parallel_for(gpu && !together ? row->count : 1, row->count, profile_version, row);
  end_or_rest(profiling, &row->problem);
  for (int i = 0; i < row->count; i++) {
    pawl_arena_join(&profiling->project->arena, &row->arenas[i]);
    say_seconds(profiling, "counters", &row->versions[i], &row->versions[i].seconds);
  }
  if (sampled && !first && has_profiles(row)) sample_row(profiling, row, together);
  /* without the profiles nobody knows which samples are its */
  if (row->sampled && !has_profiles(row)) pawl_profile_end(profiling);
}

void pawl_profile_begin(struct pawl_profiling *profiling, struct pawl_profiled_version *versions,
                        int count, const char *case_name, bool full, bool sampled) {
  const struct pawl_ready_kernel *last = versions[count - 1].kernel;
  struct pawl_error why = {0};
  PAWL_ASSERT(count <= VERSIONS);
  struct pawl_profiled_row *row = add_row(profiling, versions, count);
  const enum pawl_status_code status = make_calls(profiling, row, case_name, full, &why);
  profiling->rows[profiling->count++] = row;
  for (int i = 0; i < count && status != PAWL_OK; i++) {
    versions[i].status = status;
    versions[i].why = why;
  }
  if (status != PAWL_OK) return;
  sampled = sampled && last->spec->device == PAWL_CUDA && count == VERSIONS && last->build.plugin;
  profile_row(profiling, row, sampled);
}

void pawl_profile_sample(struct pawl_profiling *profiling) {
  if (profiling->running) pawl_ncu_sample_go(profiling->running);
  pawl_profiled_process_end(&profiling->process);
}

/* Reads the samples of the rows that have some. */
static void end_samples(struct pawl_profiling *profiling) {
  struct pawl_code_samples samples[VERSIONS * PAWL_SAMPLED_ROWS];
  size_t launches[VERSIONS * PAWL_SAMPLED_ROWS], calls = 0;
  struct pawl_arena *arena = &profiling->project->arena;
  struct pawl_error why = {0};
  bool all = true;
  for (size_t i = 0; i < profiling->count; i++) {
    const struct pawl_profiled_row *row = profiling->rows[i];
    for (int v = 0; v < VERSIONS && row->sampled; v++)
      launches[calls++] = row->versions[v].profile->count;
    all = all && (!row->sampled || has_profiles(row));
  }
  const bool read = pawl_ncu_sample_end(profiling->running, all ? launches : NULL, arena, samples,
                                        &why) == PAWL_OK;
  profiling->running = NULL;
  calls = 0;
  for (size_t i = 0; i < profiling->count; i++) {
    struct pawl_profiled_row *row = profiling->rows[i];
    if (row->sampled && !read) row->no_samples = pawl_arena_copy(arena, why.message);
    for (int v = 0; v < VERSIONS && row->sampled; v++, calls++) {
      if (read) row->versions[v].profile->samples = samples[calls];
      say_seconds(profiling, "samples", &row->versions[v], &row->versions[v].sample_seconds);
    }
  }
}

void pawl_profile_end(struct pawl_profiling *profiling) {
  if (profiling->running) end_samples(profiling);
  while (profiling->count) {
    struct pawl_profiled_row *row = profiling->rows[--profiling->count];
    for (int v = 0; v < row->count && row->no_samples; v++)
      row->versions[v].profile->no_samples = row->no_samples;
    if (row->drawn) pawl_problem_release(&row->problem);
  }
}
