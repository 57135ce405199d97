/* SPDX-License-Identifier: Apache-2.0 */
/* The whole history as lines of JSON, one run each: docs/schema/history.schema.json. */
#pragma once

#include "cli/command.h"
#include "store/store.h"

/* Writes every run, the oldest first, to `path`, or to standard output if it is NULL. */
pawl_status pawl_history_export(struct pawl_cli *cli, struct pawl_store *store, const char *path,
                                struct pawl_error *err);
/* Adds all runs of a file, or none of a file with a fault. Existing runs count once. PAWL_BAD_DATA
   names file, line and key. If the store fails in between, a second import adds the rest. */
pawl_status pawl_history_import(struct pawl_cli *cli, struct pawl_store *store, const char *path,
                                struct pawl_error *err);
