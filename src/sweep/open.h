/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the folder of a sweep. */
#pragma once

#include "project/project.h"
#include "sweep/plan.h"

/* Stores the plan of a new sweep, or reads the blocks of an old one. Fails if the folder has
 * another plan, or files of something else. Release the sweep. */
pawl_status pawl_sweep_open(const char *folder, const struct pawl_sweep_plan *plan,
                            struct pawl_arena *arena, struct pawl_sweep *sweep,
                            struct pawl_error *err);

/* Fails with PAWL_USAGE if the files of the sweep would belong to the code of the kernel `opener`
 * (pawl_sweep_opener()), because the same command could not go on after an interrupt. The folder
 * exists and has a file. */
pawl_status pawl_sweep_stays_apart(const struct pawl_project *project, const char *opener,
                                   const char *folder, struct pawl_error *err);
