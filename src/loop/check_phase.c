/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/check_phase.h"

#include <string.h>

#include "base/budget.h"
#include "check/failure.h"
#include "loop/passed_check.h"
#include "loop/shape_base.h"
#include "project/check_kernel.h"
#include "project/operators.h"

/* The first wrong row, else the first row that failed otherwise; NULL: no row failed. */
static const struct pawl_check_row *check_phase_first_failure(
    const struct pawl_check_report *report) {
  const struct pawl_check_row *crashed = NULL;
  for (size_t i = 0; i < report->count; i++) {
    if (report->rows[i].outcome == PAWL_OUTCOME_WRONG) return &report->rows[i];
    if (pawl_check_row_failed(&report->rows[i]) && !crashed) crashed = &report->rows[i];
  }
  return crashed;
}

/* The reason names the shape, because the check has shapes that no case has. */
static const char *check_phase_reason_of(const struct pawl_check_row *row,
                                         struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  pawl_case_key(&row->config, &shape);
  return pawl_arena_printf(arena, "row %zu of the check (%s, %s): %s", row->number,
                           pawl_text_string(&shape), row->distribution, row->reason);
}

/* If every case has the machine code of its baseline, pawl times none. */
static bool is_unchanged(const struct pawl_suite *suite, const struct pawl_selection *selection,
                         const struct pawl_arm_pairs *pairs, const struct pawl_kernel_spec *spec) {
  size_t cases = 0, identical = 0;
  for (size_t i = 0; i < suite->case_count; i++) {
    const struct pawl_case *config = &suite->cases[i];
    if (!config->operator_name || strcmp(config->operator_name, spec->operator_name) != 0) continue;
    if (!pawl_selection_has(selection, suite, spec->name, config->name)) continue;
    cases++;
    identical += pawl_arm_pairs_leave_out(pairs, spec->name, config->name);
  }
  return cases && cases == identical;
}

/* References are not under test, and every measurement compares their results anyway. */
static bool has_check(const struct pawl_ready_kernel *kernel) {
  const struct pawl_kernel_spec *spec = kernel->spec;
  return kernel->outcome == PAWL_OUTCOME_OK && spec->operator_name && !spec->reference;
}

struct checking {
  const struct pawl_run_context *run;
  const struct pawl_arm_pairs *pairs;
  struct pawl_early_pairs *early;
  struct pawl_ready_kernel *kernel;
  struct pawl_shape_base base;
  struct pawl_checked *checked;
};

/* Early pairs start after the kernel's own process, which must be the first to ask for a
   context. */
static void launch_early(void *context) {
  const struct checking *checking = context;
  pawl_early_pairs_launch(checking->early, checking->kernel);
}

static void fill_early(void *context) {
  const struct checking *checking = context;
  pawl_early_pairs_fill(checking->early, checking->kernel);
}

static const struct pawl_worker_options *find_base(void *context) {
  struct checking *checking = context;
  const struct pawl_ready_kernel *base = pawl_shape_base_find(&checking->base);
  return base ? &base->worker : NULL;
}

/* A failure may come from other processes' GPU memory, so pawl repeats that check alone. */
static pawl_status check_whole(struct checking *checking, struct pawl_check_report *report,
                               struct pawl_error *err) {
  struct pawl_project *project = checking->run->project;
  struct pawl_early_pairs *early = checking->early;
  const struct pawl_ready_kernel *kernel = checking->kernel;
  const bool is_early = early->pair && early->pair->candidate == kernel;
  struct pawl_check_selection whole = {.check = {.seed = PAWL_DEFAULT_SEED,
                                                 .reduced = checking->run->options->reduced,
                                                 .says_wrong = true,
                                                 .launched = launch_early,
                                                 .waits = fill_early,
                                                 .base = find_base,
                                                 .context = checking,
                                                 .shutdown = is_early ? &project->shutdown : NULL}};
  PAWL_TRY(pawl_shape_base_promised(&checking->base, &whole.check.promised, err));
  const enum pawl_status_code status =
      pawl_check_ready_kernel(project, kernel, &whole, report, err);
  if (!early->waiting.count)
    pawl_shutdown_end(&project->shutdown); /* no pair waits, and their processes must end too */
  if (status == PAWL_OK && (report->total.passed || report->left_out)) return PAWL_OK;
  const struct pawl_check_row *failure =
      status == PAWL_OK ? check_phase_first_failure(report) : NULL;
  const bool own = failure && (failure->outcome == PAWL_OUTCOME_WRONG ||
                               failure->outcome == PAWL_OUTCOME_DROPPED);
  if (!pawl_early_pairs_end(early) || own) return status;
  pawl_log_detail(project->options.log,
                  "%s failed beside waiting processes: pawl checks it again alone",
                  kernel->spec->name);
  whole.check.shutdown = NULL;
  return pawl_check_ready_kernel(project, kernel, &whole, report, err);
}

/* Prints the failure before the next check. A wrong row has printed its own. */
static void say_failure(const struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                        const struct pawl_check_report *report,
                        const struct pawl_check_row *failure) {
  if (failure && failure->outcome != PAWL_OUTCOME_WRONG)
    pawl_check_row_say(project->options.log, kernel->spec->name, failure, report->reduced);
}

static void note_unjudged(const struct checking *checking, const struct pawl_check_report *report) {
  struct pawl_arena *arena = &checking->run->project->arena;
  if (report->unjudged)
    pawl_strings_add(
        checking->run->notices, arena,
        pawl_arena_printf(arena,
                          "nothing judges %zu of %zu checks of %s, because the base refuses their "
                          "shapes: read those outputs",
                          report->unjudged, report->count, checking->kernel->spec->name));
}

static void note_unasked(const struct checking *checking, const struct pawl_check_report *report) {
  struct pawl_arena *arena = &checking->run->project->arena;
  if (report->unasked)
    pawl_strings_add(
        checking->run->notices, arena,
        pawl_arena_printf(arena, "pawl did not ask the base for all shapes that %s refuses: %s",
                          checking->kernel->spec->name, report->unasked));
}

/* Each line once for an operator, however many kernels it has. */
static pawl_status note_precision(const struct checking *checking,
                                  const struct pawl_check_report *report, struct pawl_error *err) {
  struct pawl_project *project = checking->run->project;
  struct pawl_strings *notices = checking->run->notices, lines = {0};
  const struct pawl_kernel_spec *spec = checking->kernel->spec;
  PAWL_TRY(pawl_oracle_precision(project, spec, report, &lines, err));
  for (size_t i = 0; i < lines.count; i++) {
    const char *line =
        pawl_arena_printf(&project->arena, "%s: %s", spec->operator_name, lines.items[i]);
    if (pawl_name_index(notices->items, (int)notices->count, line) < 0)
      pawl_strings_add(notices, &project->arena, line);
  }
  return PAWL_OK;
}

/* "21 shapes that the base takes are refused: row 3 (m=17,dtype=f32)" */
static const char *dropped_reason(const struct pawl_check_report *report,
                                  struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  const struct pawl_check_row *first;
  const size_t count = pawl_check_dropped(report, &first);
  pawl_case_key(&first->config, &shape);
  return pawl_arena_printf(
      arena, "%zu %s refused: row %zu (%s)", count,
      count == 1 ? "shape that the base takes is" : "shapes that the base takes are", first->number,
      pawl_text_string(&shape));
}

/* The kernel has the outcome of its check. */
static void check_phase_outcome(const struct checking *checking,
                                const struct pawl_check_report *report,
                                const struct pawl_check_row *failure) {
  struct pawl_arena *arena = &checking->run->project->arena;
  struct pawl_ready_kernel *kernel = checking->kernel;
  if (!failure && report->left_out) {
    pawl_kernel_leave(kernel,
                      pawl_arena_printf(arena, "%s after %zu of %zu checks", pawl_budget_words(),
                                        report->count, report->count + report->left_out));
    return;
  }
  kernel->outcome = failure ? failure->outcome : PAWL_OUTCOME_UNSUPPORTED;
  kernel->reason =
      !failure ? report->unjudged ? "no check was possible: the base refuses each of the shapes"
                                  : "no check was possible: it supports none of the shapes"
      : failure->outcome == PAWL_OUTCOME_DROPPED ? dropped_reason(report, arena)
                                                 : check_phase_reason_of(failure, arena);
}

static pawl_status check(struct checking *checking, struct pawl_error *err) {
  struct pawl_project *project = checking->run->project;
  struct pawl_ready_kernel *kernel = checking->kernel;
  struct pawl_checked *checked = checking->checked;
  struct pawl_check_report *report = pawl_arena_alloc(&project->arena, 1, sizeof *report);
  const enum pawl_status_code status = check_whole(checking, report, err);
  const struct pawl_check_row *failure =
      status == PAWL_OK ? check_phase_first_failure(report) : NULL;
  const bool suspect =
      status == PAWL_UNAVAILABLE || (failure && failure->outcome != PAWL_OUTCOME_WRONG &&
                                     failure->outcome != PAWL_OUTCOME_DROPPED);
  if (suspect && pawl_devices_lost(&project->devices, kernel->spec->device) &&
      pawl_kernel_is_lost(kernel, &project->devices))
    return PAWL_OK;
  if (pawl_kernel_cannot_start(kernel, status, err, &project->arena)) return PAWL_OK;
  if (status != PAWL_OK) return status;
  checked->reports[checked->count++] = (struct pawl_report_check){kernel->spec->name, report};
  note_unasked(checking, report);
  note_unjudged(checking, report);
  PAWL_TRY(note_precision(checking, report, err));
  if (report->total.passed) return PAWL_OK;
  say_failure(project, kernel, report, failure);
  check_phase_outcome(checking, report, failure);
  return PAWL_OK;
}

/* Returns whether the base of the shapes is other code than the kernel, which may take other
 * shapes. */
static bool has_other_base(struct checking *checking) {
  const struct pawl_ready_kernel *base = pawl_shape_base_find(&checking->base);
  return base && !pawl_same_machine_code(base, checking->kernel);
}

/* Returns whether the base of a program, which differs from it in comments alone, passed the same
   check. Its own operator judged it, so the operator of this check must be the same. */
static bool base_has_passed(const struct checking *checking) {
  struct pawl_project *project = checking->run->project, *judge = project->operators.tree, *tree;
  const struct pawl_ready_kernel *kernel = checking->kernel;
  const struct pawl_arm_pairs *pairs = checking->pairs;
  const struct pawl_arm_pair *pair = NULL;
  struct pawl_oracle *oracle;
  struct pawl_check_key key;
  struct pawl_error ignored = {0};
  for (size_t i = 0; i < pairs->count && !pair; i++)
    if (pairs->items[i].candidate == kernel) pair = &pairs->items[i];
  if (!kernel->program.interpreter || !pair || !pair->paired) return false;
  if (pawl_change_base_tree(project, pair->anchor, &tree, &ignored) != PAWL_OK ||
      !pawl_program_files_same(tree, judge ? judge : project, kernel->program.interpreter) ||
      pawl_project_oracle(project, kernel->spec->operator_name, &oracle, &ignored) != PAWL_OK ||
      oracle->by_base)
    return false;
  return pawl_check_key(tree, &pair->base, checking->run->options->reduced, &key, &ignored) ==
             PAWL_OK &&
         pawl_check_has_passed(project, &key);
}

/* Checks the kernel, unless its code is the baseline's and the same check has passed before. */
static pawl_status check_or_believe(struct checking *checking, struct pawl_error *err) {
  struct pawl_project *project = checking->run->project;
  const struct pawl_run_options *options = checking->run->options;
  struct pawl_ready_kernel *kernel = checking->kernel;
  struct pawl_check_key key;
  PAWL_TRY(pawl_check_key(project, kernel, options->reduced, &key, err));
  if (is_unchanged(&project->suite, &options->selection, checking->pairs, kernel->spec) &&
      (pawl_check_has_passed(project, &key) || base_has_passed(checking)) &&
      !has_other_base(checking)) {
    pawl_log_detail(project->options.log, "%s passed this check in an earlier run",
                    kernel->spec->name);
    return PAWL_OK;
  }
  if (pawl_kernel_is_lost(kernel, &project->devices)) return PAWL_OK;
  const size_t before = checking->checked->count;
  PAWL_TRY(check(checking, err));
  const bool checked = checking->checked->count > before && kernel->outcome == PAWL_OUTCOME_OK;
  /* a check with rows that nothing judges would lose its notice */
  if (checked && !checking->checked->reports[before].report->unjudged)
    pawl_check_keep_passed(project, &key);
  return PAWL_OK;
}

pawl_status pawl_check_phase(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                             struct pawl_early_pairs *early, struct pawl_built *built,
                             struct pawl_checked *out, struct pawl_error *err) {
  struct pawl_checked checked = {
      pawl_arena_alloc(&run->project->arena, built->count, sizeof *checked.reports), 0};
  for (size_t i = 0; i < built->count; i++) {
    struct pawl_ready_kernel *kernel = &built->kernels[i];
    struct checking checking = {run, pairs, early, kernel, {run, pairs, kernel}, &checked};
    if (!has_check(kernel)) continue;
    const enum pawl_status_code status = check_or_believe(&checking, err);
    pawl_shape_base_release(&checking.base);
    if (pawl_budget_ended(status))
      pawl_kernel_leave(kernel, pawl_budget_words());
    else if (status != PAWL_OK)
      return status;
  }
  *out = checked;
  return PAWL_OK;
}
