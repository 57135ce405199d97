/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/reference_phase.h"

#include <string.h>

#include "loop/kept_reference.h"
#include "loop/reference_key.h"
#include "project/bench_kernels.h"
#include "project/operators.h"

/* A reference on a case. */
struct reference_unit {
  const struct pawl_ready_kernel *kernel;
  struct pawl_case config;
  const char *path; /* file of the kept result; NULL: pawl does not keep this one */
  bool kept;        /* the row comes from that file */
};

struct reference_phase {
  struct pawl_project *project;
  const struct pawl_run_options *options;
  const struct pawl_arm_pairs *pairs;
  const struct pawl_built *built;
  struct pawl_strings *notices;
  struct pawl_results *results;
  struct reference_unit *units;
  size_t count;
  /* By kind of device, why there is no canary; NULL: not tried, or measured. */
  const char *no_canary[PAWL_CUDA + 1];
  struct pawl_canary canary[PAWL_CUDA + 1]; /* median 0: not measured yet */
};

static bool is_reference(const struct pawl_ready_kernel *kernel) {
  return kernel->spec->reference && kernel->spec->operator_name;
}

/* A reference is timed on the cases that time a kernel of its operator. */
static bool is_accompanied(const struct reference_phase *phase,
                           const struct pawl_kernel_spec *reference, const char *case_name) {
  const struct pawl_suite *suite = &phase->project->suite;
  const struct pawl_selection *selection = &phase->options->selection;
  for (size_t i = 0; i < phase->built->count; i++) {
    const struct pawl_kernel_spec *spec = phase->built->kernels[i].spec;
    if (pawl_selection_accompanies(selection, suite, reference, spec) &&
        pawl_selection_has(selection, suite, spec->name, case_name) &&
        !pawl_arm_pairs_leave_out(phase->pairs, spec->name, case_name))
      return true;
  }
  return false;
}

static bool reference_phase_is_wanted(const struct reference_phase *phase,
                                      const struct pawl_ready_kernel *kernel) {
  const struct pawl_suite *suite = &phase->project->suite;
  if (phase->options->references == PAWL_REFERENCES_NONE || !is_reference(kernel)) return false;
  for (size_t i = 0; i < suite->case_count; i++) {
    const struct pawl_case *config = &suite->cases[i];
    if (config->operator_name && !strcmp(config->operator_name, kernel->spec->operator_name) &&
        is_accompanied(phase, kernel->spec, config->name))
      return true;
  }
  return false;
}

size_t pawl_reference_phase_count(struct pawl_project *project,
                                  const struct pawl_run_options *options,
                                  const struct pawl_arm_pairs *pairs,
                                  const struct pawl_built *built) {
  const struct reference_phase phase = {
      .project = project, .options = options, .pairs = pairs, .built = built};
  size_t count = 0;
  for (size_t i = 0; i < built->count; i++)
    count += reference_phase_is_wanted(&phase, &built->kernels[i]);
  return count;
}

/* Measures the canary on the reference's device once a run. NULL: there is none, so pawl keeps
   nothing. */
static const struct pawl_canary *find_canary(struct reference_phase *phase, int32_t device) {
  struct pawl_project *project = phase->project;
  struct pawl_canary *canary = &phase->canary[device];
  struct pawl_error why = {0};
  if (phase->no_canary[device]) return NULL;
  if (canary->median_ms > 0 || pawl_canary_measure(project, device, canary, &why) == PAWL_OK)
    return canary;
  phase->no_canary[device] = pawl_arena_copy(&project->arena, why.message);
  pawl_log_detail(project->options.log, "pawl keeps no results of references: %s",
                  phase->no_canary[device]);
  return NULL;
}

static struct pawl_result *append_row(struct reference_phase *phase) {
  struct pawl_results *results = phase->results;
  struct pawl_result *grown =
      pawl_arena_alloc(&phase->project->arena, results->count + 1, sizeof *grown);
  if (results->count) memcpy(grown, results->items, results->count * sizeof *grown);
  results->items = grown;
  return &grown[results->count++];
}

static void say_changed(struct reference_phase *phase, const struct reference_unit *unit,
                        const struct pawl_kept_reference *kept, const struct pawl_canary *now) {
  struct pawl_arena *arena = &phase->project->arena;
  pawl_strings_add(phase->notices, arena,
                   pawl_arena_printf(arena,
                                     "the machine changed, so pawl measured %s on %s anew: its "
                                     "canary took %.4g ms on %s and takes %.4g ms now",
                                     unit->kernel->spec->name, unit->config.name,
                                     kept->canary.median_ms, kept->row.timestamp, now->median_ms));
}

/* Takes the row of an earlier run if there is one and the canary finds the machine unchanged. */
static void take_kept(struct reference_phase *phase, struct reference_unit *unit) {
  struct pawl_project *project = phase->project;
  struct pawl_kept_reference kept;
  struct pawl_error why = {0};
  if (!unit->path || phase->options->references != PAWL_REFERENCES_KEPT) return;
  const struct pawl_seal_key *key = pawl_project_seal_key(project);
  const enum pawl_status_code status =
      pawl_kept_reference_read(unit->path, key, &project->arena, &kept, &why);
  if (status != PAWL_OK) {
    (status == PAWL_BAD_DATA ? pawl_log_warning : pawl_log_detail)(
        project->options.log, "pawl measures %s on %s: %s", unit->kernel->spec->name,
        unit->config.name, why.message);
    return;
  }
  const struct pawl_canary *now = find_canary(phase, unit->kernel->spec->device);
  if (now && pawl_canary_agrees(unit->kernel->spec->device, &kept.canary, now)) {
    pawl_kept_reference_apply(&kept, now);
    PAWL_ASSERT(!json_array_append(phase->results->document, kept.document));
    *append_row(phase) = kept.row;
    unit->kept = true;
  } else if (now) {
    say_changed(phase, unit, &kept, now);
  }
  json_decref(kept.document);
}

static const struct pawl_result *reference_phase_find_row(const struct reference_phase *phase,
                                                          const struct reference_unit *unit) {
  for (size_t i = 0; i < phase->results->count; i++) {
    const struct pawl_result *row = &phase->results->items[i];
    if (!strcmp(row->kernel_name, unit->kernel->spec->name) && row->config.name &&
        !strcmp(row->config.name, unit->config.name))
      return row;
  }
  return NULL;
}

/* Keeps the new result for the next run. */
static pawl_status keep(struct reference_phase *phase, const struct reference_unit *unit,
                        struct pawl_error *err) {
  const struct pawl_result *row = reference_phase_find_row(phase, unit);
  if (!unit->path || unit->kept || !row || row->outcome != PAWL_OUTCOME_OK) return PAWL_OK;
  const struct pawl_canary *canary = find_canary(phase, unit->kernel->spec->device);
  return canary ? pawl_kept_reference_write(unit->path, pawl_project_seal_key(phase->project), row,
                                            canary, err)
                : PAWL_OK;
}

static bool reference_phase_is_left_out(const void *context, const char *kernel,
                                        const char *case_name) {
  const struct reference_phase *phase = context;
  for (size_t i = 0; i < phase->count; i++) {
    const struct reference_unit *unit = &phase->units[i];
    if (!strcmp(unit->kernel->spec->name, kernel) && !strcmp(unit->config.name, case_name))
      return unit->kept;
  }
  return true;
}

static bool reference_phase_find_key(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel,
                                     struct pawl_hash *key) {
  const char *reason;
  if (kernel->outcome != PAWL_OUTCOME_OK) return false;
  if (pawl_reference_key(project, kernel, key, &reason)) return true;
  pawl_log_detail(project->options.log, "pawl does not keep the results of %s: %s",
                  kernel->spec->name, reason);
  return false;
}

static pawl_status find_units(struct reference_phase *phase, const struct pawl_ready_kernel *kernel,
                              struct pawl_error *err) {
  struct pawl_project *project = phase->project;
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  struct pawl_hash key;
  PAWL_TRY(pawl_project_oracle(project, kernel->spec->operator_name, &oracle, err));
  PAWL_TRY(pawl_operator_cases(&project->suite, &oracle->info, NULL, NULL, &project->arena, &cases,
                               &count, err));
  phase->units = pawl_arena_alloc(&project->arena, count + 1, sizeof *phase->units);
  phase->count = 0;
  const bool keep = reference_phase_find_key(project, kernel, &key);
  for (size_t i = 0; i < count; i++) {
    if (!is_accompanied(phase, kernel->spec, cases[i].name)) continue;
    phase->units[phase->count++] = (struct reference_unit){
        kernel, cases[i], keep ? pawl_kept_reference_path(project, kernel, key, &cases[i]) : NULL,
        false};
  }
  return PAWL_OK;
}

static pawl_status time_references(struct reference_phase *phase, struct pawl_error *err) {
  const struct pawl_bench_selection selection = {
      .warmup = -1, .skip = reference_phase_is_left_out, .context = phase};
  for (size_t i = 0; i < phase->built->count; i++) {
    const struct pawl_ready_kernel *kernel = &phase->built->kernels[i];
    if (!reference_phase_is_wanted(phase, kernel)) continue;
    PAWL_TRY(find_units(phase, kernel, err));
    for (size_t j = 0; j < phase->count; j++) take_kept(phase, &phase->units[j]);
    PAWL_TRY(pawl_bench_kernels(phase->project, kernel, 1, &selection, phase->results, err));
    for (size_t j = 0; j < phase->count; j++) PAWL_TRY(keep(phase, &phase->units[j], err));
  }
  return PAWL_OK;
}

void pawl_references_begin_ahead(struct pawl_project *project,
                                 const struct pawl_run_options *options,
                                 const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                 struct pawl_references_ahead *ahead) {
  const struct reference_phase phase = {
      .project = project, .options = options, .pairs = pairs, .built = built};
  if (pawl_kept_references_any(project)) return;
  for (size_t i = 0; i < built->count; i++) {
    const struct pawl_ready_kernel *kernel = &built->kernels[i];
    if (kernel->outcome != PAWL_OUTCOME_OK || !reference_phase_is_wanted(&phase, kernel)) continue;
    pawl_fork_servers_begin(&kernel->worker, true);
    pawl_canary_build_begin(project, kernel->spec->device, &ahead->canary[kernel->spec->device]);
  }
}

static void await_canaries(struct pawl_references_ahead *ahead) {
  for (int device = 0; device <= PAWL_CUDA; device++)
    pawl_build_thread_await(&ahead->canary[device]);
}

void pawl_references_await_ahead(struct pawl_references_ahead *ahead) { await_canaries(ahead); }

void pawl_references_release_ahead(struct pawl_references_ahead *ahead) { await_canaries(ahead); }

pawl_status pawl_reference_phase(struct pawl_project *project,
                                 const struct pawl_run_options *options,
                                 const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                 struct pawl_strings *notices, struct pawl_results *results,
                                 struct pawl_error *err) {
  struct reference_phase phase = {project, options, pairs, built, notices, results};
  return time_references(&phase, err);
}
