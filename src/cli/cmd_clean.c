/* SPDX-License-Identifier: Apache-2.0 */
#include "base/count.h"
#include "base/file.h"
#include "cli/command.h"
#include "suite/read.h"

enum pawl_status_code pawl_cmd_clean(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  bool all = false;
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--all", &all, NULL,
       "remove the compiler cache, the oracle cache and the history too"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  /* Reading the suite proves that this is its folder. pawl cleans no other. */
  struct pawl_suite suite;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  static const char *const some[] = {".pawl/build", ".pawl/worktrees", "perf/out"},
                           *const everything[] = {".pawl", "perf/out"};
  const char *const *names = all ? everything : some;
  const size_t count = all ? PAWL_COUNT(everything) : PAWL_COUNT(some);
  for (size_t i = 0; i < count; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(suite.folder, names[i]);
    if (!pawl_file_exists(path)) continue;
    PAWL_TRY(pawl_remove_tree(path, err));
    pawl_log_info(&cli->log, "removed %s", path);
  }
  return PAWL_OK;
}
