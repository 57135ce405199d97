/* SPDX-License-Identifier: Apache-2.0 */
/* pawl gitlab note|status|junit|baseline [FILE...] [--dry-run] */
#include <string.h>

#include "cli/command.h"
#include "forge/post.h"
#include "report/junit.h"

static pawl_status write_junit(const struct pawl_stored_run *verdict, const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_report_junit(&verdict->report, &text);
  return pawl_cli_write(path, text.data, text.length, err);
}

static pawl_status post(struct pawl_forge *forge, const char *action, const struct pawl_stored_run *verdict,
                        struct pawl_error *err) {
  if (!strcmp(action, "status")) return pawl_forge_gitlab_status(forge, verdict, "pawl", err);
  if (!forge->is_pull_request)
    return pawl_fail(err, PAWL_USAGE, "this is not a merge request pipeline: CI_MERGE_REQUEST_IID is not set");
  return pawl_forge_comment(forge, verdict, "verdict", err);
}

static pawl_status baseline(const struct pawl_cli *cli, struct pawl_forge *forge, char *const *files, int count,
                            struct pawl_error *err) {
  const char *slash = strrchr(cli->suite, '/'), *folder = ".";
  if (slash) folder = pawl_arena_printf(forge->arena, "%.*s", (int)(slash - cli->suite) + 1, cli->suite);
  return pawl_forge_push_baseline(forge, folder, files, count, forge->default_branch ? forge->default_branch : "main",
                                  err);
}

enum pawl_status_code pawl_cmd_gitlab(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  struct pawl_forge forge = {.arena = &cli->arena, .log = &cli->log, .http = {.log = &cli->log}};
  const char *from = "perf/out", *token_file = NULL, *path = NULL;
  bool begin = false;
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--dry-run", &forge.dry_run, NULL, "print the requests and send nothing", 0, 0},
      {PAWL_OPTION_PATH, "--from", &from, "DIR", "the output of the run; perf/out by default", 0, 0},
      {PAWL_OPTION_FLAG, "--begin", &begin, NULL, "status: report that the measurement has begun", 0, 0},
      {PAWL_OPTION_PATH, "-o", &path, "FILE", "junit: the output file; standard output by default", 0, 0},
      {PAWL_OPTION_PATH, "--token-file", &token_file, "FILE", "the file with the token; GITLAB_TOKEN by default", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, -1, &done, err));
  if (done) return PAWL_OK;
  const char *action = argv[0];
  const bool junit = !strcmp(action, "junit"), moves = !strcmp(action, "baseline");
  if (!junit && !moves && strcmp(action, "note") != 0 && strcmp(action, "status") != 0)
    return pawl_fail(err, PAWL_USAGE, "no 'gitlab %s'; choose note, status, junit or baseline", action);
  if (argc > 1 && !moves) return pawl_fail(err, PAWL_USAGE, "'gitlab %s' takes no '%s'", action, argv[1]);
  if (!junit) PAWL_TRY(pawl_forge_read_gitlab(&forge, token_file, err));
  if (moves) return baseline(cli, &forge, argv + 1, argc - 1, err);
  if (begin && !strcmp(action, "status")) return pawl_forge_gitlab_status(&forge, NULL, "pawl", err);
  struct pawl_stored_run verdict = {0};
  PAWL_TRY(pawl_stored_run_read(from, &cli->arena, &verdict, err));
  const enum pawl_status_code code = junit ? write_junit(&verdict, path, err) : post(&forge, action, &verdict, err);
  pawl_stored_run_release(&verdict);
  return code;
}
