/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that start and stop a machine. */
#pragma once

#include <stdatomic.h>

#include "base/error.h"
#include "serve/machine.h"
#include "serve/wake_config.h"

/* Runs a machine's command to its end without a shell. Its output goes to pawl's standard error,
 * and its environment has no secret of pawl's. Without a command it does nothing. Once *stopping is
 * set the command gets 20 s to end. PAWL_UNAVAILABLE: it failed, and how. */
pawl_status pawl_wake_run_command(const struct pawl_wake_config *config, int machine,
                                  enum pawl_machine_action action, const atomic_bool *stopping,
                                  struct pawl_error *err);
