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

/* A row, from its profiles to the times of its lines. */
struct explained {
  const struct pawl_ratchet_row *judged;
  struct pawl_arm_pair pair;
  struct pawl_report_profile *row;
  struct pawl_profiled_version arms[2];
  struct pawl_explanation explanation;
  const char *folder;
  const struct pawl_build_diff *diff;
  bool profiled;
};

static struct explained *profile_pair(struct profiling *phase,
                                      const struct pawl_ratchet_row *judged,
                                      const struct pawl_arm_pair *pair,
                                      struct pawl_report_profile *row) {
  struct pawl_project *project = phase->run->project;
  struct pawl_arena *arena = &project->arena;
  struct explained *out = pawl_arena_alloc(arena, 1, sizeof *out);
  *out = (struct explained){.judged = judged, .pair = *pair, .row = row};
  out->folder =
      pawl_arena_printf(arena, "%s/%s-%s", phase->folder, row->kernel_name, row->case_name);
  out->arms[0] =
      (struct pawl_profiled_version){.kernel = &out->pair.base,
                                     .name = "base",
                                     .folder = pawl_arena_printf(arena, "%s/base", out->folder),
                                     .profile = &out->explanation.base};
  out->arms[1] = (struct pawl_profiled_version){.kernel = pair->candidate,
                                                .name = "candidate",
                                                .folder = out->folder,
                                                .profile = &out->explanation.profile};
  const int64_t begin = pawl_clock_ns();
  pawl_log_progress(project->options.log, "profiling %s on %s", row->kernel_name, row->case_name);
  pawl_profile_begin(&phase->profiling, out->arms, 2, row->case_name, false, true);
  out->profiled = have_profiles(phase, pair, out->arms, &out->explanation, row);
  pawl_log_detail(project->options.log, "%s on %s: the counters took %.2f s", row->kernel_name,
                  row->case_name, pawl_seconds_since(begin));
  return out;
}

/* Writes the report and the pictures, and finds how the code differs. */
static pawl_status explain_row(struct profiling *phase, struct explained *one,
                               struct pawl_error *err) {
  const struct pawl_run_context *run = phase->run;
  const int64_t begin = pawl_clock_ns();
  if (one->profiled)
    PAWL_TRY(explain(phase, &one->judged->paired->slowdown, &one->explanation, one->folder,
                     one->row, err));
  const double pictures = pawl_seconds_since(begin);
  if (one->explanation.has_base && one->profiled && one->pair.candidate->build.plugin)
    one->diff = pawl_code_changes_find(run, phase->code, &one->pair);
  pawl_log_detail(run->project->options.log,
                  "%s on %s: report and pictures took %.2f s, builds with source lines %.2f s",
                  one->row->kernel_name, one->row->case_name, pictures,
                  pawl_seconds_since(begin) - pictures);
  return PAWL_OK;
}

/* Without counters of both versions, the change is what the compiler says. */
static void say_static_change(const struct profiling *phase, const struct pawl_arm_pair *pair,
                              struct pawl_report_profile *row) {
  if (!row->change)
    row->change =
        pawl_static_change(&pair->base.build, &pair->candidate->build, &phase->run->project->arena);
}

/* Returns the profiles of the row, or NULL: the row says why it has none. */
static pawl_status profile_row(struct profiling *phase, const struct pawl_ratchet_row *judged,
                               struct pawl_report_profile *row, struct explained **out,
                               struct pawl_error *err) {
  const struct pawl_run_context *run = phase->run;
  struct pawl_arm_pair pair;
  *out = NULL;
  row->base_s = row->candidate_s = NAN;
  row->kernel_name = judged->comparison.kernel_name;
  row->case_name = judged->comparison.config.name;
  PAWL_TRY(find_pair(phase, judged, &pair, err));
  if (!pair.paired) {
    row->missing = "the base of the comparison is not built";
    return PAWL_OK;
  }
  if (pair.candidate->spec->device == PAWL_CUDA)
    row->missing = phase->unavailable ? phase->unavailable : run->project->devices.gpu_lost;
  if (pawl_budget_is_over()) row->missing = pawl_budget_cause();
  if (row->missing)
    say_static_change(phase, &pair, row);
  else
    *out = profile_pair(phase, judged, &pair, row);
  return PAWL_OK;
}

/* Explains all rows while ncu samples, and then gives times to their lines. */
static pawl_status explain_rows(struct profiling *phase, struct explained *const *rows,
                                size_t count, struct pawl_error *err) {
  pawl_profile_sample(&phase->profiling);
  for (size_t i = 0; i < count; i++) PAWL_TRY(explain_row(phase, rows[i], err));
  const int64_t begin = pawl_clock_ns();
  pawl_profile_end(&phase->profiling);
  if (count)
    pawl_log_detail(phase->run->project->options.log, "the rest of the samples took %.2f s",
                    pawl_seconds_since(begin));
  for (size_t i = 0; i < count; i++) {
    if (rows[i]->profiled)
      add_line_times(phase, &rows[i]->judged->comparison, &rows[i]->pair, rows[i]->diff,
                     &rows[i]->explanation, rows[i]->row);
    say_static_change(phase, &rows[i]->pair, rows[i]->row);
  }
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
  struct explained **open = pawl_arena_alloc(arena, count + 1, sizeof(struct explained *));
  size_t open_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (!profile_phase_is_wanted(wanted, rows[i]) || !is_call(phase, rows[i])) continue;
    if (has_profile(&profiled, rows[i]->comparison.kernel_name))
      continue; /* the most changed case explains its kernel */
    pawl_shutdown_end(&run->project->shutdown);
    if (profiled.count == (size_t)wanted->max_kernels) {
      left += wanted->max_kernels > 0;
      continue;
    }
    PAWL_TRY(
        profile_row(phase, rows[i], &profiled.items[profiled.count++], &open[open_count], err));
    open_count += open[open_count] != NULL;
  }
  note_left_out(run, left);
  PAWL_TRY(explain_rows(phase, open, open_count, err));
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
