/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the commands that start and stop a machine. */
#pragma once

#include <stdatomic.h>

#include "base/error.h"
#include "serve/machine.h"
#include "serve/wake_config.h"

/* Runs a machine's command to its end, without a shell and without pawl's secrets. It does nothing
 * if the machine has no such command. The output goes to pawl's standard error. Once *stopping is
 * set the command gets 20 s. PAWL_UNAVAILABLE says how the command failed. */
pawl_status pawl_wake_run_command(const struct pawl_wake_config *config, int machine,
                                  enum pawl_machine_action action, const atomic_bool *stopping,
                                  struct pawl_error *err);
