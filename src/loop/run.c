/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/run.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"

/* A run while it goes on. */
struct run {
  struct pawl_project *project;
  const struct pawl_run_options *options;
  const struct pawl_kernel_spec **specs;
  struct pawl_ready_kernel *kernels;
  struct pawl_report_build *builds;
  struct pawl_check_report *check_reports;
  struct pawl_report_check *checks;
  size_t count, build_count, check_count;
  struct pawl_results results, gated; /* gated: without the references */
  struct pawl_ratchet_report ratchet;
  const char **notices;
  size_t notice_count;
};

static void notice(struct run *run, const char *text) {
  const char **grown = pawl_arena_alloc(&run->project->arena, run->notice_count + 1, sizeof *grown);
  if (run->notice_count) memcpy(grown, run->notices, run->notice_count * sizeof *grown);
  grown[run->notice_count++] = text;
  run->notices = grown;
}

static pawl_status build_all(struct run *run, struct pawl_error *err) {
  for (size_t i = 0; i < run->count; i++) {
    struct pawl_ready_kernel *kernel = &run->kernels[i];
    pawl_log_progress(run->project->options.log, "building %s", run->specs[i]->name);
    PAWL_TRY(pawl_project_ready(run->project, run->specs[i], kernel, err));
    if (kernel->spec->kind != PAWL_FROM_SOURCES && kernel->spec->kind != PAWL_FROM_BUILD) continue;
    if (kernel->outcome == PAWL_OUTCOME_ABSENT) continue;
    run->builds[run->build_count++] = (struct pawl_report_build){.kernel_name = kernel->spec->name,
                                                                 .ok = kernel->outcome == PAWL_OUTCOME_OK,
                                                                 .seconds = kernel->build.seconds,
                                                                 .compiles = kernel->build.compiles,
                                                                 .cache_hits = kernel->build.cache_hits,
                                                                 .diagnostics = kernel->diagnostics};
  }
  return PAWL_OK;
}

/* The first row that failed, in a line. */
static const char *first_failure(const struct pawl_check_report *report) {
  for (size_t i = 0; i < report->count; i++) {
    if (report->rows[i].outcome == PAWL_OUTCOME_WRONG || report->rows[i].outcome == PAWL_OUTCOME_CRASHED)
      return report->rows[i].reason;
  }
  return "nothing could be checked: it supports none of the shapes";
}

/* A wrong kernel is not timed: its rows carry the reason. */
static pawl_status check_all(struct run *run, struct pawl_error *err) {
  for (size_t i = 0; i < run->count; i++) {
    struct pawl_ready_kernel *kernel = &run->kernels[i];
    if (kernel->outcome != PAWL_OUTCOME_OK) continue;
    struct pawl_check_report *report = &run->check_reports[run->check_count];
    PAWL_TRY(pawl_loop_check(run->project, kernel, NULL, PAWL_DEFAULT_SEED, run->options->reduced, report, err));
    run->checks[run->check_count++] = (struct pawl_report_check){kernel->spec->name, report};
    if (report->total.passed) continue;
    kernel->outcome = report->passed + report->failed ? PAWL_OUTCOME_WRONG : PAWL_OUTCOME_UNSUPPORTED;
    kernel->reason = first_failure(report);
  }
  return PAWL_OK;
}

/* Only kernels are judged: references stand beside them. */
static void leave_references_out(struct run *run) {
  run->gated = run->results;
  run->gated.items = pawl_arena_alloc(&run->project->arena, run->results.count, sizeof *run->gated.items);
  run->gated.count = 0;
  for (size_t i = 0; i < run->results.count; i++) {
    const struct pawl_kernel_spec *spec = pawl_suite_kernel(&run->project->suite, run->results.items[i].kernel_name);
    if (spec && !spec->reference) run->gated.items[run->gated.count++] = run->results.items[i];
  }
}

const char *pawl_loop_baseline_lock(const char *baseline, struct pawl_arena *arena) {
  const char *slash = strrchr(baseline, '/');
  const int length = slash ? (int)(slash - baseline) : 1;
  const char *folder = slash ? baseline : ".";
  const char *ignored = pawl_arena_printf(arena, "%.*s/../.pawl", length, folder);
  if (pawl_is_folder(ignored)) return pawl_arena_printf(arena, "%s/baseline.lock", ignored);
  return pawl_arena_printf(arena, "%.*s/.baseline.lock", length, folder);
}

static enum pawl_status_code move_baseline(void *context, struct pawl_baseline *baseline, struct pawl_arena *arena,
                                           bool *changed, struct pawl_error *err) {
  struct run *run = context;
  const struct pawl_ratchet_options options = {.fail_over = run->project->suite.gate.detect,
                                               .improve_over = run->project->suite.gate.improve,
                                               .update = run->options->update_baseline};
  PAWL_TRY(pawl_ratchet(baseline, &run->gated, &options, arena, &run->ratchet, err));
  *changed = options.update && run->ratchet.move_count > 0;
  return PAWL_OK;
}

static pawl_status judge(struct run *run, struct pawl_error *err) {
  struct pawl_arena *arena = &run->project->arena;
  const char *path = pawl_project_path(run->project, PAWL_BASELINE_PATH);
  return pawl_baseline_update(path, pawl_loop_baseline_lock(path, arena), PAWL_BASELINE_LOCK_SECONDS, move_baseline,
                              run, arena, err);
}

static pawl_status write_file(const char *folder, const char *name, const struct pawl_text *text,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, name);
  return pawl_file_write(path, text->data, text->length, err);
}

static pawl_status write_reports(struct run *run, const struct pawl_run_report *report, const char **summary,
                                 struct pawl_error *err) {
  const char *folder = run->options->folder;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *verdict = NULL;
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_TRY(pawl_report_markdown(report, &markdown, err));
  PAWL_TRY(pawl_report_json(report, &verdict, err));
  PAWL_CLEANUP(pawl_free_pointer) char *results_path = pawl_path_join(folder, "results.json");
  PAWL_CLEANUP(pawl_free_pointer) char *verdict_path = pawl_path_join(folder, "verdict.json");
  PAWL_CLEANUP(pawl_free_pointer) char *picture_path = pawl_path_join(folder, "roofline.png");
  PAWL_TRY(pawl_results_write(&run->results, results_path, err));
  PAWL_TRY(pawl_json_write(verdict_path, verdict, true, err));
  PAWL_TRY(pawl_report_picture(report, picture_path, err));
  PAWL_TRY(write_file(folder, "report.md", &markdown, err));
  *summary = pawl_arena_copy(&run->project->arena, markdown.data);
  return PAWL_OK;
}

enum pawl_status_code pawl_loop_status_of(const struct pawl_ratchet_report *ratchet, bool strict) {
  if (ratchet->regressions + ratchet->broken + ratchet->missing) return PAWL_FAILED;
  return ratchet->undecided && strict ? PAWL_UNDECIDED : PAWL_OK;
}

/* A baseline belongs to a commit: asked for early, before time is spent. */
static pawl_status may_update(const struct pawl_project *project, struct pawl_error *err) {
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NOT_PERMITTED, "cannot update the baseline: %s; commit the kernels first",
                     project->git_reason);
  if (project->git.dirty)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot update the baseline: the working tree differs from its commit; commit the changes first");
  return PAWL_OK;
}

static pawl_status prepare(struct run *run, struct pawl_error *err) {
  struct pawl_project *project = run->project;
  if (run->options->update_baseline) PAWL_TRY(may_update(project, err));
  PAWL_TRY(pawl_project_kernels(project, NULL, 0, &run->specs, &run->count, err));
  run->kernels = pawl_arena_alloc(&project->arena, run->count, sizeof *run->kernels);
  run->builds = pawl_arena_alloc(&project->arena, run->count, sizeof *run->builds);
  run->checks = pawl_arena_alloc(&project->arena, run->count, sizeof *run->checks);
  run->check_reports = pawl_arena_alloc(&project->arena, run->count, sizeof *run->check_reports);
  pawl_loop_results_init(project, &run->results);
  if (run->options->reduced) notice(run, "reduced check: only the smallest shapes were tried");
  if (project->git_reason)
    notice(run, pawl_arena_printf(&project->arena, "no baseline can be recorded: %s", project->git_reason));
  else if (project->git.dirty)
    notice(run, "the working tree differs from its commit: the baseline is not written");
  return PAWL_OK;
}

static pawl_status measure_and_judge(struct run *run, struct pawl_error *err) {
  const struct pawl_bench_selection everything = {.warmup = -1};
  PAWL_TRY(prepare(run, err));
  PAWL_TRY(build_all(run, err));
  PAWL_TRY(check_all(run, err));
  PAWL_TRY(pawl_loop_bench(run->project, run->kernels, run->count, &everything, &run->results, err));
  leave_references_out(run);
  return judge(run, err);
}

pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options, const char **summary,
                          enum pawl_status_code *verdict, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct run run = {.project = project, .options = options};
  enum pawl_status_code status = measure_and_judge(&run, err);
  if (status == PAWL_OK) {
    const struct pawl_run_report report = {.results = &run.results,
                                           .ratchet = &run.ratchet,
                                           .builds = run.builds,
                                           .build_count = run.build_count,
                                           .checks = run.checks,
                                           .check_count = run.check_count,
                                           .moves = options->update_baseline ? run.ratchet.moves : NULL,
                                           .move_count = options->update_baseline ? run.ratchet.move_count : 0,
                                           .unpaired = true,
                                           .notices = run.notices,
                                           .notice_count = run.notice_count,
                                           .seconds = (double)(pawl_clock_ns() - begin) * 1e-9,
                                           .usd_per_hour = project->suite.usd_per_hour};
    status = write_reports(&run, &report, summary, err);
  }
  const bool strict = project->suite.gate.inconclusive == PAWL_INCONCLUSIVE_FAIL;
  if (status == PAWL_OK) *verdict = pawl_loop_status_of(&run.ratchet, strict);
  pawl_results_release(&run.results);
  return status;
}
