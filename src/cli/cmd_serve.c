/* SPDX-License-Identifier: Apache-2.0 */
/* pawl serve --webhook [--listen ADDR:PORT] [--config FILE] */
#include "cli/command.h"
#include "serve/webhook.h"

enum pawl_status_code pawl_cmd_serve(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  const char *listen = NULL, *path = "pawl-wake.yaml";
  bool webhook = false, done;
  const struct pawl_option options[] = {
      {PAWL_OPTION_FLAG, "--webhook", &webhook, NULL, "receive workflow_job hooks and wake machines", 0, 0},
      {PAWL_OPTION_STRING, "--listen", &listen, "ADDR:PORT",
       "the address, which replaces the configuration's; port 0 takes a free port", 0, 0},
      {PAWL_OPTION_PATH, "--config", &path, "FILE", "the configuration; pawl-wake.yaml by default", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  if (!webhook) return pawl_fail(err, PAWL_USAGE, "'serve' needs --webhook");
  struct pawl_wake_config config;
  struct pawl_wake wake = {0};
  PAWL_TRY(pawl_wake_config_read(path, &cli->arena, &config, err));
  enum pawl_status_code status = pawl_wake_open(&wake, &config, true, &cli->log, err);
  if (status == PAWL_OK) status = pawl_webhook_serve(&wake, listen, err);
  pawl_wake_close(&wake);
  return status;
}
