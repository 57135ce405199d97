/* SPDX-License-Identifier: Apache-2.0 */
/* The options of every command: they stand before its name or after it. */
#ifndef PAWL_CLI_GENERAL_H
#define PAWL_CLI_GENERAL_H

#include "base/log.h"
#include "cli/options.h"

struct pawl_command;

/* What the options of every command said. */
struct pawl_cli {
  const char *folder; /* to go to; NULL once there */
  const char *suite, *device;
  const char *gpu_lost; /* why GPUs are not to be used: the part of a GPU that failed; NULL */
  bool json, verbose, quiet;
  struct pawl_log log;
  struct pawl_arena arena; /* lives as long as the command */
  const struct pawl_command *command;
};

#define PAWL_GENERAL_OPTIONS 7

/* Fills `out`, without a row that ends it. */
void pawl_general_options(struct pawl_cli *cli, struct pawl_option out[PAWL_GENERAL_OPTIONS]);
/* Does what the options that were read say: goes to the folder, sets how much is printed. Another
   -C starts there. PAWL_NO_INPUT or another status of errno: the folder. */
pawl_status pawl_general_apply(struct pawl_cli *cli, struct pawl_error *err);

#endif
