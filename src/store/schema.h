/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the tables, by steps from each version to the next. */
#pragma once

#include "store/sql.h"

#define PAWL_STORE_VERSION 10

/* Makes the tables, or updates them. Fails with PAWL_BAD_DATA if a newer pawl made them. */
pawl_status pawl_schema_update(struct pawl_sql *sql, struct pawl_error *err);
