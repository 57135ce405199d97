/* SPDX-License-Identifier: Apache-2.0 */
/* pawl run [--against baseline|REV|none] [--update-baseline] [--reduced] [--shard i/n] [-o DIR] */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/merge_runs.h"
#include "cli/team.h"
#include "loop/run.h"

#define PAWL_RUN_FOLDER "perf/out"

static pawl_status print_verdict(const struct pawl_cli *cli, const char *folder, const char *summary,
                                 struct pawl_error *err) {
  if (!cli->json) return pawl_cli_write(NULL, summary, strlen(summary), err);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "verdict.json");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  return pawl_cli_write(NULL, text.data, text.length, err);
}

static pawl_status find_anchor(struct pawl_project *project, const char *against, struct pawl_run_options *run,
                               struct pawl_error *err) {
  if (!strcmp(against, "baseline")) return PAWL_OK;
  run->unpaired = !strcmp(against, "none");
  if (run->unpaired) return PAWL_OK;
  if (!project->git.commit)
    return pawl_fail(err, PAWL_NO_INPUT, "cannot measure against '%s': %s", against, project->git_reason);
  return pawl_git_resolve(project->git.root, against, &project->arena, &run->anchor, err);
}

/* perf/out of the suite's folder. */
static pawl_status default_folder(struct pawl_cli *cli, const char **out, struct pawl_error *err) {
  struct pawl_suite suite;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(suite.folder, PAWL_RUN_FOLDER);
  *out = pawl_arena_copy(&cli->arena, path);
  return PAWL_OK;
}

static pawl_status run_on_several(struct pawl_team *team, const struct pawl_run_options *run, const char *against,
                                  enum pawl_status_code *verdict, struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  const char *words[8] = {"--against", against}, *folder = run->folder;
  size_t used = 2;
  if (run->update_baseline) words[used++] = "--update-baseline";
  if (run->reduced) words[used++] = "--reduced";
  const struct pawl_team_task task = {.command = "run", .words = words, .cpu_apart = true};
  if (!folder) PAWL_TRY(default_folder(team->cli, &folder, err));
  PAWL_TRY(pawl_team_build(team, NULL, NULL, NULL, 0, err));
  if (run->update_baseline && team->cpu_kernels)
    return pawl_fail(err, PAWL_USAGE,
                     "'--update-baseline' on several GPUs: the suite has kernels for the CPU too, which come after the "
                     "GPUs' part has changed the tree; name one GPU");
  PAWL_TRY(pawl_team_work(team, &task, err));
  *verdict = pawl_team_verdict(team);
  PAWL_TRY(
      pawl_cli_merge_runs(team->cli, team->outputs, (size_t)team->part_count, folder, pawl_seconds_since(begin), err));
  pawl_log_info(&team->cli->log, "the report is in %s", folder);
  return PAWL_OK;
}

PAWL_COMMAND(run) {
  struct pawl_run_options run = {0};
  const char *against = "baseline", *shard = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--against", &against, "baseline|REV|none",
       "what to measure against: the baseline's commit, a revision, or stored samples only", 0, 0},
      {PAWL_OPTION_FLAG, "--update-baseline", &run.update_baseline, NULL,
       "record new kernels and improvements in perf/baseline.json", 0, 0},
      {PAWL_OPTION_FLAG, "--reduced", &run.reduced, NULL, "check only the smallest shapes of the matrix", 0, 0},
      {PAWL_OPTION_STRING, "--shard", &shard, "i/n", "the i-th of n parts of the suite; pawl merge joins them", 0, 0},
      {PAWL_OPTION_FLAG, "--cpu-apart", &run.cpu_apart, NULL, PAWL_CPU_APART_HELP, 0, 0},
      {PAWL_OPTION_STRING, "-o", &run.folder, "DIR", "where the output goes; perf/out by default", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  PAWL_TRY(pawl_parse_shard(shard, run.cpu_apart, &run.shard, &run.shards, err));
  enum pawl_status_code verdict = PAWL_OK;
  PAWL_CLEANUP(pawl_team_release) struct pawl_team team;
  bool several;
  PAWL_TRY(pawl_team_gather(&team, cli, &several, err));
  if (several) {
    if (shard) return pawl_fail(err, PAWL_USAGE, "'--shard' and several GPUs: the GPUs are the shards, leave it out");
    const enum pawl_status_code measured = run_on_several(&team, &run, against, &verdict, err);
    return pawl_cli_verdict(measured, verdict, err);
  }
  struct pawl_project project;
  PAWL_TRY(pawl_cli_open(cli, NULL, &project, err));
  if (!run.folder) run.folder = pawl_project_path(&project, PAWL_RUN_FOLDER);
  const char *summary = NULL;
  enum pawl_status_code status = find_anchor(&project, against, &run, err);
  if (status == PAWL_OK) status = pawl_loop_run(&project, &run, &summary, &verdict, err);
  if (status == PAWL_OK) status = print_verdict(cli, run.folder, summary, err);
  if (status == PAWL_OK) pawl_log_info(&cli->log, "the report is in %s", run.folder);
  pawl_project_close(&project);
  return pawl_cli_verdict(status, verdict, err);
}
