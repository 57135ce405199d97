/* SPDX-License-Identifier: Apache-2.0 */
/* Says how the machine and its software differ between the two runs around a change. */
#pragma once

#include "store/series_change.h"
#include "store/store.h"

/* Sets `environment` of the change in the arena. */
pawl_status pawl_change_environment(struct pawl_store *store, struct pawl_arena *arena,
                                    struct pawl_series_change *change, struct pawl_error *err);
