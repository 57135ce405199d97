/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "cli/duration.h"
#include "cli/gpus.h"
#include "cli/interrupt.h"
#include "cli/style.h"
#include "fleet/parts.h"
#include "loop/history.h"
#include "loop/run.h"
#include "project/kernels.h"
#include "report/report.h"

/* Indexed by enum pawl_references. */
static const char *const references_names[] = {"kept", "fresh", "none"};

static pawl_status parse_references(const char *word, enum pawl_references *out,
                                    struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text names = {0};
  const int found = pawl_name_index(references_names, PAWL_COUNT(references_names), word);
  if (found < 0)
    return pawl_fail(err, PAWL_USAGE, "'--references' must be %s, not '%s'",
                     pawl_text_add_names(&names, references_names, PAWL_COUNT(references_names)),
                     word);
  *out = (enum pawl_references)found;
  return PAWL_OK;
}

static pawl_status find_anchor(struct pawl_project *project, const char *against,
                               struct pawl_run_options *run, struct pawl_error *err) {
  if (!strcmp(against, "baseline")) return PAWL_OK;
  run->unpaired = !strcmp(against, "none");
  if (run->unpaired) return PAWL_OK;
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NO_INPUT, "cannot measure against '%s': %s", against,
                     project->git.reason);
  return pawl_git_resolve(project->git.root, against, &project->arena, &run->anchor, err);
}

static pawl_status cmd_run_check_names(struct pawl_project *project,
                                       const struct pawl_selection *only, struct pawl_error *err) {
  const struct pawl_kernel_spec **specs;
  size_t count;
  PAWL_TRY(pawl_cli_require_row(project, only->case_name, err));
  PAWL_TRY(pawl_kernels_named(&project->suite, &project->arena, only->kernels, only->kernel_count,
                              &specs, &count, err));
  return pawl_selection_check_names(only, &project->suite, err);
}

static pawl_status default_folder(struct pawl_cli *cli, const struct pawl_suite *suite,
                                  const char **out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(suite->folder, PAWL_OUTPUT_FOLDER);
  PAWL_TRY(pawl_make_ignored_folder(path, err));
  *out = pawl_arena_copy(&cli->arena, path);
  return PAWL_OK;
}

static pawl_status remove_old_report(const struct pawl_cli *cli, const char *folder,
                                     struct pawl_error *err) {
  if (folder) return pawl_report_remove(folder, err);
  PAWL_CLEANUP(pawl_free_pointer) char *suite_folder = pawl_path_folder(cli->suite);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(suite_folder, PAWL_OUTPUT_FOLDER);
  return pawl_report_remove(path, err);
}

/* The parts of a run on several GPUs are quiet, so the line appears once. */
static const char *run_line(const struct pawl_cli *cli, const char *text) {
  return cli->log.level == PAWL_LOG_QUIET ? NULL : text;
}

static void stop_on_interrupt(const struct pawl_cli *cli) {
  pawl_interrupt_asks(run_line(cli,
                               "stopping; pawl writes the report of the rows that are "
                               "decided; Ctrl-C again ends it at once"),
                      pawl_budget_interrupt);
}

static pawl_status run_on_several(struct pawl_cli *cli, struct pawl_fleet *fleet,
                                  const struct pawl_option *options,
                                  const struct pawl_run_options *run,
                                  enum pawl_status_code *verdict, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  const struct pawl_selection *only = &run->selection;
  const char *folder = run->folder;
  struct pawl_fleet_task task = {
      .suite = cli->suite,
      .command = "run",
      .arguments = pawl_options_words(options, only->kernels, only->kernel_count, &cli->arena)};
  PAWL_CLEANUP(pawl_run_parts_release) struct pawl_run_parts parts = {0};
  struct pawl_suite suite;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  if (!folder) PAWL_TRY(default_folder(cli, &suite, &folder, err));
  stop_on_interrupt(cli);
  pawl_budget_begin(run->budget_seconds);
  const enum pawl_status_code built = pawl_cli_build_for(
      cli, fleet, NULL, only->case_name, only->kernels, only->kernel_count, &task.cpu_apart, err);
  /* the parts say what is not measured */
  if (built != PAWL_OK && !pawl_budget_ended(built)) return built;
  if (run->update_baseline && task.cpu_apart)
    return pawl_fail(err, PAWL_USAGE,
                     "cannot use '--update-baseline' with several GPUs: the suite also has CPU "
                     "kernels, which run after the update has changed the tree; name one GPU");
  PAWL_TRY(pawl_fleet_run(fleet, &task, err));
  *verdict = pawl_fleet_verdict(fleet);
  PAWL_TRY(
      pawl_fleet_join_runs(fleet->outputs, (size_t)fleet->part_count, &cli->arena, &parts, err));
  pawl_run_parts_took(&parts, pawl_seconds_since(begin));
  PAWL_TRY(pawl_report_folder(&parts.joined.report, folder, NULL, err));
  PAWL_TRY(pawl_run_parts_copy_profiles(&parts, fleet->outputs, folder, err));
  pawl_loop_add_to_history(&suite, &parts.joined.report, folder, "run", false, &cli->log);
  PAWL_TRY(pawl_cli_print_report(cli, folder, &parts.joined.report, err));
  pawl_log_info(&cli->log, "the report is in %s", folder);
  return PAWL_OK;
}

/* The output of the verdict, and the error of that output. */
struct said {
  enum pawl_status_code status;
  struct pawl_error error;
};

static void say(void *context, const char *summary) {
  struct said *said = context;
  said->status = pawl_cli_write(NULL, summary, strlen(summary), &said->error);
}

static pawl_status run_here(struct pawl_cli *cli, struct pawl_run_options *run, const char *against,
                            enum pawl_status_code *verdict, struct pawl_error *err) {
  struct pawl_project project;
  struct pawl_run_outcome outcome = {0};
  struct said said = {.status = PAWL_OK};
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  project.options.judges_code = true;
  run->say = cli->json ? NULL : say;
  run->context = &said;
  stop_on_interrupt(cli);
  enum pawl_status_code status = cmd_run_check_names(&project, &run->selection, err);
  if (status == PAWL_OK) status = find_anchor(&project, against, run, err);
  if (status == PAWL_OK) status = pawl_loop_run(&project, run, &outcome, err);
  if (status == PAWL_OK && cli->json) status = pawl_cli_print_run(cli, outcome.folder, NULL, err);
  if (status == PAWL_OK && said.status != PAWL_OK) {
    status = said.status;
    *err = said.error;
  }
  if (status == PAWL_OK) pawl_log_info(&cli->log, "the report is in %s", outcome.folder);
  if (status == PAWL_OK && outcome.next) pawl_log_info(&cli->log, "next: %s", outcome.next);
  *verdict = outcome.verdict;
  pawl_project_close(&project);
  return status;
}

/* A proof by machine code needs a base and gives no time. */
static pawl_status check_code_only(const struct pawl_cli *cli, struct pawl_run_options *run,
                                   const char *against, struct pawl_error *err) {
  if (!run->code_only) return PAWL_OK;
  const char *other = run->update_baseline               ? "--update-baseline"
                      : strcmp(against, "baseline") != 0 ? "--against"
                      : pawl_cli_names_gpus(cli)         ? "--gpus"
                                                         : NULL;
  if (other)
    return pawl_fail(err, PAWL_USAGE, "cannot use '--code-only' with '%s', omit one of the two",
                     other);
  run->references = PAWL_REFERENCES_NONE;
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_run(struct pawl_cli *cli, int argc, char **argv,
                                   struct pawl_error *err) {
  struct pawl_run_options run = {0};
  const char *against = "baseline", *references = "kept", *shard = NULL, *budget = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &run.selection.case_name, "NAME", "only this case"},
      {PAWL_OPTION_STRING, "--against", &against, "baseline|REV|none",
       "the base: the baseline's commit, a revision, or only stored samples"},
      {PAWL_OPTION_FLAG, "--update-baseline", &run.update_baseline, NULL,
       "record new kernels and improvements in perf/baseline.json"},
      PAWL_CLI_TRUST_OUTPUTS(cli),
      {PAWL_OPTION_STRING, "--references", &references, "kept|fresh|none",
       "take results of references from earlier runs, measure all anew, or leave references out"},
      {PAWL_OPTION_FLAG, "--code-only", &run.code_only, NULL,
       "measure nothing: exit 0 if machine code proves that this change alters nothing, else 2"},
      {PAWL_OPTION_FLAG, "--reduced", &run.reduced, NULL,
       "check only the smallest shapes of the matrix"},
      {PAWL_OPTION_STRING, "--budget", &budget, "TIME",
       "end the run after this time, such as 60s or 5m: decided rows stay, the others are not "
       "measured"},
      {PAWL_OPTION_STRING, "--shard", &shard, "i/n",
       "run only the i-th of n parts of the suite; pawl merge joins them"},
      {PAWL_OPTION_SEED, "--seed", &run.seed, "N",
       "the seed of the places of the arms in blocks; random by default"},
      {PAWL_OPTION_FLAG, "--cpu-apart", &run.selection.cpu_apart, NULL, PAWL_CPU_APART_HELP},
      {PAWL_OPTION_PATH, "-o", &run.folder, "DIR", "the output folder; perf/out by default"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  pawl_interrupt_says(run_line(cli,
                               "pawl wrote no report; it keeps builds and expected values, "
                               "so that the same command starts faster"));
  PAWL_TRY(parse_references(references, &run.references, err));
  PAWL_TRY(check_code_only(cli, &run, against, err));
  run.look = pawl_cli_style(cli);
  run.selection.kernels = argv;
  run.selection.kernel_count = argc;
  PAWL_TRY(pawl_parse_shard(shard, run.selection.cpu_apart, &run.selection.number,
                            &run.selection.count, err));
  PAWL_TRY(pawl_parse_duration("--budget", budget, &run.budget_seconds, err));
  PAWL_TRY(remove_old_report(cli, run.folder, err));
  enum pawl_status_code verdict = PAWL_OK;
  PAWL_CLEANUP(pawl_fleet_release) struct pawl_fleet fleet = {0};
  bool several;
  PAWL_TRY(pawl_cli_find_gpus(cli, &fleet, &several, err));
  if (several) {
    if (shard)
      return pawl_fail(err, PAWL_USAGE,
                       "cannot use '--shard' with several GPUs: the GPUs are the shards, omit it");
    const enum pawl_status_code measured =
        run_on_several(cli, &fleet, options, &run, &verdict, err);
    return pawl_cli_verdict(measured, verdict, err);
  }
  const enum pawl_status_code status = run_here(cli, &run, against, &verdict, err);
  return pawl_cli_verdict(status, verdict, err);
}
