/* SPDX-License-Identifier: Apache-2.0 */
/* Shares the work of a command among the GPUs of `--device 0,1` or `--device all`. */
#pragma once

#include "cli/command.h"
#include "fleet/fleet.h"

/* Finds the GPUs that cli->device names. *several false: there is at most one, which cli->device is
   then, and the command does the work itself. */
pawl_status pawl_cli_find_gpus(struct pawl_cli *cli, struct pawl_fleet *fleet, bool *several,
                               struct pawl_error *err);
/* Builds the named kernels (all if none is named) before pawl times anything. Sets *cpu_kernels
 * (may be NULL) if some of them run on the CPU. Fails with PAWL_USAGE if the suite has no such
 * kernel, or no case `only_case` (NULL: no case); one message serves all shards. */
pawl_status pawl_cli_build_for(struct pawl_cli *cli, const struct pawl_fleet *fleet,
                               const struct pawl_option_list *definitions, const char *only_case,
                               char **names, int count, bool *cpu_kernels, struct pawl_error *err);
