/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/run.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "loop/run_state.h"
#include "loop/selftest_run.h"

void pawl_run_notice(struct pawl_run_state *run, const char *text) {
  const char **grown = pawl_arena_alloc(&run->project->arena, run->notices.count + 1, sizeof *grown);
  if (run->notices.count) memcpy(grown, run->notices.items, run->notices.count * sizeof *grown);
  grown[run->notices.count++] = text;
  run->notices.items = grown;
}

static pawl_status build_all(struct pawl_run_state *run, struct pawl_error *err) {
  for (size_t i = 0; i < run->count; i++) {
    struct pawl_ready_kernel *kernel = &run->kernels[i];
    pawl_log_progress(run->project->options.log, "building %s", run->specs[i]->name);
    PAWL_TRY(pawl_project_ready(run->project, run->specs[i], kernel, err));
    pawl_log_progress(run->project->options.log, "%s", "");
    if (kernel->spec->kind != PAWL_FROM_SOURCES && kernel->spec->kind != PAWL_FROM_BUILD) continue;
    if (kernel->outcome == PAWL_OUTCOME_ABSENT) continue;
    run->builds[run->build_count++] =
        (struct pawl_report_build){.kernel_name = kernel->spec->name,
                                   .ok = kernel->outcome == PAWL_OUTCOME_OK,
                                   .seconds = kernel->build.seconds,
                                   .compiles = kernel->build.compiles,
                                   .cache_hits = kernel->build.cache_hits,
                                   .diagnostics = kernel->outcome == PAWL_OUTCOME_OK ? NULL : kernel->diagnostics};
  }
  return PAWL_OK;
}

/* The first wrong row, else the first that crashed; NULL when none failed. */
static const struct pawl_check_row *first_failure(const struct pawl_check_report *report) {
  const struct pawl_check_row *crashed = NULL;
  for (size_t i = 0; i < report->count; i++) {
    if (report->rows[i].outcome == PAWL_OUTCOME_WRONG) return &report->rows[i];
    if (report->rows[i].outcome == PAWL_OUTCOME_CRASHED && !crashed) crashed = &report->rows[i];
  }
  return crashed;
}

/* Every case of the kernel has the machine code of its baseline: there is nothing to check or to time. */
static bool is_unchanged(const struct pawl_run_state *run, const struct pawl_ready_kernel *kernel) {
  size_t cases = 0, identical = 0;
  for (size_t i = 0; i < run->project->suite.case_count; i++) {
    const struct pawl_case *item = &run->project->suite.cases[i];
    if (!item->operator_name || strcmp(item->operator_name, kernel->spec->operator_name) != 0) continue;
    if (!pawl_run_in_shard(run, kernel->spec->name, item->name)) continue;
    const struct pawl_match *match = pawl_run_find_match(run, kernel->spec->name, item->name);
    cases++;
    identical += match && match->identical;
  }
  return cases && cases == identical;
}

/* A wrong kernel is not timed: its rows carry the reason. Nor is one whose GPU is lost, which says nothing of it. */
static pawl_status check_all(struct pawl_run_state *run, struct pawl_error *err) {
  const struct pawl_check_selection whole = {.seed = PAWL_DEFAULT_SEED, .reduced = run->options->reduced};
  for (size_t i = 0; i < run->count; i++) {
    struct pawl_ready_kernel *kernel = &run->kernels[i];
    if (kernel->outcome != PAWL_OUTCOME_OK || !kernel->spec->operator_name || is_unchanged(run, kernel)) continue;
    if (pawl_loop_leave_lost(run->project, kernel)) continue;
    if (kernel->spec->reference) continue; /* not ours to test; what is timed of it is compared all the same */
    struct pawl_check_report *report = &run->check_reports[run->check_count];
    const enum pawl_status_code status = pawl_loop_check(run->project, kernel, &whole, report, err);
    const struct pawl_check_row *failure = status == PAWL_OK ? first_failure(report) : NULL;
    const bool suspect = status == PAWL_UNAVAILABLE || (failure && failure->outcome == PAWL_OUTCOME_CRASHED);
    if (suspect && pawl_loop_gpu_is_lost(run->project, kernel->spec) && pawl_loop_leave_lost(run->project, kernel))
      continue;
    if (pawl_loop_is_absent(run->project, kernel, status, err)) continue;
    if (status != PAWL_OK) return status;
    run->checks[run->check_count++] = (struct pawl_report_check){kernel->spec->name, report};
    if (report->total.passed) continue;
    kernel->outcome = failure ? failure->outcome : PAWL_OUTCOME_UNSUPPORTED;
    kernel->reason = failure ? failure->reason : "nothing could be checked: it supports none of the shapes";
  }
  return PAWL_OK;
}

/* Some kernel of the reference's operator is timed on the case: the reference is timed beside it. */
static bool is_accompanied(const struct pawl_run_state *run, const struct pawl_kernel_spec *reference,
                           const char *case_name) {
  for (size_t i = 0; i < run->count; i++) {
    const struct pawl_kernel_spec *spec = run->kernels[i].spec;
    if (!pawl_run_accompanies(run, reference, spec) || !pawl_run_in_shard(run, spec->name, case_name)) continue;
    const struct pawl_match *match = pawl_run_find_match(run, spec->name, case_name);
    if (!match || !match->identical) return true;
  }
  return false;
}

/* Cases of other shards, and those whose code is the baseline's, are left out of the timing, and with them the
   references. */
static bool is_left_out(const void *context, const char *kernel, const char *case_name) {
  const struct pawl_run_state *run = context;
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&run->project->suite, kernel);
  if (spec && spec->reference && spec->operator_name) return !is_accompanied(run, spec, case_name);
  if (!pawl_run_in_shard(run, kernel, case_name)) return true;
  const struct pawl_match *match = pawl_run_find_match(run, kernel, case_name);
  return match && match->identical;
}

/* A baseline belongs to a commit of main: asked for early, before time is spent. */
static pawl_status may_update(const struct pawl_run_state *run, struct pawl_error *err) {
  const struct pawl_project *project = run->project;
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NOT_PERMITTED, "cannot update the baseline: %s", project->git_reason);
  if (project->git.dirty)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot update the baseline: the working tree differs from its commit in '%s'; commit the changes "
                     "first",
                     project->git.change);
  if (run->lineage.main_branch && !run->lineage.on_main)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot update the baseline: this commit is not part of '%s', and only main records baselines",
                     run->lineage.main_branch);
  return PAWL_OK;
}

static void say_what_stands(struct pawl_run_state *run) {
  struct pawl_project *project = run->project;
  if (run->options->reduced) pawl_run_notice(run, "reduced check: only the smallest shapes were tried");
  if (project->git_reason)
    pawl_run_notice(run, pawl_arena_printf(&project->arena, "no baseline can be recorded: %s", project->git_reason));
  else if (project->git.dirty)
    pawl_run_notice(run, pawl_arena_printf(&project->arena,
                                           "the working tree differs from its commit in '%s': the baseline "
                                           "is not written",
                                           project->git.change));
}

static pawl_status prepare(struct pawl_run_state *run, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  PAWL_TRY(pawl_lineage_read(project, &run->lineage, err));
  if (run->options->update_baseline) PAWL_TRY(may_update(run, err));
  PAWL_TRY(pawl_lineage_adopt_policy(project, &run->lineage, &run->notices, err));
  PAWL_TRY(pawl_project_kernels(project, NULL, 0, &run->specs, &run->count, err));
  pawl_run_keep_shard(run);
  run->kernels = pawl_arena_alloc(&project->arena, run->count, sizeof *run->kernels);
  run->builds = pawl_arena_alloc(&project->arena, run->count, sizeof *run->builds);
  run->checks = pawl_arena_alloc(&project->arena, run->count, sizeof *run->checks);
  run->check_reports = pawl_arena_alloc(&project->arena, run->count, sizeof *run->check_reports);
  pawl_loop_results_init(project, &run->results);
  say_what_stands(run);
  PAWL_TRY(pawl_loop_selftest_notices(project, run->results.hardware, &run->notices, err));
  PAWL_TRY(pawl_run_read_baseline(run, err));
  pawl_loop_choose_arch(project, &run->baseline);
  return PAWL_OK;
}

static void end_phase(struct pawl_run_state *run, const char *name, int64_t *begin, double *seconds) {
  const struct pawl_time_spent now = pawl_project_spent(run->project), *then = &run->phases.spent;
  *seconds = pawl_seconds_since(*begin);
  *begin = pawl_clock_ns();
  pawl_log_detail(run->project->options.log,
                  "%s: %.2f s; starting processes %.2f, inputs %.2f, expected values %.2f, calls %.2f, hashing %.2f, "
                  "comparing %.2f",
                  name, *seconds, now.start - then->start, now.inputs - then->inputs, now.expected - then->expected,
                  now.calls - then->calls, now.hashing - then->hashing, now.compare - then->compare);
  run->phases.spent = now;
}

static pawl_status measure_and_judge(struct pawl_run_state *run, struct pawl_error *err) {
  const struct pawl_bench_selection selection = {.warmup = -1, .skip = is_left_out, .context = run};
  struct pawl_run_phases *phases = &run->phases;
  int64_t begin = pawl_clock_ns();
  PAWL_TRY(prepare(run, err));
  PAWL_TRY(build_all(run, err));
  PAWL_TRY(pawl_run_match(run, err));
  end_phase(run, "build", &begin, &phases->build);
  PAWL_TRY(check_all(run, err));
  end_phase(run, "check", &begin, &phases->check);
  PAWL_TRY(pawl_loop_bench(run->project, run->kernels, run->count, &selection, &run->results, err));
  end_phase(run, "bench", &begin, &phases->bench);
  PAWL_TRY(pawl_run_pair(run, err));
  PAWL_TRY(pawl_run_judge(run, err));
  end_phase(run, "judge", &begin, &phases->judge);
  return PAWL_OK;
}

/* Some row was judged, and none of those was judged in pairs. */
static bool is_unpaired(const struct pawl_ratchet_report *ratchet) {
  bool judged = false;
  for (size_t i = 0; i < ratchet->count; i++) {
    const enum pawl_verdict verdict = ratchet->rows[i].comparison.verdict;
    if (ratchet->rows[i].paired) return false;
    if (verdict == PAWL_VERDICT_REGRESSION || verdict == PAWL_VERDICT_IMPROVEMENT ||
        verdict == PAWL_VERDICT_MAINTAINED || verdict == PAWL_VERDICT_NO_DIFFERENCE)
      judged = true;
  }
  return judged;
}

pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options, const char **summary,
                          enum pawl_status_code *verdict, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_run_state run = {.project = project, .options = options};
  enum pawl_status_code status = measure_and_judge(&run, err);
  if (status == PAWL_OK) {
    const double seconds = pawl_seconds_since(begin);
    const struct pawl_run_report report = {.results = &run.results,
                                           .ratchet = &run.ratchet,
                                           .builds = run.builds,
                                           .build_count = run.build_count,
                                           .checks = run.checks,
                                           .check_count = run.check_count,
                                           .moves = options->update_baseline ? run.ratchet.moves : NULL,
                                           .move_count = options->update_baseline ? run.ratchet.move_count : 0,
                                           .unpaired = is_unpaired(&run.ratchet),
                                           .shard = options->shard,
                                           .shards = options->shards,
                                           .notices = run.notices.items,
                                           .notice_count = run.notices.count,
                                           .seconds = seconds,
                                           .cost_usd = seconds / 3600 * project->suite.usd_per_hour,
                                           .phases = &run.phases};
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
    status = pawl_report_folder(&report, options->folder, true, &markdown, err);
    if (status == PAWL_OK) *summary = pawl_arena_copy(&project->arena, markdown.data);
  }
  const bool strict = project->suite.gate.inconclusive == PAWL_INCONCLUSIVE_FAIL;
  if (status == PAWL_OK) *verdict = pawl_ratchet_status(&run.ratchet, strict);
  pawl_results_release(&run.results);
  return status;
}
