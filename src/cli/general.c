/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/general.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/duration.h"

void pawl_general_options(struct pawl_cli *cli, struct pawl_option out[PAWL_GENERAL_OPTIONS]) {
  const struct pawl_option rows[PAWL_GENERAL_OPTIONS] = {
      {PAWL_OPTION_PATH, "-C", &cli->folder, "DIR", "work in DIR"},
      {PAWL_OPTION_PATH, "-f", &cli->suite, "FILE", "the suite; pawl.yaml by default"},
      {PAWL_OPTION_FLAG, "-v", &cli->verbose, NULL, "print more"},
      {PAWL_OPTION_FLAG, "-q", &cli->quiet, NULL, "print only results and errors"},
      {PAWL_OPTION_FLAG, "--json", &cli->json, NULL, "print results as JSON"},
      {PAWL_OPTION_STRING, "--device", &cli->device, "N|UUID",
       "the GPU to use; run, check, bench and tune also take several: 0,1 or all"},
      {PAWL_OPTION_STRING, "--wait", &cli->wait, "TIME",
       "how long to wait while another pawl times on the same CPUs or GPU: 90s, 20m; 10m by "
       "default"},
      {PAWL_OPTION_STRING, "--gpu-lost", &cli->gpu_lost, "REASON",
       "run no kernel on a GPU: each GPU kernel is inconclusive for this reason"}};
  memcpy(out, rows, sizeof rows);
}

pawl_status pawl_general_apply(struct pawl_cli *cli, struct pawl_error *err) {
  const char *folder = cli->folder;
  if (folder && chdir(folder)) return pawl_fail_errno(err, errno, "cannot work in '%s'", folder);
  cli->folder = NULL;
  PAWL_TRY(pawl_parse_duration("--wait", cli->wait, &cli->wait_seconds, err));
  pawl_log_init(&cli->log, cli->quiet     ? PAWL_LOG_QUIET
                           : cli->verbose ? PAWL_LOG_VERBOSE
                                          : PAWL_LOG_NORMAL);
  return PAWL_OK;
}
