/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "gate/baseline_fields.h"
#include "gate/result_interval.h"
#include "gate/verdict.h"
#include "loop/baseline_source.h"
#include "loop/bench_phase.h"
#include "loop/check_phase.h"
#include "loop/code_phase.h"
#include "loop/failed_benchmarks.h"
#include "loop/history.h"
#include "loop/judge_phase.h"
#include "loop/next_step.h"
#include "loop/paired_phase.h"
#include "loop/profile_phase.h"
#include "loop/proof.h"
#include "loop/reference_phase.h"
#include "pairs/selftest.h"
#include "picture/picture.h"
#include "project/bench_kernels.h"
#include "project/operators.h"
#include "project/static_code.h"
#include "record/conclusion.h"
#include "report/report.h"
#include "report/row_change.h"

#define MOST_EARLIER_MOVES ((size_t)2000) /* the newest stay */

/* A baseline belongs to a commit of main. The run refuses other commits before it spends time. */
static pawl_status may_update(const struct pawl_run_context *run, struct pawl_error *err) {
  const struct pawl_project *project = run->project;
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NOT_PERMITTED, "cannot update the baseline: %s",
                     project->git.reason);
  if (project->git.dirty)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot update the baseline: the working tree differs from its commit in "
                     "'%s'; commit the changes first",
                     project->git.change);
  if (run->change_base.main_branch && !run->change_base.on_main)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "cannot update the baseline: this commit is not part of '%s', and only that "
                     "branch records baselines",
                     run->change_base.main_branch);
  return PAWL_OK;
}

static void note_what_stands(const struct pawl_run_context *run) {
  struct pawl_project *project = run->project;
  struct pawl_arena *arena = &project->arena;
  if (run->options->selection.kernel_count || run->options->selection.case_name)
    pawl_strings_add(run->notices, arena,
                     "this run measures only the kernels and cases that its command line names");
  if (run->options->reduced)
    pawl_strings_add(run->notices, arena, "reduced check: only the smallest shapes");
  if (project->git.reason)
    pawl_strings_add(run->notices, arena,
                     pawl_arena_printf(arena, "cannot record a baseline: %s", project->git.reason));
}

/* The merge base's rules judge, because a change cannot edit them. */
static pawl_status adopt_policy(struct pawl_run_context *run, struct pawl_error *err) {
  PAWL_TRY(pawl_change_base_read(&run->project->git, &run->project->arena, &run->change_base, err));
  if (run->options->update_baseline) PAWL_TRY(may_update(run, err));
  PAWL_TRY(pawl_change_base_adopt_policy(run->project, &run->change_base, run->notices, err));
  note_what_stands(run);
  return PAWL_OK;
}

/* Ends the phase that began at *begin; the next begins now. The phase lasted without the time that
 * pawl waited for another pawl. */
static void end_phase(const struct pawl_project *project, struct pawl_run_phases *phases,
                      const char *name, int64_t *begin, double *seconds) {
  const struct pawl_time_spent now = pawl_operators_spent(&project->operators),
                               *then = &phases->spent;
  const double waited = pawl_devices_waited(&project->devices) - phases->waiting;
  *seconds = fmax(pawl_seconds_since(*begin) - waited, 0);
  *begin = pawl_clock_ns();
  phases->waiting += waited;
  pawl_log_detail(project->options.log,
                  "%s: %.2f s; starting processes %.2f, inputs %.2f, expected values %.2f, calls "
                  "%.2f, hashing %.2f, comparing %.2f",
                  name, *seconds, now.start - then->start, now.inputs - then->inputs,
                  now.expected - then->expected, now.calls - then->calls,
                  now.hashing - then->hashing, now.compare - then->compare);
  phases->spent = now;
}

/* The results of the phases, for the report. */
struct made {
  struct pawl_strings notices;
  struct pawl_judging_baseline judging;
  struct pawl_built built;
  struct pawl_checked checked;
  struct pawl_results results;
  struct pawl_ratchet_report ratchet;
  struct pawl_profiled profiled;
  struct pawl_code_changes code_changes;
  struct pawl_run_phases phases;
  const char *folder; /* for the report and the profiles */
  const char *gap;    /* the row that --code-only does not prove; NULL: none */
  struct pawl_early_pairs early;
  struct pawl_references_ahead references;
};

/* Prints the verdicts before the references run. */
static void say_verdicts(struct pawl_log *log, const struct pawl_ratchet_report *ratchet) {
  for (size_t i = 0; i < ratchet->count; i++) {
    const struct pawl_ratchet_row *row = &ratchet->rows[i];
    const struct pawl_comparison *item = &row->comparison;
    char change[PAWL_ROW_CHANGE];
    const bool timed = pawl_verdict_is_from_times(item->verdict);
    pawl_log_info(log, "%s on %s: %s%s%s", item->kernel_name, item->config.name,
                  pawl_verdict_name(item->verdict), timed ? ", " : "",
                  timed ? pawl_row_change(row, change) : "");
  }
}

/* The first pair on a GPU starts early if nothing is timed between its check and its blocks. */
static void choose_early(const struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                         const struct pawl_built *built, struct pawl_early_pairs *out) {
  *out = (struct pawl_early_pairs){.run = run};
  if (!pawl_bench_phase_is_empty(run->project, &run->options->selection, pairs, built)) return;
  for (size_t i = 0; i < pairs->count && !out->pair; i++)
    if (pawl_arm_pair_times_candidate(&pairs->items[i])) out->pair = &pairs->items[i];
}

/* Says how well an update knows the times that it took beside other programs. */
static void note_held_up(const struct pawl_run_context *run,
                         const struct pawl_ratchet_report *ratchet) {
  struct pawl_arena *arena = &run->project->arena;
  const struct pawl_ratchet_row *widest = NULL;
  double worst = 0;
  size_t count = 0, recorded = 0;
  for (size_t i = 0; i < ratchet->count && run->options->update_baseline; i++) {
    const struct pawl_ratchet_row *row = &ratchet->rows[i];
    double low, high;
    recorded += row->change == PAWL_RATCHET_NEW;
    if (row->change != PAWL_RATCHET_NEW || !pawl_result_held_up(row->result)) continue;
    pawl_result_interval(row->result, &low, &high);
    const double width = (high - low) / 2 / row->result->performance.median_ms;
    count++;
    if (widest && !(width > worst)) continue;
    widest = row;
    worst = width;
  }
  if (!widest) return;
  char precision[48] = "an unknown precision (it needs 6 processes)";
  if (isfinite(worst) && worst >= 1)
    snprintf(precision, sizeof precision, "more than +-100 %%");
  else if (isfinite(worst))
    snprintf(precision, sizeof precision, "+-%.*f %%", worst < 0.1, worst * 100);
  pawl_strings_add(
      run->notices, arena,
      pawl_arena_printf(arena,
                        "%zu of %zu times recorded beside other programs, at %s for %s on %s; "
                        "pawl run --update-baseline measures them again when the machine is quiet",
                        count, recorded, precision, widest->comparison.kernel_name,
                        widest->comparison.config.name));
}

/* Takes the turn before the check, because a check would disturb the times of another pawl. */
static pawl_status take_turns(const struct pawl_run_context *run,
                              const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                              struct pawl_error *err) {
  struct pawl_project *project = run->project;
  bool times = !pawl_bench_phase_is_empty(project, &run->options->selection, pairs, built);
  for (size_t i = 0; i < pairs->count; i++)
    times = times || pawl_arm_pair_times_candidate(&pairs->items[i]);
  if (!times) return PAWL_OK;
  const enum pawl_status_code status =
      pawl_bench_take_turns(project, built->kernels, built->count, err);
  return pawl_budget_ended(status) ? PAWL_OK : status;
}

/* Ends the judging, and profiles the kernels that changed. */
static pawl_status explain(struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                           struct made *made, int64_t *begin, struct pawl_error *err) {
  const struct pawl_run_options *options = run->options;
  if (options->code_only) made->gap = pawl_proof_gap(run, &made->judging.baseline, &made->ratchet);
  note_held_up(run, &made->ratchet);
  end_phase(run->project, &made->phases, "judge", begin, &made->phases.judge);
  return pawl_profile_phase(run, pairs, &made->ratchet, &made->code_changes, made->folder,
                            &made->profiled, err);
}

static pawl_status measure_and_judge(struct pawl_run_context *run, struct made *made,
                                     struct pawl_error *err) {
  struct pawl_project *project = run->project;
  const struct pawl_run_options *options = run->options;
  struct pawl_run_phases *phases = &made->phases;
  struct pawl_built *built = &made->built;
  struct pawl_arm_pairs pairs;
  struct pawl_paired_tests tests;
  int64_t begin = pawl_clock_ns();

  PAWL_TRY(adopt_policy(run, err));
  PAWL_TRY(pawl_baseline_judging(run, &made->judging, err));
  if (options->code_only) PAWL_TRY(pawl_proof_begin(run, &made->judging.baseline, err));
  /* These run beside the search for GPUs, which the next line awaits. */
  pawl_build_foresee(project, &options->selection);
  pawl_arm_pairs_foresee(run, &made->judging.baseline);
  pawl_results_begin(&project->git, &project->devices, &made->results);
  PAWL_TRY(pawl_loop_selftest_notices(&project->paths, made->results.hardware, run->notices, err));
  pawl_devices_choose_arch(&project->devices, &made->judging.baseline);

  PAWL_TRY(pawl_build_phase(project, &options->selection, built, err));
  PAWL_TRY(pawl_arm_pairs_find(run, built->kernels, built->count, &made->judging.baseline,
                               made->results.hardware, &pairs, err));
  end_phase(project, phases, "build", &begin, &phases->build);

  /* verdicts against a baseline do not wait for the references */
  if (!made->judging.baseline.count)
    pawl_references_begin_ahead(project, options, &pairs, built, &made->references);
  PAWL_TRY(take_turns(run, &pairs, built, err));
  /* a folder that comes while a compiler runs would make pawl compile again */
  made->folder = options->folder;
  if (!made->folder) PAWL_TRY(pawl_output_folder(&project->paths, &made->folder, err));
  choose_early(run, &pairs, built, &made->early);
  /* their commands stop while blocks are timed, and would go on beside other timed calls */
  if (made->early.pair) pawl_code_phase_begin(run, &pairs, &made->code_changes);
  PAWL_TRY(pawl_check_phase(run, &pairs, &made->early, built, &made->checked, err));
  end_phase(project, phases, "check", &begin, &phases->check);
  pawl_references_await_ahead(&made->references);
  pawl_fork_servers_settle(pawl_project_fork_servers(project));

  PAWL_TRY(pawl_bench_phase(project, &options->selection, &pairs, built, &made->results, err));
  pawl_failed_benchmarks_name(run, &made->judging.baseline, &made->results);
  PAWL_TRY(pawl_arm_pairs_add_benchmarks(run, built->kernels, built->count, &made->results,
                                         &made->judging.baseline, &pairs, err));
  end_phase(project, phases, "bench", &begin, &phases->bench);

  PAWL_TRY(pawl_paired_phase(run, &pairs, built, &made->judging.baseline, &made->early,
                             &made->results, &tests, err));
  PAWL_TRY(pawl_judge_phase(&project->suite, options, &made->judging, &made->results, &tests,
                            &project->arena, &made->ratchet, err));
  enum pawl_status_code status = pawl_code_phase(run, built, &pairs, &made->judging.baseline,
                                                 &made->ratchet, &made->code_changes, err);
  if (status == PAWL_OK) status = explain(run, &pairs, made, &begin, err);
  pawl_code_changes_finish(run, &made->code_changes);
  if (status != PAWL_OK) return status;
  end_phase(project, phases, "profile", &begin, &phases->profile);

  if (pawl_reference_phase_count(project, options, &pairs, built) == 0) return PAWL_OK;
  pawl_code_changes_end(run, &made->code_changes);
  say_verdicts(project->options.log, &made->ratchet);
  status = pawl_budget_is_over() ? PAWL_TRY_AGAIN
                                 : pawl_reference_phase(project, options, &pairs, built,
                                                        &made->notices, &made->results, err);
  if (status != PAWL_OK && !pawl_budget_ended(status)) return status;
  if (status != PAWL_OK)
    pawl_strings_add(&made->notices, &project->arena,
                     pawl_arena_printf(&project->arena, "%s, so pawl left the references out",
                                       pawl_budget_cause()));
  end_phase(project, phases, "references", &begin, &phases->references);
  return PAWL_OK;
}

/* Returns whether the budget ended before some row was measured, or some kernel was checked. */
static bool was_cut(const struct pawl_ratchet_report *ratchet) {
  for (size_t i = 0; i < ratchet->count && pawl_budget_is_over(); i++) {
    const struct pawl_comparison *item = &ratchet->rows[i].comparison;
    if (item->verdict == PAWL_VERDICT_INCONCLUSIVE && item->reason &&
        pawl_starts_with(item->reason, pawl_budget_words()))
      return true;
  }
  return false;
}

/* Returns whether the run judged rows, but none in pairs. */
static bool is_unpaired(const struct pawl_ratchet_report *ratchet) {
  bool judged = false;
  for (size_t i = 0; i < ratchet->count; i++) {
    if (ratchet->rows[i].paired) return false;
    judged = judged || pawl_verdict_is_from_times(ratchet->rows[i].comparison.verdict);
  }
  return judged;
}

static bool is_same_text(const char *a, const char *b) { return a && b && !strcmp(a, b); }

static bool is_move_of_a_row(const struct pawl_baseline_move *move,
                             const struct pawl_run_report *report, const char *hardware) {
  bool found = false;
  for (size_t i = 0; i < report->ratchet->count && !found; i++) {
    const struct pawl_comparison *item = &report->ratchet->rows[i].comparison;
    found = is_same_text(move->kernel_name, item->kernel_name) &&
            is_same_text(move->case_name, item->config.name);
  }
  return found && is_same_text(move->hardware, hardware);
}

/* Fills in the report's earlier moves of the judging baseline, for the report's rows and
 * hardware. */
static void add_earlier_moves(const struct pawl_baseline *baseline, struct pawl_arena *arena,
                              struct pawl_run_report *report) {
  const char *hardware = pawl_baseline_hardware(report->results);
  struct pawl_baseline_move *moves =
      pawl_arena_alloc(arena, baseline->move_count + 1, sizeof *moves);
  size_t count = 0;
  for (size_t i = 0; i < baseline->move_count; i++)
    if (is_move_of_a_row(&baseline->moves[i], report, hardware))
      moves[count++] = baseline->moves[i];
  const size_t left_out = count > MOST_EARLIER_MOVES ? count - MOST_EARLIER_MOVES : 0;
  report->earlier_moves = moves + left_out;
  report->earlier_move_count = count - left_out;
}

static pawl_status loop_write_report(const struct pawl_run_context *run, const struct made *made,
                                     double seconds, struct pawl_run_outcome *out,
                                     struct pawl_error *err) {
  const struct pawl_run_options *options = run->options;
  struct pawl_run_report report = {
      .results = &made->results,
      .ratchet = &made->ratchet,
      .builds = made->built.reports,
      .build_count = made->built.report_count,
      .checks = made->checked.reports,
      .check_count = made->checked.count,
      .profiles = made->profiled.items,
      .profile_count = made->profiled.count,
      .code_changes = made->code_changes.items,
      .code_change_count = made->code_changes.count,
      .moves = options->update_baseline ? made->ratchet.moves : NULL,
      .move_count = options->update_baseline ? made->ratchet.move_count : 0,
      .unpaired = is_unpaired(&made->ratchet),
      .baseline_uncommitted = made->judging.uncommitted,
      .shard = options->selection.number,
      .shards = options->selection.count,
      .notices = made->notices.items,
      .notice_count = made->notices.count,
      .seconds = seconds,
      .cost_usd = seconds / 3600 * run->project->suite.usd_per_hour,
      .phases = &made->phases};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text summary = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text png = {0};
  if (made->gap) pawl_log_warning(run->project->options.log, "%s", made->gap);
  add_earlier_moves(&made->judging.baseline, &run->project->arena, &report);
  out->folder = made->folder;
  pawl_report_terminal(&report, &options->look, &summary);
  if (options->say) options->say(options->context, summary.data);
  PAWL_TRY(pawl_picture_draw(&report, false, false, &png, err));
  PAWL_TRY(pawl_report_folder(&report, out->folder, &png, err));
  out->next = pawl_next_step(run, &report);
  /* a shard may be empty, but a whole run must judge something */
  const bool empty =
      !options->selection.count && pawl_run_conclusion(&report) == PAWL_CONCLUSION_NOTHING;
  out->verdict = empty ? PAWL_UNDECIDED : PAWL_OK;
  if (!options->selection.count) /* the history keeps whole runs, not shards */
    pawl_loop_add_to_history(&run->project->suite, &report, out->folder, "run", false,
                             run->project->options.log);
  return PAWL_OK;
}

pawl_status pawl_loop_run(struct pawl_project *project, const struct pawl_run_options *options,
                          struct pawl_run_outcome *out, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  struct made made = {0};
  struct pawl_run_context run = {
      .project = project, .options = options, .seed = options->seed, .notices = &made.notices};
  pawl_budget_begin(options->budget_seconds);
  if (!run.seed) PAWL_TRY(pawl_entropy_seed(&run.seed, err));
  enum pawl_status_code status = measure_and_judge(&run, &made, err);
  pawl_early_pairs_end(&made.early);
  pawl_references_release_ahead(&made.references);
  pawl_project_dismiss(project); /* the processes end while pawl writes the report */
  const int64_t judged = pawl_clock_ns();
  if (status == PAWL_OK)
    status = loop_write_report(&run, &made, pawl_seconds_since(begin), out, err);
  pawl_code_changes_end(&run, &made.code_changes);
  if (status != PAWL_OK && options->update_baseline && made.ratchet.move_count)
    pawl_prefix(err, "pawl moved the baseline but could not write the report");
  const bool strict = project->suite.gate.inconclusive == PAWL_INCONCLUSIVE_FAIL;
  if (status == PAWL_OK)
    out->verdict = pawl_worse_status(out->verdict, pawl_ratchet_status(&made.ratchet, strict));
  if (status == PAWL_OK && made.gap) out->verdict = pawl_worse_status(out->verdict, PAWL_UNDECIDED);
  const bool unrecorded = options->update_baseline && pawl_ratchet_unrecorded(&made.ratchet);
  if (status == PAWL_OK && (unrecorded || was_cut(&made.ratchet)))
    out->verdict = pawl_worse_status(out->verdict, PAWL_UNDECIDED);
  if (status == PAWL_OK)
    pawl_log_detail(project->options.log, "report: %.2f s", pawl_seconds_since(judged));
  pawl_results_release(&made.results);
  return status;
}
