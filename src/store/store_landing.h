/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the rows of a transaction from temporary tables into the history. */
#pragma once

#include "store/store_handle.h"

/* Takes the lock if rows wait, and moves them with a few statements. */
pawl_status pawl_store_land(struct pawl_store *store, struct pawl_error *err);
