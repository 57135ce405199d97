/* SPDX-License-Identifier: Apache-2.0 */
/* `--device 0,1` and `--device all`, of the commands that several GPUs can share. */
#ifndef PAWL_CLI_GPUS_H
#define PAWL_CLI_GPUS_H

#include "cli/command.h"
#include "fleet/fleet.h"

/* Finds the GPUs that cli->device names. Of one alone (or where none is named) *several is false:
   cli->device is it, and the command does the work itself. */
pawl_status pawl_cli_find_gpus(struct pawl_cli *cli, struct pawl_fleet *fleet, bool *several,
                               struct pawl_error *err);
/* Builds the kernels named (all when none is) before anything is timed. *cpu_kernels (may be NULL):
   some of them run on the CPU. PAWL_USAGE: the suite has no such kernel, or no case `only_case`
   (NULL: none is named): said once, not by every part. */
pawl_status pawl_cli_build_for(struct pawl_cli *cli, const struct pawl_fleet *fleet,
                               const struct pawl_option_list *definitions, const char *only_case,
                               char **names, int count, bool *cpu_kernels, struct pawl_error *err);
/* Ends the arguments of a part: the definitions and the kernels' names again. */
void pawl_cli_add_arguments(const char **arguments, size_t used,
                            const struct pawl_option_list *definitions, char **names, int count);

#endif
