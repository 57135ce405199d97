/* SPDX-License-Identifier: Apache-2.0 */
/* pawl gitlab note|junit [--dry-run] */
#include <string.h>

#include "cli/command.h"
#include "forge/post.h"
#include "report/junit.h"

static pawl_status write_junit(const struct pawl_forge_verdict *verdict, const char *path, struct pawl_error *err) {
  struct pawl_text text PAWL_CLEANUP(pawl_text_clear) = {0};
  pawl_report_junit(&verdict->report, &text);
  return pawl_cli_write(path, text.data, text.length, err);
}

PAWL_COMMAND(gitlab) {
  struct pawl_forge forge = {.arena = &cli->arena, .log = &cli->log, .http = {.log = &cli->log}};
  const char *from = "perf/out", *token_file = NULL, *path = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--dry-run", &forge.dry_run, NULL, "print what would be sent, send and ask nothing", 0, 0},
      {PAWL_OPTION_STRING, "--from", &from, "DIR", "the run's output; perf/out by default", 0, 0},
      {PAWL_OPTION_STRING, "-o", &path, "FILE", "junit: where to write it; standard output by default", 0, 0},
      {PAWL_OPTION_STRING, "--token-file", &token_file, "FILE", "holds the token; else GITLAB_TOKEN", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 1, &done, err));
  if (done) return PAWL_OK;
  const bool note = !strcmp(argv[0], "note");
  if (!note && strcmp(argv[0], "junit") != 0)
    return pawl_fail(err, PAWL_USAGE, "no 'gitlab %s'; there are note and junit", argv[0]);
  if (note) PAWL_TRY(pawl_forge_read_gitlab(&forge, token_file, err));
  struct pawl_forge_verdict verdict = {0};
  PAWL_TRY(pawl_forge_verdict_read(from, &cli->arena, &verdict, err));
  const enum pawl_status_code code =
      note ? pawl_forge_comment(&forge, &verdict, "verdict", err) : write_junit(&verdict, path, err);
  pawl_forge_verdict_release(&verdict);
  return code;
}
