/* SPDX-License-Identifier: Apache-2.0 */
/* The general options stand before or after any command's name. */
#pragma once

#include "base/log.h"
#include "cli/options.h"

struct pawl_command;

struct pawl_cli {
  const char *folder; /* the folder to change to; NULL: done */
  const char *suite, *device;
  /* The reason not to use GPUs: a shard of a GPU that failed has one. NULL: none. */
  const char *gpu_lost;
  const char *wait;    /* --wait TIME; NULL: the default */
  double wait_seconds; /* the same; 0: the default */
  bool trusts_outputs; /* --trust-outputs of commands that have it */
  bool only_lists;     /* the command measures nothing: pawl_cli_open */
  bool json, verbose, quiet;
  bool pull_request; /* a job measures the tree for others */
  struct pawl_log log;
  struct pawl_arena arena; /* lives as long as the command */
  const struct pawl_command *command;
};

#define PAWL_GENERAL_OPTIONS 8

/* Fills `out`, without the row that ends a table. */
void pawl_general_options(struct pawl_cli *cli, struct pawl_option out[PAWL_GENERAL_OPTIONS]);
/* Applies the options: changes to the folder and sets the amount of output. A second -C starts in
   that folder. PAWL_NO_INPUT or another status of errno: the folder. */
pawl_status pawl_general_apply(struct pawl_cli *cli, struct pawl_error *err);
