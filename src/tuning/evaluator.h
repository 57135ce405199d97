/* SPDX-License-Identifier: Apache-2.0 */
/* Times, on its own device, the candidates that another process asks for. Each candidate runs
 * beside its own process of the current code. So it answers with ratios, which devices of one kind
 * share. */
#pragma once

#include "tuning/tuning.h"

/* Writes the files of a search that this evaluator judged. */
typedef enum pawl_status_code (*pawl_tune_writer)(const struct pawl_tune *tune,
                                                  struct pawl_project *project, const char *folder,
                                                  struct pawl_error *err);

/* Works until a request ends it, or the asking process stops sending heartbeats. `folder` belongs
 * to this evaluator alone. Errors also go into its answers. */
pawl_status pawl_loop_evaluate(struct pawl_project *project,
                               const struct pawl_tune_options *options, const char *folder,
                               pawl_tune_writer write, struct pawl_error *err);
