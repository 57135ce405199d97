/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history_open.h"

#include <string.h>

#include "suite/read.h"

pawl_status pawl_history_open(struct pawl_cli *cli, struct pawl_suite *suite,
                              struct pawl_store **out, struct pawl_error *err) {
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, suite, err));
  if (!strcmp(suite->store, PAWL_STORE_NONE))
    return pawl_fail(err, PAWL_NO_INPUT, "'%s' keeps no history: its 'store' is none", suite->path);
  return pawl_store_open(suite->store, suite->folder, &cli->log, out, err);
}

pawl_status pawl_history_open_kept(struct pawl_cli *cli, struct pawl_store **out,
                                   struct pawl_error *err) {
  struct pawl_suite suite;
  bool exists = false;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  if (strcmp(suite.store, PAWL_STORE_NONE) != 0)
    PAWL_TRY(pawl_store_exists(suite.store, suite.folder, &exists, err));
  *out = NULL;
  return exists ? pawl_store_open(suite.store, suite.folder, &cli->log, out, err) : PAWL_OK;
}
