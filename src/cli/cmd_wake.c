/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "serve/wake.h"

/* Polls the code host, then runs the due commands. A failed poll does not keep a machine from its
   start. */
static pawl_status step(struct pawl_wake *wake, struct pawl_error *err) {
  struct pawl_error failure = {0};
  enum pawl_status_code polled = PAWL_OK;
  if (wake->token.length) {
    polled = pawl_wake_poll(wake, &failure);
  } else {
    pawl_log_detail(wake->log, "no token in the configuration: pawl does not ask the code host");
  }
  const enum pawl_status_code status = pawl_wake_step(wake, err);
  if (status == PAWL_OK && polled != PAWL_OK)
    return pawl_fail(err, polled, "polling failed: %s", failure.message);
  if (polled != PAWL_OK) pawl_log_warning(wake->log, "polling failed: %s", failure.message);
  return status;
}

static pawl_status cmd_wake_by_hand(struct pawl_wake *wake, const char *verb, const char *name,
                                    struct pawl_error *err) {
  int machine;
  const bool start = strcmp(verb, "start") == 0;
  if (!start && strcmp(verb, "stop") != 0)
    return pawl_fail(err, PAWL_USAGE, "'%s' is not start or stop", verb);
  PAWL_TRY(pawl_wake_config_machine(wake->config, name, &machine, err));
  return pawl_wake_act(wake, machine, start ? PAWL_ACTION_START : PAWL_ACTION_STOP, err);
}

static pawl_status show(const struct pawl_cli *cli, struct pawl_wake *wake,
                        struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_wake_to_json(wake);
  if (cli->json) return pawl_cli_write_json(NULL, document, err);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const json_t *machines = json_object_get(document, "machines");
  for (size_t i = 0; i < json_array_size(machines); i++) {
    const json_t *row = json_array_get(machines, i);
    pawl_text_printf(&text, "%s: %s, %lld queued, %lld running\n",
                     json_string_value(json_object_get(row, "machine")),
                     json_string_value(json_object_get(row, "state")),
                     (long long)json_integer_value(json_object_get(row, "queued")),
                     (long long)json_integer_value(json_object_get(row, "running")));
  }
  return pawl_cli_write(NULL, pawl_text_string(&text), text.length, err);
}

enum pawl_status_code pawl_cmd_wake(struct pawl_cli *cli, int argc, char **argv,
                                    struct pawl_error *err) {
  const char *path = "pawl-wake.yaml", *ca_file = NULL;
  bool done;
  const struct pawl_option options[] = {
      {PAWL_OPTION_PATH, "--config", &path, "FILE", "the configuration; pawl-wake.yaml by default"},
      {PAWL_OPTION_PATH, "--ca-file", &ca_file, "FILE", PAWL_CA_FILE_HELP},
      {PAWL_OPTION_END}};
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 2, &done, err));
  if (done) return PAWL_OK;
  if (argc == 1)
    return pawl_fail(err, PAWL_USAGE, "the machine is missing; usage: pawl %s",
                     cli->command->synopsis);
  struct pawl_wake_config config;
  struct pawl_wake wake = {0};
  PAWL_TRY(pawl_wake_config_read(path, &cli->arena, &config, err));
  config.ca_file = ca_file;
  enum pawl_status_code status = pawl_wake_open(&wake, &config, false, &cli->log, err);
  if (status == PAWL_OK)
    status = argc ? cmd_wake_by_hand(&wake, argv[0], argv[1], err) : step(&wake, err);
  if (status == PAWL_OK) status = show(cli, &wake, err);
  pawl_wake_close(&wake);
  return status;
}
