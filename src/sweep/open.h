/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the folder of a sweep. */
#pragma once

#include "sweep/plan.h"

/* Stores the plan of a new sweep, or reads the blocks of an old one. Fails if the folder has
 * another plan, or files of something else. Release the sweep. */
pawl_status pawl_sweep_open(const char *folder, const struct pawl_sweep_plan *plan,
                            struct pawl_arena *arena, struct pawl_sweep *sweep,
                            struct pawl_error *err);
