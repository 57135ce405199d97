/* SPDX-License-Identifier: Apache-2.0 */
/* What a command reports of: results.json, or a verdict with its folder. */
#ifndef PAWL_CLI_SOURCE_H
#define PAWL_CLI_SOURCE_H

#include "cli/command.h"
#include "record/stored_run.h"

struct pawl_cli_source {
  struct pawl_stored_run verdict; /* of a verdict.json */
  struct pawl_results results;    /* of a results.json */
  struct pawl_run_report report;  /* of either */
};

/* `path`: FOLDER, FOLDER/verdict.json, or a file of results. */
pawl_status pawl_cli_source_read(struct pawl_cli *cli, const char *path, struct pawl_cli_source *out,
                                 struct pawl_error *err);
void pawl_cli_source_release(struct pawl_cli_source *source);

#endif
