/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "cli/command.h"
#include "fleet/parts.h"
#include "report/report.h"

static pawl_status merge_results(struct pawl_cli *cli, char **paths, size_t count, const char *out,
                                 struct pawl_error *err) {
  struct pawl_results *files = pawl_arena_alloc(&cli->arena, count, sizeof *files), joined = {0};
  enum pawl_status_code status =
      pawl_fleet_join_results(paths, count, &cli->arena, files, &joined, err);
  if (status == PAWL_OK) status = pawl_results_write(&joined, out, err);
  for (size_t i = 0; i < count; i++) pawl_results_release(&files[i]);
  return status;
}

static pawl_status merge_runs(struct pawl_cli *cli, char **folders, size_t count, const char *out,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_run_parts_release) struct pawl_run_parts parts = {0};
  PAWL_TRY(pawl_fleet_join_runs(folders, count, &cli->arena, &parts, err));
  PAWL_TRY(pawl_report_folder(&parts.joined.report, out, NULL, err));
  PAWL_TRY(pawl_run_parts_copy_profiles(&parts, folders, out, err));
  return pawl_cli_print_report(cli, out, &parts.joined.report, err);
}

enum pawl_status_code pawl_cmd_merge(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  const char *out = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_PATH, "-o", &out, "FILE",
       "the file for the joined results, or the folder for the joined run"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, -1, &done, err));
  if (done) return PAWL_OK;
  if (!out)
    return pawl_fail(err, PAWL_USAGE, "'-o FILE' is missing; usage: pawl %s",
                     cli->command->synopsis);
  if (pawl_is_folder(argv[0])) return merge_runs(cli, argv, (size_t)argc, out, err);
  return merge_results(cli, argv, (size_t)argc, out, err);
}
