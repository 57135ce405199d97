/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "base/count.h"

const struct pawl_command pawl_commands[] = {
#define COMMAND(name, function, synopsis, summary) {#name, synopsis, summary, function},
#include "cli/commands.inc"
#undef COMMAND
};
const size_t pawl_command_count = PAWL_COUNT(pawl_commands);
