/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/next_step.h"

#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "build/words.h"
#include "check/failure.h"
#include "record/conclusion.h"

/* Returns the path for the user's shell. It is relative only if the shell is in the suite's folder,
   because -C may name another folder. */
static const char *baseline_path(const struct pawl_paths *paths) {
  const char *shell = getenv("PWD");
  const bool beside = shell && !strcmp(shell, paths->folder);
  return beside ? PAWL_BASELINE_PATH : pawl_suite_path(paths, PAWL_BASELINE_PATH);
}

/* Quotes a case for the shell: a benchmark's name may have blanks and quotes. */
static const char *shell_word(struct pawl_arena *arena, const char *name) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0}, word = {0};
  pawl_clean_text(name ? name : "", false, &clean);
  pawl_shell_quote(pawl_text_string(&clean), &word);
  return pawl_arena_copy(arena, pawl_text_string(&word));
}

/* Returns the command that checks the first failed row again. */
static const char *repeat_check(struct pawl_arena *arena, const struct pawl_run_report *report) {
  for (size_t i = 0; i < report->check_count; i++) {
    const struct pawl_check_report *check = report->checks[i].report;
    for (size_t row = 0; row < check->count; row++)
      if (pawl_check_row_failed(&check->rows[row]))
        return pawl_arena_printf(arena, "pawl check %s%s --row %zu repeats the first failure",
                                 report->checks[i].kernel_name, check->reduced ? " --reduced" : "",
                                 check->rows[row].number);
  }
  return NULL;
}

/* Returns how to accept the loss, if the base's policy allows it. */
static const char *accept_it(const struct pawl_run_context *run,
                             const struct pawl_ratchet_row *row) {
  struct pawl_project *project = run->project;
  const bool here =
      run->change_base.on_main || project->suite.gate.accept == PAWL_ACCEPT_PULL_REQUEST;
  if (!row->entry || !here || project->git.dirty) return "";
  return pawl_arena_printf(
      &project->arena,
      "; if the loss is worth it, pawl baseline accept %s --case %s --reason TEXT, then commit %s",
      row->comparison.kernel_name, shell_word(&project->arena, row->comparison.config.name),
      baseline_path(&project->paths));
}

/* The baseline keeps the old time if --update-baseline is absent or could not move it. */
static const char *keep_gain(const struct pawl_run_context *run) {
  struct pawl_project *project = run->project;
  if (run->options->update_baseline) return NULL;
  const char *commit = project->git.dirty ? "commit the change, then " : "";
  if (run->change_base.main_branch && !run->change_base.on_main)
    return pawl_arena_printf(
        &project->arena,
        "%spawl run --update-baseline on '%s' after the merge keeps the gain in the baseline",
        commit, run->change_base.main_branch);
  return pawl_arena_printf(&project->arena,
                           "%spawl run --update-baseline keeps the gain in the baseline", commit);
}

/* Returns the command that repeats the verdict's first and worst row, or shows more of it. */
static const char *next_step_repeat(const struct pawl_run_context *run,
                                    const struct pawl_run_report *report,
                                    enum pawl_conclusion conclusion) {
  const struct pawl_suite *suite = &run->project->suite;
  struct pawl_arena *arena = &run->project->arena;
  size_t count;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  if (count == 0) return NULL;
  const char *kernel = rows[0]->comparison.kernel_name;
  const char *case_name = shell_word(arena, rows[0]->comparison.config.name);
  if (conclusion == PAWL_CONCLUSION_MISSING)
    return kernel ? pawl_arena_printf(
                        arena, "if it left the suite on purpose, pawl baseline remove %s --case %s",
                        shell_word(arena, kernel), case_name)
                  : NULL;
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(suite, kernel);
  if (!spec) return NULL;
  const bool here = run->change_base.on_main || suite->gate.accept == PAWL_ACCEPT_PULL_REQUEST;
  if (conclusion == PAWL_CONCLUSION_DROPPED)
    return pawl_arena_printf(
        arena, "take the shapes again; to drop them on purpose, remove them from %s%s", suite->path,
        here ? "" : " first, in a change of its own");
  if (conclusion == PAWL_CONCLUSION_BUILD_FAILED)
    return pawl_arena_printf(arena, "pawl build %s shows all errors of the compiler", kernel);
  /* a kernel that is wrong, crashes or hangs, in the check or later */
  if (conclusion <= PAWL_CONCLUSION_BROKEN) {
    const char *check = repeat_check(arena, report);
    if (check) return check;
    if (!spec->operator_name)
      return pawl_arena_printf(arena, "pawl bench %s repeats the failure", kernel);
    return pawl_arena_printf(arena, "pawl bench %s --case %s repeats the failure", kernel,
                             case_name);
  }
  if (conclusion == PAWL_CONCLUSION_IMPROVEMENT) return keep_gain(run);
  if (conclusion != PAWL_CONCLUSION_REGRESSION) return NULL;
  const struct pawl_paired_test *paired = rows[0]->paired;
  const char *again = pawl_arena_printf(arena, "pawl run %s --case %s measures it again%s", kernel,
                                        case_name, accept_it(run, rows[0]));
  if (!spec->operator_name || !paired || !paired->anchor)
    return again; /* pawl profiles no command */
  return pawl_arena_printf(arena, "pawl profile %s --case %s --against %.12s explains it; %s",
                           kernel, case_name, paired->anchor, again);
}

const char *pawl_next_step(const struct pawl_run_context *run,
                           const struct pawl_run_report *report) {
  struct pawl_project *project = run->project;
  if (report->shards > 1) return NULL;
  const size_t unrecorded =
      run->options->update_baseline ? pawl_ratchet_unrecorded(report->ratchet) : 0;
  if (unrecorded)
    return pawl_arena_printf(&project->arena,
                             "the baseline lacks a time for %zu of %zu rows: mend the reason that "
                             "each shows, then %spawl run --update-baseline",
                             unrecorded, report->ratchet->count,
                             report->move_count ? "commit the baseline and " : "");
  if (report->baseline_uncommitted || report->move_count)
    return pawl_arena_printf(&project->arena,
                             "git add %s && git commit -m 'Record the baseline'; then edit a "
                             "kernel, and pawl run compares it",
                             baseline_path(&project->paths));
  const enum pawl_conclusion conclusion = pawl_run_conclusion(report);
  if (conclusion != PAWL_CONCLUSION_NEW) return next_step_repeat(run, report, conclusion);
  if (!project->git.root)
    return "git init, and commit the kernels and pawl.yaml; then pawl run --update-baseline";
  if (!project->git.commit || project->git.dirty)
    return "commit the kernels and pawl.yaml, then pawl run --update-baseline";
  if (run->change_base.main_branch && !run->change_base.on_main)
    return pawl_arena_printf(&project->arena,
                             "merge into '%s', then pawl run --update-baseline there",
                             run->change_base.main_branch);
  return "pawl run --update-baseline";
}
