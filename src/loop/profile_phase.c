/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/profile_phase.h"

#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
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
  struct pawl_profiling profiling;
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

/* Says in the row why an arm has no profile. Returns whether the candidate has one. */
static bool have_profiles(struct profiling *phase, const struct pawl_arm_pair *pair,
                          const struct pawl_profiled_version arms[2],
                          struct pawl_explanation *explanation, struct pawl_report_profile *row) {
  struct pawl_arena *arena = &phase->run->project->arena;
  const struct pawl_profiled_version *base = &arms[0], *candidate = &arms[1];
  explanation->has_base = base->status == PAWL_OK;
  if (candidate->status != PAWL_OK) {
    row->missing = pawl_arena_copy(arena, candidate->why.message);
    const bool machine =
        candidate->status == PAWL_UNAVAILABLE || candidate->status == PAWL_NOT_PERMITTED;
    if (machine && pair->candidate->spec->device == PAWL_CUDA) phase->unavailable = row->missing;
    return false;
  }
  if (!explanation->has_base)
    row->missing = pawl_arena_printf(arena, "the base %.12s: %s", pair->anchor, base->why.message);
  return true;
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

/* Gives times to the lines of the row. */
static void add_line_times(struct profiling *phase, const struct pawl_comparison *times,
                           const struct pawl_arm_pair *pair, const struct pawl_build_diff *diff,
                           const struct pawl_explanation *explanation,
                           struct pawl_report_profile *row) {
  if (!explanation->has_base) return;
  if (!pair->candidate->build.plugin)
    row->no_lines = "pawl builds no machine code of this kernel";
  else
    pawl_line_times(diff, explanation, times->baseline_ms * MILLI, times->current_ms * MILLI,
                    &phase->run->project->arena, row);
}

/* Profiles both arms and explains the row. The samples come beside the profiles, the pictures and
   the line tables. */
static pawl_status profile_pair(struct profiling *phase, const struct pawl_ratchet_row *judged,
                                const struct pawl_arm_pair *pair, const char *folder,
                                struct pawl_report_profile *row, struct pawl_error *err) {
  struct pawl_project *project = phase->run->project;
  const int64_t begin = pawl_clock_ns();
  struct pawl_explanation explanation = {0};
  struct pawl_profiled_version arms[] = {
      {.kernel = &pair->base,
       .name = "base",
       .folder = pawl_arena_printf(&project->arena, "%s/base", folder),
       .profile = &explanation.base},
      {.kernel = pair->candidate,
       .name = "candidate",
       .folder = folder,
       .profile = &explanation.profile}};
  const struct pawl_build_diff *diff = NULL;
  enum pawl_status_code status = PAWL_OK;
  int64_t from = begin;
  pawl_log_progress(project->options.log, "profiling %s on %s", row->kernel_name, row->case_name);
  pawl_profile_begin(&phase->profiling, arms, 2, row->case_name, false, true);
  const double counters = pawl_seconds_lap(&from);
  const bool profiled = have_profiles(phase, pair, arms, &explanation, row);
  if (profiled) status = explain(phase, &judged->paired->slowdown, &explanation, folder, row, err);
  const double pictures = pawl_seconds_lap(&from);
  if (explanation.has_base && profiled && pair->candidate->build.plugin)
    diff = pawl_code_changes_find(phase->run, phase->code, pair);
  const double lines = pawl_seconds_lap(&from);
  pawl_profile_end(&phase->profiling, arms, 2);
  const double samples = pawl_seconds_lap(&from);
  if (profiled) add_line_times(phase, &judged->comparison, pair, diff, &explanation, row);
  pawl_log_detail(project->options.log,
                  "%s on %s: the explanation took %.2f s: counters %.2f, report and pictures %.2f, "
                  "builds with source lines %.2f, the rest of the samples %.2f",
                  row->kernel_name, row->case_name, pawl_seconds_since(begin), counters, pictures,
                  lines, samples);
  return status;
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

static pawl_status profile_rows(struct profiling *phase, const struct pawl_ratchet_report *ratchet,
                                struct pawl_profiled *out, struct pawl_error *err) {
  const struct pawl_run_context *run = phase->run;
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_profile_spec *wanted = &run->project->suite.profile;
  const struct pawl_run_report report = {.ratchet = ratchet};
  size_t count, left = 0;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(&report, &count);
  struct pawl_profiled profiled = {.items =
                                       pawl_arena_alloc(arena, count + 1, sizeof *profiled.items)};
  for (size_t i = 0; i < count; i++) {
    if (!profile_phase_is_wanted(wanted, rows[i]) || !is_call(phase, rows[i])) continue;
    if (has_profile(&profiled, rows[i]->comparison.kernel_name))
      continue; /* the most changed case explains its kernel */
    pawl_shutdown_end(&run->project->shutdown);
    if (profiled.count < (size_t)wanted->max_kernels)
      PAWL_TRY(profile_row(phase, rows[i], &profiled.items[profiled.count++], err));
    else
      left += wanted->max_kernels > 0;
  }
  note_left_out(run, left);
  *out = profiled;
  return PAWL_OK;
}

pawl_status pawl_profile_phase(struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                               const struct pawl_ratchet_report *ratchet,
                               struct pawl_code_changes *code, const char *folder,
                               struct pawl_profiled *out, struct pawl_error *err) {
  struct profiling phase = {.run = run, .pairs = pairs, .code = code};
  phase.folder = pawl_arena_printf(&run->project->arena, "%s/" PAWL_RUN_PROFILES, folder);
  PAWL_TRY(pawl_remove_tree(phase.folder, err));
  pawl_profiling_init(&phase.profiling, run->project);
  const enum pawl_status_code status = profile_rows(&phase, ratchet, out, err);
  pawl_profiling_release(&phase.profiling);
  return status;
}
