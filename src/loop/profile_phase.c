/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/profile_phase.h"

#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "loop/explanation.h"
#include "loop/line_times.h"
#include "project/profile_kernel.h"
#include "project/static_change.h"
#include "record/conclusion.h"

#define MILLI 1e-3

struct profiling {
  struct pawl_run_context *run;
  const struct pawl_arm_pairs *pairs;
  struct pawl_code_changes *code;
  const char *folder;
  const char *unavailable; /* why no GPU kernel has a profile; NULL: no known reason */
};

static bool profile_phase_is_wanted(const struct pawl_profile_spec *wanted,
                                    const struct pawl_ratchet_row *row) {
  const struct pawl_comparison *item = &row->comparison;
  if (!row->paired || row->paired->origin == PAWL_ORIGIN_INHERITED) return false;
  return (item->verdict == PAWL_VERDICT_REGRESSION && wanted->regression) ||
         (item->verdict == PAWL_VERDICT_IMPROVEMENT &&
          item->delta_pct > wanted->improvement_over * 100);
}

/* Finds the two arms of the row's verdict. */
static pawl_status find_pair(const struct profiling *phase, const struct pawl_ratchet_row *row,
                             struct pawl_arm_pair *out, struct pawl_error *err) {
  const struct pawl_paired_test *test = row->paired;
  *out = (struct pawl_arm_pair){0};
  for (size_t i = 0; i < phase->pairs->count; i++) {
    const struct pawl_arm_pair *pair = &phase->pairs->items[i];
    if (strcmp(pair->candidate->spec->name, test->kernel_name) != 0 ||
        strcmp(pair->config->name, test->case_name) != 0)
      continue;
    if (!strcmp(pair->anchor, test->anchor)) {
      *out = *pair;
      return PAWL_OK;
    }
    return pawl_arm_pair_against(phase->run, pair, test->anchor, test->anchor_kind, out, err);
  }
  return PAWL_OK;
}

/* Profiles both arms. PAWL_OK with a `missing` in the row: the row or its base has no profile. */
static pawl_status profile_arms(struct profiling *phase, const struct pawl_arm_pair *pair,
                                const char *folder, struct pawl_explanation *explanation,
                                struct pawl_report_profile *row) {
  struct pawl_project *project = phase->run->project;
  struct pawl_error why = {0};
  const char *base_folder = pawl_arena_printf(&project->arena, "%s/base", folder);
  pawl_log_progress(project->options.log, "profiling %s on %s", row->kernel_name, row->case_name);
  enum pawl_status_code status = pawl_profile_ready_kernel(
      project, pair->candidate, row->case_name, folder, false, &explanation->profile, &why);
  if (status != PAWL_OK) {
    row->missing = pawl_arena_copy(&project->arena, why.message);
    const bool machine = status == PAWL_UNAVAILABLE || status == PAWL_NOT_PERMITTED;
    if (machine && pair->candidate->spec->device == PAWL_CUDA) phase->unavailable = row->missing;
    return status;
  }
  status = pawl_profile_ready_kernel(project, &pair->base, row->case_name, base_folder, false,
                                     &explanation->base, &why);
  explanation->has_base = status == PAWL_OK;
  if (status != PAWL_OK)
    row->missing =
        pawl_arena_printf(&project->arena, "the base %.12s: %s", pair->anchor, why.message);
  return PAWL_OK;
}

/* Returns the first line of a text, in the arena. */
static const char *first_line(const struct pawl_text *text, struct pawl_arena *arena) {
  const char *string = pawl_text_string(text);
  return pawl_arena_printf(arena, "%.*s", (int)strcspn(string, "\n"), string);
}

/* Puts the explanation of the counters into the row and into files. */
static pawl_status explain(const struct profiling *phase, const struct pawl_slowdown *paired,
                           struct pawl_explanation *explanation, const char *folder,
                           struct pawl_report_profile *row, struct pawl_error *err) {
  struct pawl_arena *arena = &phase->run->project->arena;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_explanation_compare(explanation, arena);
  explanation->change.paired = *paired;
  pawl_explanation_text(explanation, &text);
  if (explanation->has_base) row->change = first_line(&text, arena);
  row->text = pawl_arena_copy(arena, pawl_text_string(&text));
  pawl_profile_limit(&explanation->profile, arena, &row->limit, &row->remedy);
  row->folder =
      pawl_arena_printf(arena, PAWL_RUN_PROFILES "/%s-%s", row->kernel_name, row->case_name);
  if (!row->missing) row->missing = explanation->profile.missing;
  return pawl_explanation_keep(explanation, folder, err);
}

/* Explains a profiled row. The samples are taken beside the profiles, and their rest comes beside
   the pictures and the line tables. */
static pawl_status explain_row(struct profiling *phase, const struct pawl_ratchet_row *judged,
                               const struct pawl_arm_pair *pair,
                               struct pawl_profile_sampling *sampling,
                               struct pawl_explanation *explanation, const char *folder,
                               struct pawl_report_profile *row, struct pawl_error *err) {
  const struct pawl_comparison *times = &judged->comparison;
  const struct pawl_build_diff *diff = NULL;
  const enum pawl_status_code status =
      explain(phase, &judged->paired->slowdown, explanation, folder, row, err);
  if (explanation->has_base && pair->candidate->build.plugin)
    diff = pawl_code_changes_find(phase->run, phase->code, pair);
  pawl_profile_sample_end(sampling);
  if (explanation->has_base && !pair->candidate->build.plugin)
    row->no_lines = "pawl builds no machine code of this kernel";
  else if (explanation->has_base)
    pawl_line_times(diff, explanation, times->baseline_ms * MILLI, times->current_ms * MILLI,
                    &phase->run->project->arena, row);
  return status;
}

/* Profiles both arms and explains the row. */
static pawl_status profile_pair(struct profiling *phase, const struct pawl_ratchet_row *judged,
                                const struct pawl_arm_pair *pair, const char *folder,
                                struct pawl_report_profile *row, struct pawl_error *err) {
  struct pawl_project *project = phase->run->project;
  struct pawl_explanation explanation = {0};
  const struct pawl_profiled_version base = {
      &pair->base, pawl_arena_printf(&project->arena, "%s/base", folder), &explanation.base};
  const struct pawl_profiled_version candidate = {pair->candidate, folder, &explanation.profile};
  struct pawl_profile_sampling sampling;
  pawl_profile_sample_begin(project, &base, &candidate, row->case_name, &sampling);
  const enum pawl_status_code status = profile_arms(phase, pair, folder, &explanation, row);
  if (status == PAWL_OK)
    return explain_row(phase, judged, pair, &sampling, &explanation, folder, row, err);
  pawl_profile_sample_end(&sampling);
  return PAWL_OK;
}

static pawl_status profile_row(struct profiling *phase, const struct pawl_ratchet_row *judged,
                               struct pawl_report_profile *row, struct pawl_error *err) {
  struct pawl_arena *arena = &phase->run->project->arena;
  struct pawl_arm_pair pair;
  row->base_s = row->candidate_s = NAN;
  row->kernel_name = judged->comparison.kernel_name;
  row->case_name = judged->comparison.config.name;
  PAWL_TRY(find_pair(phase, judged, &pair, err));
  if (!pair.paired) {
    row->missing = "the base of the comparison is not built";
    return PAWL_OK;
  }
  const char *folder =
      pawl_arena_printf(arena, "%s/%s-%s", phase->folder, row->kernel_name, row->case_name);
  const struct pawl_run_context *run = phase->run;
  if (pair.candidate->spec->device == PAWL_CUDA)
    row->missing = phase->unavailable ? phase->unavailable : run->project->devices.gpu_lost;
  if (pawl_budget_is_over()) row->missing = pawl_budget_cause();
  if (!row->missing) PAWL_TRY(profile_pair(phase, judged, &pair, folder, row, err));
  if (!row->change)
    row->change = pawl_static_change(&pair.base.build, &pair.candidate->build, arena);
  return PAWL_OK;
}

/* A command starts its own kernels, so the profiler would see the command. */
static bool is_call(const struct profiling *phase, const struct pawl_ratchet_row *row) {
  const struct pawl_kernel_spec *spec =
      pawl_suite_kernel(&phase->run->project->suite, row->comparison.kernel_name);
  return spec && spec->kind != PAWL_FROM_COMMAND;
}

static bool has_profile(const struct pawl_profiled *profiled, const char *kernel) {
  for (size_t i = 0; i < profiled->count; i++)
    if (!strcmp(profiled->items[i].kernel_name, kernel)) return true;
  return false;
}

static void note_left_out(const struct pawl_run_context *run, size_t left) {
  if (left == 0) return;
  pawl_strings_add(
      run->notices, &run->project->arena,
      pawl_arena_printf(&run->project->arena,
                        "%zu more kernel%s changed without a profile: 'max_kernels' of 'profile' "
                        "in pawl.yaml is %d",
                        left, left == 1 ? "" : "s", run->project->suite.profile.max_kernels));
}

pawl_status pawl_profile_phase(struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                               const struct pawl_ratchet_report *ratchet,
                               struct pawl_code_changes *code, const char *folder,
                               struct pawl_profiled *out, struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_profile_spec *wanted = &run->project->suite.profile;
  const struct pawl_run_report report = {.ratchet = ratchet};
  struct profiling phase = {.run = run, .pairs = pairs, .code = code};
  size_t count, left = 0;
  phase.folder = pawl_arena_printf(arena, "%s/" PAWL_RUN_PROFILES, folder);
  PAWL_TRY(pawl_remove_tree(phase.folder, err));
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(&report, &count);
  struct pawl_profiled profiled = {.items =
                                       pawl_arena_alloc(arena, count + 1, sizeof *profiled.items)};
  for (size_t i = 0; i < count; i++) {
    if (!profile_phase_is_wanted(wanted, rows[i]) || !is_call(&phase, rows[i])) continue;
    if (has_profile(&profiled, rows[i]->comparison.kernel_name))
      continue; /* the most changed case explains its kernel */
    pawl_shutdown_end(&run->project->shutdown);
    if (profiled.count < (size_t)wanted->max_kernels)
      PAWL_TRY(profile_row(&phase, rows[i], &profiled.items[profiled.count++], err));
    else
      left += wanted->max_kernels > 0;
  }
  note_left_out(run, left);
  *out = profiled;
  return PAWL_OK;
}
