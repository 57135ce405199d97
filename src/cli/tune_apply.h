/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the result of a tuning to the suite. */
#pragma once

#include "cli/command.h"
#include "tune/tune.h"

/* Writes the recommended parameters, or prints the rule: `params` holds one setting, and the user
 * must write the code that chooses between several. Fails with PAWL_TRY_AGAIN if the suite's
 * parameters changed since the search began. */
pawl_status pawl_cli_apply_tuning(struct pawl_cli *cli, const struct pawl_tune *tune,
                                  struct pawl_project *project, const char *folder,
                                  struct pawl_error *err);
/* Applies a result whose files another process wrote: tune.json in the folder has its parameters,
   and its rule is not in memory. */
pawl_status pawl_cli_apply_written(struct pawl_cli *cli, const struct pawl_tune *tune,
                                   struct pawl_project *project, const char *folder,
                                   struct pawl_error *err);
/* Prints, and with `apply` writes, the recommendation of an earlier search or another job, without
   a build or a run. A warning tells of changes since. */
pawl_status pawl_cli_take_tuning(struct pawl_cli *cli, const char *from, bool apply,
                                 bool *recommended, struct pawl_error *err);
