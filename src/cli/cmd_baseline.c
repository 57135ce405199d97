/* SPDX-License-Identifier: Apache-2.0 */
/* pawl baseline accept KERNEL --case NAME --reason TEXT [--results FILE] */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "gate/ratchet.h"
#include "loop/baseline_source.h"

struct acceptance {
  struct pawl_results results;
  const char *kernel, *case_name, *reason;
};

static enum pawl_status_code accept(void *context, struct pawl_baseline *baseline, struct pawl_arena *arena,
                                    bool *changed, struct pawl_error *err) {
  struct acceptance *acceptance = context;
  *changed = true;
  return pawl_baseline_accept(baseline, &acceptance->results, acceptance->kernel, acceptance->case_name,
                              acceptance->reason, arena, err);
}

PAWL_COMMAND(baseline) {
  struct acceptance acceptance = {0};
  const char *path = "perf/out/results.json", *baseline = PAWL_BASELINE_PATH;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--case", &acceptance.case_name, "NAME", "the case", 0, 0},
      {PAWL_OPTION_STRING, "--reason", &acceptance.reason, "TEXT", "the reason; the file keeps it and reports show it",
       0, 0},
      {PAWL_OPTION_PATH, "--results", &path, "FILE", "the results to accept; perf/out/results.json by default", 0, 0},
      {PAWL_OPTION_PATH, "--baseline", &baseline, "FILE", "the baseline; perf/baseline.json by default", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 2, 2, &done, err));
  if (done) return PAWL_OK;
  if (strcmp(argv[0], "accept") != 0)
    return pawl_fail(err, PAWL_USAGE, "no action '%s'; usage: pawl %s", argv[0], cli->command->synopsis);
  if (!acceptance.case_name)
    return pawl_fail(err, PAWL_USAGE, "'--case' is missing; usage: pawl %s", cli->command->synopsis);
  if (!acceptance.reason || !*acceptance.reason)
    return pawl_fail(err, PAWL_USAGE, "'--reason' is missing: tell others why you accept the loss");
  acceptance.kernel = argv[1];
  enum pawl_status_code status = pawl_results_read(path, &cli->arena, &acceptance.results, err);
  if (status == PAWL_OK) {
    const char *lock = pawl_baseline_lock_path(baseline, &cli->arena);
    status = pawl_baseline_update(baseline, lock, PAWL_BASELINE_LOCK_SECONDS, accept, &acceptance, &cli->arena, err);
  }
  pawl_results_release(&acceptance.results);
  if (status == PAWL_OK)
    pawl_log_info(&cli->log, "accepted %s on %s in %s; commit this file", acceptance.kernel, acceptance.case_name,
                  baseline);
  return status;
}
