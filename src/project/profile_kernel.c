/* SPDX-License-Identifier: Apache-2.0 */
#include "project/profile_kernel.h"

#include "profile/profiler.h"
#include "project/operators.h"

static pawl_status check_kind(const struct pawl_kernel_spec *spec, struct pawl_error *err) {
  if (spec->kind == PAWL_FROM_COMMAND)
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "cannot profile '%s': its command runs the kernel itself; run it under ncu or perf",
        spec->name);
  return PAWL_OK;
}

static pawl_status make_call(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                             const char *case_name, const char *folder, bool full,
                             struct pawl_profiled_call *out, struct pawl_error *err) {
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  PAWL_TRY(check_kind(kernel->spec, err));
  PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, case_name, NULL, &project->arena,
                               &cases, &count, err));
  if (!count)
    return pawl_fail(err, PAWL_USAGE, "the case '%s' is not of the operator '%s'", case_name,
                     oracle->info.name);
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_CLEANUP(pawl_free_pointer)
  char *real = pawl_path_real(folder); /* absolute, because the worker runs in the suite's folder */
  *out = (struct pawl_profiled_call){
      .worker = &kernel->worker,
      .listings = &project->listings,
      .oracle = oracle,
      .config = &cases[0],
      .threads = pawl_measure_threads(&project->suite.measure),
      .seed = PAWL_DEFAULT_SEED,
      .full = full,
      .warm = project->suite.measure.cache == PAWL_CACHE_WARM,
      .timeout_seconds = project->suite.profile.timeout_seconds,
      .path = pawl_arena_printf(&project->arena, "%s/%s-%s", real ? real : folder,
                                kernel->spec->name, case_name)};
  return PAWL_OK;
}

pawl_status pawl_profile_ready_kernel(struct pawl_project *project,
                                      const struct pawl_ready_kernel *kernel, const char *case_name,
                                      const char *folder, bool full, struct pawl_profile *out,
                                      struct pawl_error *err) {
  struct pawl_profiled_call call;
  PAWL_TRY(make_call(project, kernel, case_name, folder, full, &call, err));
  return pawl_profile_call(kernel->spec->device, &call, &project->arena, out, err);
}

void pawl_profile_sample_begin(struct pawl_project *project,
                               const struct pawl_profiled_version *base,
                               const struct pawl_profiled_version *candidate, const char *case_name,
                               struct pawl_profile_sampling *out) {
  struct pawl_profiled_call calls[2];
  struct pawl_error why = {0};
  enum pawl_status_code status = PAWL_OK;
  *out = (struct pawl_profile_sampling){.arena = &project->arena,
                                        .profiles = {base->profile, candidate->profile}};
  if (candidate->kernel->spec->device != PAWL_CUDA || !candidate->kernel->build.plugin) return;
  for (int i = 0; i < 2 && status == PAWL_OK; i++) {
    const struct pawl_profiled_version *version = i ? candidate : base;
    status =
        make_call(project, version->kernel, case_name, version->folder, false, &calls[i], &why);
  }
  if (status == PAWL_OK) status = pawl_ncu_sample_begin(calls, out->arena, &out->running, &why);
  if (status != PAWL_OK) out->reason = pawl_arena_copy(out->arena, why.message);
}

void pawl_profile_sample_end(struct pawl_profile_sampling *sampling) {
  struct pawl_code_samples samples[2];
  struct pawl_error why = {0};
  bool sampled = false;
  if (sampling->running) {
    sampled = pawl_ncu_sample_end(sampling->running, sampling->arena, samples, &why) == PAWL_OK;
    if (!sampled) sampling->reason = pawl_arena_copy(sampling->arena, why.message);
  }
  sampling->running = NULL;
  for (int i = 0; i < 2; i++) {
    if (sampled) sampling->profiles[i]->samples = samples[i];
    if (sampling->reason) sampling->profiles[i]->no_samples = sampling->reason;
  }
}
