/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/run.h"

#include "base/clock.h"
#include "base/entropy.h"
#include "loop/baseline_source.h"
#include "loop/bench_kernels.h"
#include "loop/bench_phase.h"
#include "loop/check_phase.h"
#include "loop/judge_phase.h"
#include "loop/next_step.h"
#include "loop/operators.h"
#include "loop/selftest_run.h"
#include "loop/static_code.h"
#include "report/report.h"

/* A baseline belongs to a commit of main: asked for early, before time is spent. */
static pawl_status may_update(const struct pawl_run_context *run, struct pawl_error *err) {
  const struct pawl_project *project = run->project;
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NOT_PERMITTED, "cannot update the baseline: %s", project->git_reason);
  if (project->git.dirty)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot update the baseline: the working tree differs from its commit in '%s'; commit the changes "
                     "first",
                     project->git.change);
  if (run->lineage.main_branch && !run->lineage.on_main)
    return pawl_fail(
        err, PAWL_NOT_PERMITTED,
        "cannot update the baseline: this commit is not part of '%s', and only that branch records baselines",
        run->lineage.main_branch);
  return PAWL_OK;
}

static void note_what_stands(struct pawl_run_context *run) {
  struct pawl_project *project = run->project;
  struct pawl_arena *arena = &project->arena;
  if (run->options->shard.kernel_count || run->options->shard.case_name)
    pawl_strings_add(&run->notices, arena, "this run measures only the kernels and cases that its command line names");
  if (run->options->reduced) pawl_strings_add(&run->notices, arena, "reduced check: only the smallest shapes");
  if (project->git_reason)
    pawl_strings_add(&run->notices, arena,
                     pawl_arena_printf(arena, "cannot record a baseline: %s", project->git_reason));
  else if (project->git.dirty)
    pawl_strings_add(&run->notices, arena,
                     pawl_arena_printf(
                         arena, "the working tree differs from its commit in '%s', so pawl does not write the baseline",
                         project->git.change));
}

/* By whose rules: the merge base's, which a change cannot edit. */
static pawl_status adopt_policy(struct pawl_run_context *run, struct pawl_error *err) {
  PAWL_TRY(pawl_lineage_read(run->project, &run->lineage, err));
  if (run->options->update_baseline) PAWL_TRY(may_update(run, err));
  PAWL_TRY(pawl_lineage_adopt_policy(run->project, &run->lineage, &run->notices, err));
  note_what_stands(run);
  return PAWL_OK;
}

/* Ends a phase that began at *begin; the next begins. */
static void end_phase(struct pawl_run_context *run, struct pawl_run_phases *phases, const char *name, int64_t *begin,
                      double *seconds) {
  const struct pawl_time_spent now = pawl_project_spent(run->project), *then = &phases->spent;
  *seconds = pawl_seconds_since(*begin);
  *begin = pawl_clock_ns();
  pawl_log_detail(run->project->options.log,
                  "%s: %.2f s; starting processes %.2f, inputs %.2f, expected values %.2f, calls %.2f, hashing %.2f, "
                  "comparing %.2f",
                  name, *seconds, now.start - then->start, now.inputs - then->inputs, now.expected - then->expected,
                  now.calls - then->calls, now.hashing - then->hashing, now.compare - then->compare);
  phases->spent = now;
}

/* What the phases made, for the report. */
struct made {
  struct pawl_built built;
  struct pawl_checked checked;
  struct pawl_results results;
  struct pawl_ratchet_report ratchet;
  struct pawl_run_phases phases;
};

static pawl_status measure_and_judge(struct pawl_run_context *run, struct made *made, struct pawl_error *err) {
  struct pawl_run_phases *phases = &made->phases;
  struct pawl_baseline baseline;
  const char *baseline_path;
  struct pawl_arm_pairs pairs;
  struct pawl_paired_tests tests;
  int64_t begin = pawl_clock_ns();

  PAWL_TRY(adopt_policy(run, err));
  pawl_project_results_init(run->project, &made->results);
  PAWL_TRY(pawl_loop_selftest_notices(run->project, made->results.hardware, &run->notices, err));
  PAWL_TRY(pawl_baseline_judging(run, &baseline_path, &baseline, err));
  pawl_project_choose_arch(run->project, &baseline);

  PAWL_TRY(pawl_build_phase(run, &made->built, err));
  PAWL_TRY(
      pawl_arm_pairs_find(run, made->built.kernels, made->built.count, &baseline, made->results.hardware, &pairs, err));
  end_phase(run, phases, "build", &begin, &phases->build);

  PAWL_TRY(pawl_check_phase(run, &pairs, &made->built, &made->checked, err));
  end_phase(run, phases, "check", &begin, &phases->check);

  PAWL_TRY(pawl_bench_phase(run, &pairs, &made->built, &made->results, err));
  end_phase(run, phases, "bench", &begin, &phases->bench);

  PAWL_TRY(pawl_measure_pairs(run, &pairs, &made->results, &tests, err));
  PAWL_TRY(pawl_judge_results(run, baseline_path, &baseline, &made->results, &tests, &made->ratchet, err));
  end_phase(run, phases, "judge", &begin, &phases->judge);
  return PAWL_OK;
}

/* Some row was judged, and none of those was judged in pairs. */
static bool is_unpaired(const struct pawl_ratchet_report *ratchet) {
  bool judged = false;
  for (size_t i = 0; i < ratchet->count; i++) {
    if (ratchet->rows[i].paired) return false;
    judged = judged || pawl_verdict_is_from_times(ratchet->rows[i].comparison.verdict);
  }
  return judged;
}

static pawl_status write_report(const struct pawl_run_context *run, const struct made *made, double seconds,
                                struct pawl_run_outcome *out, struct pawl_error *err) {
  const struct pawl_run_options *options = run->options;
  const struct pawl_run_report report = {.results = &made->results,
                                         .ratchet = &made->ratchet,
                                         .builds = made->built.reports,
                                         .build_count = made->built.report_count,
                                         .checks = made->checked.reports,
                                         .check_count = made->checked.count,
                                         .moves = options->update_baseline ? made->ratchet.moves : NULL,
                                         .move_count = options->update_baseline ? made->ratchet.move_count : 0,
                                         .unpaired = is_unpaired(&made->ratchet),
                                         .baseline_uncommitted = run->baseline_uncommitted,
                                         .shard = options->shard.number,
                                         .shards = options->shard.count,
                                         .notices = run->notices.items,
                                         .notice_count = run->notices.count,
                                         .seconds = seconds,
                                         .cost_usd = seconds / 3600 * run->project->suite.usd_per_hour,
                                         .phases = &made->phases};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  out->folder = options->folder;
  if (!out->folder) PAWL_TRY(pawl_project_output(run->project, &out->folder, err));
  PAWL_TRY(pawl_report_folder(&report, out->folder, true, &markdown, err));
  out->markdown = pawl_arena_copy(&run->project->arena, markdown.data);
  out->next = pawl_next_step(run, &report);
  return PAWL_OK;
}

pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options,
                          struct pawl_run_outcome *out, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct pawl_run_context run = {.project = project, .options = options, .seed = options->seed};
  struct made made = {0};
  if (!run.seed) PAWL_TRY(pawl_entropy_seed(&run.seed, err));
  enum pawl_status_code status = measure_and_judge(&run, &made, err);
  if (status == PAWL_OK) {
    status = write_report(&run, &made, pawl_seconds_since(begin), out, err);
    if (status != PAWL_OK && options->update_baseline && made.ratchet.move_count)
      pawl_prefix(err, "pawl moved the baseline but could not write the report");
  }
  const bool strict = project->suite.gate.inconclusive == PAWL_INCONCLUSIVE_FAIL;
  if (status == PAWL_OK) out->verdict = pawl_ratchet_status(&made.ratchet, strict);
  pawl_results_release(&made.results);
  return status;
}
