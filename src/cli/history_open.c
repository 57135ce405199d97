/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history_open.h"

#include <string.h>

#include "store/ancestry.h"
#include "suite/read.h"

/* The repository of the suite may know the order of commits that the store does not. */
static pawl_status history_open_ordered(struct pawl_cli *cli, const struct pawl_suite *suite,
                                        struct pawl_store **out, struct pawl_error *err) {
  PAWL_TRY(pawl_store_open(suite->store, suite->folder, &cli->log, out, err));
  pawl_store_learn(*out, suite->folder);
  return PAWL_OK;
}

pawl_status pawl_history_open(struct pawl_cli *cli, struct pawl_suite *suite,
                              struct pawl_store **out, struct pawl_error *err) {
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, suite, err));
  if (!strcmp(suite->store, PAWL_STORE_NONE))
    return pawl_fail(err, PAWL_NO_INPUT, "'%s' keeps no history: its 'store' is none", suite->path);
  return history_open_ordered(cli, suite, out, err);
}

pawl_status pawl_history_open_kept(struct pawl_cli *cli, struct pawl_store **out,
                                   struct pawl_error *err) {
  struct pawl_suite suite;
  bool exists = false;
  PAWL_TRY(pawl_suite_read(cli->suite, &cli->arena, &suite, err));
  if (strcmp(suite.store, PAWL_STORE_NONE) != 0)
    PAWL_TRY(pawl_store_exists(suite.store, suite.folder, &exists, err));
  *out = NULL;
  return exists ? history_open_ordered(cli, &suite, out, err) : PAWL_OK;
}
