/* SPDX-License-Identifier: Apache-2.0 */
/* Measures, on its own device, the blocks that another process asks for. */
#pragma once

#include "sweep/plan.h"

/* Works until a request ends it, or the asking process stops sending heartbeats. `folder` belongs
 * to this evaluator alone. Errors also go into its answers. */
pawl_status pawl_sweep_evaluate(struct pawl_project *project,
                                const struct pawl_sweep_options *options, const char *folder,
                                struct pawl_error *err);
