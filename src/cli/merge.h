/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of one measurement in files of their own, joined. */
#ifndef PAWL_CLI_MERGE_H
#define PAWL_CLI_MERGE_H

#include "cli/command.h"
#include "model/result.h"

/* Reads the files into files[0 .. count), which keep the strings and are to be released, and joins their rows in
 *merged. PAWL_BAD_DATA: of different commits or hardware, or a kernel and case twice. */
pawl_status pawl_cli_merge(struct pawl_cli *cli, char *const *paths, int count, struct pawl_results *files,
                           struct pawl_results *merged, struct pawl_error *err);

#endif
