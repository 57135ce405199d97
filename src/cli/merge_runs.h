/* SPDX-License-Identifier: Apache-2.0 */
/* pawl merge DIR... -o DIR */
#ifndef PAWL_CLI_MERGE_RUNS_H
#define PAWL_CLI_MERGE_RUNS_H

#include "cli/command.h"

/* Joins the outputs of `pawl run --shard`, all parts of one run, to that of a run of one machine: verdict.json,
   results.json and report.md in `out`. PAWL_BAD_DATA: they do not belong together, or one is missing. */
/* `seconds`: what the whole took, where the parts were at work at once; NaN: their sum. */
pawl_status pawl_cli_merge_runs(struct pawl_cli *cli, char *const *folders, size_t count, const char *out,
                                double seconds, struct pawl_error *err);

#endif
