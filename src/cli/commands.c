/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#define COMMAND(name, synopsis, summary) PAWL_COMMAND_FUNCTION(name);
#include "cli/commands.inc"
#undef COMMAND

const struct pawl_command pawl_commands[] = {
#define COMMAND(name, synopsis, summary) {#name, synopsis, summary, pawl_cmd_##name},
#include "cli/commands.inc"
#undef COMMAND
};
const size_t pawl_command_count = sizeof pawl_commands / sizeof *pawl_commands;
