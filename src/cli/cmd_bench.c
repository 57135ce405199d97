/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/file.h"
#include "cli/gpus.h"
#include "cli/interrupt.h"
#include "cli/style.h"
#include "fleet/parts.h"
#include "loop/history.h"
#include "project/bench_kernels.h"
#include "project/definitions.h"
#include "report/bench_table.h"
#include "report/figures.h"

/* Prints each row after its measurement if a terminal watches. The table follows at the end. */
static void tell_row(void *watcher, const struct pawl_result *row) {
  struct pawl_cli *cli = watcher;
  char median[PAWL_FIGURE];
  if (!cli->log.terminal) return;
  pawl_log_info(&cli->log, "%s on %s: %s", row->kernel_name, row->config.name,
                row->outcome == PAWL_OUTCOME_OK
                    ? pawl_figure_time(row->performance.median_ms, median)
                    : pawl_outcome_name(row->outcome));
}

static void keep(struct pawl_cli *cli, const struct pawl_suite *suite,
                 const struct pawl_results *results, bool changed) {
  const struct pawl_run_report report = {.results = results, .seconds = NAN, .cost_usd = NAN};
  pawl_loop_add_to_history(suite, &report, NULL, "bench", changed, &cli->log);
}

static pawl_status output(const struct pawl_cli *cli, const struct pawl_results *results,
                          const char *path, struct pawl_error *err) {
  if (path) PAWL_TRY(pawl_results_write(results, path, err));
  if (!cli->json) {
    const struct pawl_terminal_style look = pawl_cli_style(cli);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    pawl_report_bench(results, &look, &text);
    return pawl_cli_write(NULL, pawl_text_string(&text), text.length, err);
  }
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_results_to_json(results);
  return pawl_cli_write_json(NULL, document, err);
}

static pawl_status bench(struct pawl_cli *cli, struct pawl_project *project,
                         struct pawl_bench_selection *selection, char **names, int count,
                         const char *path, enum pawl_status_code *verdict, struct pawl_error *err) {
  struct pawl_results results;
  PAWL_TRY(pawl_cli_require_row(project, selection->only_case, err));
  pawl_results_begin(&project->git, &project->devices, &results);
  selection->measured = tell_row;
  selection->watcher = cli;
  enum pawl_status_code status = pawl_bench_named(project, names, count, selection, &results, err);
  if (status == PAWL_OK && !selection->part.count) /* the history keeps whole runs, not shards */
    keep(cli, &project->suite, &results, project->options.override_count > 0);
  if (status == PAWL_OK) status = output(cli, &results, path, err);
  *verdict = pawl_results_status(&results);
  if (status == PAWL_OK && results.count == 0) pawl_log_info(&cli->log, "there is nothing to time");
  pawl_results_release(&results);
  return status;
}

static pawl_status bench_on_several(struct pawl_cli *cli, struct pawl_fleet *fleet,
                                    const struct pawl_option *options,
                                    const struct pawl_bench_selection *selection,
                                    const struct pawl_option_list *definitions, char **names,
                                    int count, const char *path, enum pawl_status_code *verdict,
                                    struct pawl_error *err) {
  struct pawl_fleet_task task = {
      .suite = cli->suite,
      .command = "bench",
      .arguments = pawl_options_words(options, names, count, &cli->arena)};
  struct pawl_results files[PAWL_FLEET_PARTS] = {0}, joined = {0};
  PAWL_TRY(pawl_cli_build_for(cli, fleet, definitions, selection->only_case, names, count,
                              &task.cpu_apart, err));
  enum pawl_status_code status = pawl_fleet_run(fleet, &task, err);
  if (status == PAWL_OK) status = pawl_fleet_join_outputs(fleet, &cli->arena, files, &joined, err);
  struct pawl_suite suite;
  if (status == PAWL_OK) status = pawl_suite_read(cli->suite, &cli->arena, &suite, err);
  if (status == PAWL_OK) keep(cli, &suite, &joined, definitions->count > 0);
  if (status == PAWL_OK) status = output(cli, &joined, path, err);
  if (status == PAWL_OK && joined.count == 0) pawl_log_info(&cli->log, "there is nothing to time");
  *verdict = pawl_results_status(&joined);
  for (int i = 0; i < PAWL_FLEET_PARTS; i++) pawl_results_release(&files[i]);
  return status;
}

enum pawl_status_code pawl_cmd_bench(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  struct pawl_bench_selection selection = {.warmup = -1};
  struct pawl_option_list definitions = {0};
  const char *shard = NULL, *path = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &selection.only_case, "NAME", "only this case"},
      {PAWL_OPTION_STRING, "--set", &selection.assignments, "B=32,S=512",
       "shape values and dtype that replace those of the case"},
      {PAWL_OPTION_INT, "--samples", &selection.samples, "N",
       "the number of samples in all processes", 1, 1000000},
      {PAWL_OPTION_INT, "--warmup", &selection.warmup, "N",
       "calls before the first sample of each process", 0, 1000000},
      {PAWL_OPTION_STRING, "--shard", &shard, "i/n", "run only the i-th of n parts of the work"},
      {PAWL_OPTION_FLAG, "--cpu-apart", &selection.part.cpu_apart, NULL, PAWL_CPU_APART_HELP},
      PAWL_CLI_TRUST_OUTPUTS(cli),
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "write the results to FILE, as JSON"},
      PAWL_CLI_DEFINITIONS(&definitions),
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, -1, &done, err));
  if (done) return PAWL_OK;
  pawl_interrupt_says(
      "pawl wrote no results; rows that stand above are complete; pawl bench KERNEL --case NAME "
      "measures one row");
  if (path) PAWL_TRY(pawl_file_may_write(path, err));
  PAWL_TRY(pawl_parse_shard(shard, selection.part.cpu_apart, &selection.part.number,
                            &selection.part.count, err));
  enum pawl_status_code verdict = PAWL_OK;
  PAWL_CLEANUP(pawl_fleet_release) struct pawl_fleet fleet = {0};
  bool several;
  PAWL_TRY(pawl_cli_find_gpus(cli, &fleet, &several, err));
  if (several) {
    if (shard)
      return pawl_fail(err, PAWL_USAGE,
                       "cannot use '--shard' with several GPUs: the GPUs are the shards, omit it");
    const enum pawl_status_code measured = bench_on_several(
        cli, &fleet, options, &selection, &definitions, argv, argc, path, &verdict, err);
    return pawl_cli_verdict(measured, verdict, err);
  }
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, &definitions, &project, err));
  enum pawl_status_code status = pawl_definitions_check(&project, argv, argc, err);
  if (status == PAWL_OK) status = bench(cli, &project, &selection, argv, argc, path, &verdict, err);
  pawl_project_close(&project);
  return pawl_cli_verdict(status, verdict, err);
}
