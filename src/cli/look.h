/* SPDX-License-Identifier: Apache-2.0 */
/* How results look on standard output: colours and the width are a terminal's, never a pipe's or a
 * file's. */
#ifndef PAWL_CLI_LOOK_H
#define PAWL_CLI_LOOK_H

#include "cli/general.h"
#include "report/report.h"

/* NO_COLOR (https://no-color.org) and TERM=dumb take the colours away; -q leaves the verdict alone.
 */
struct pawl_terminal_style pawl_cli_look(const struct pawl_cli *cli);

#endif
