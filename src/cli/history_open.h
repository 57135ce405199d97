/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/command.h"
#include "model/suite.h"
#include "store/store.h"

/* Reads the suite and opens its history. Fails with PAWL_NO_INPUT if the suite keeps none. */
pawl_status pawl_history_open(struct pawl_cli *cli, struct pawl_suite *suite,
                              struct pawl_store **out, struct pawl_error *err);
/* Opens only an existing history; *out is NULL if there is none. */
pawl_status pawl_history_open_kept(struct pawl_cli *cli, struct pawl_store **out,
                                   struct pawl_error *err);
