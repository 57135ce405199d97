/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning found goes into the suite. */
#ifndef PAWL_CLI_TUNE_APPLY_H
#define PAWL_CLI_TUNE_APPLY_H

#include "cli/command.h"
#include "tune/tune.h"

/* Writes the recommended parameters, or prints the rule: params hold one setting, and what chooses
   between several is code, the user's to write. PAWL_TRY_AGAIN: somebody changed the parameters in
   the suite since the search began. */
pawl_status pawl_cli_apply_tuning(struct pawl_cli *cli, const struct pawl_tune *tune,
                                  struct pawl_project *project, const char *folder,
                                  struct pawl_error *err);
/* The same of a result that others wrote: its parameters are in the tune.json of the folder, and
 * its rule is not here.
 */
pawl_status pawl_cli_apply_written(struct pawl_cli *cli, const struct pawl_tune *tune,
                                   struct pawl_project *project, const char *folder,
                                   struct pawl_error *err);
/* What an earlier search recommends, or another job's; nothing is built or run. A warning says what
 * has changed since.
 */
pawl_status pawl_cli_take_tuning(struct pawl_cli *cli, const char *from, bool apply,
                                 bool *recommended, struct pawl_error *err);

#endif
