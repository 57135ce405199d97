/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/file.h"
#include "base/secret.h"
#include "cli/command.h"
#include "cli/history_open.h"
#include "serve/dashboard.h"
#include "serve/webhook.h"

#define TOKEN_VARIABLE "PAWL_DASHBOARD_TOKEN"

static pawl_status serve_webhook(struct pawl_cli *cli, const char *listen, const char *path,
                                 const char *ca_file, struct pawl_error *err) {
  struct pawl_wake_config config;
  struct pawl_wake wake = {0};
  PAWL_TRY(pawl_wake_config_read(path, &cli->arena, &config, err));
  config.ca_file = ca_file;
  enum pawl_status_code status = pawl_wake_open(&wake, &config, true, &cli->log, err);
  if (status == PAWL_OK) status = pawl_webhook_serve(&wake, listen, err);
  pawl_wake_close(&wake);
  return status;
}

static pawl_status serve_dashboard(struct pawl_cli *cli, const char *listen, const char *token_file,
                                   struct pawl_error *err) {
  const struct pawl_secret_source source = {.env = token_file ? NULL : TOKEN_VARIABLE,
                                            .file = token_file};
  PAWL_CLEANUP(pawl_secret_clear) struct pawl_text token = {0};
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  if (token_file || getenv(TOKEN_VARIABLE))
    PAWL_TRY(pawl_secret_load(&source, "the dashboard's token", &token, err));
  struct pawl_suite suite;
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  const struct pawl_dashboard_options options = {.listen = listen ? listen : PAWL_DASHBOARD_ADDRESS,
                                                 .token = token.data,
                                                 .folder = suite.folder,
                                                 .home = home};
  return pawl_dashboard_serve(store, &options, &cli->log, err);
}

enum pawl_status_code pawl_cmd_serve(struct pawl_cli *cli, int argc, char **argv,
                                     struct pawl_error *err) {
  const char *listen = NULL, *path = NULL, *token_file = NULL, *ca_file = NULL;
  bool webhook = false, done;
  const struct pawl_option options[] = {
      {PAWL_OPTION_STRING, "--listen", &listen, "ADDR:PORT",
       "the address; 127.0.0.1:8788 by default, with --webhook the configuration's; port 0 takes a "
       "free port"},
      {PAWL_OPTION_PATH, "--token-file", &token_file, "FILE",
       "the token that visitors need; $PAWL_DASHBOARD_TOKEN by default"},
      {PAWL_OPTION_FLAG, "--webhook", &webhook, NULL,
       "receive workflow_job hooks and wake machines"},
      {PAWL_OPTION_PATH, "--config", &path, "FILE",
       "with --webhook: the configuration; pawl-wake.yaml by default"},
      {PAWL_OPTION_PATH, "--ca-file", &ca_file, "FILE", "with --webhook: " PAWL_CA_FILE_HELP},
      {PAWL_OPTION_END}};
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 0, &done, err));
  if (done) return PAWL_OK;
  if (webhook && token_file)
    return pawl_fail(err, PAWL_USAGE, "'--token-file' is for the dashboard, not for --webhook");
  if (!webhook && path) return pawl_fail(err, PAWL_USAGE, "'--config' needs --webhook");
  if (!webhook && ca_file) return pawl_fail(err, PAWL_USAGE, "'--ca-file' needs --webhook");
  return webhook ? serve_webhook(cli, listen, path ? path : "pawl-wake.yaml", ca_file, err)
                 : serve_dashboard(cli, listen, token_file, err);
}
