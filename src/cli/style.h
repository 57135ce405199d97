/* SPDX-License-Identifier: Apache-2.0 */
/* The style of results on standard output. Only a terminal has colours and a width. */
#pragma once

#include "cli/general.h"
#include "report/report.h"

/* NO_COLOR (https://no-color.org) and TERM=dumb turn colours off; -q leaves only the verdict. */
struct pawl_terminal_style pawl_cli_style(const struct pawl_cli *cli);
