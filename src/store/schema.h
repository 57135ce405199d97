/* SPDX-License-Identifier: Apache-2.0 */
/* The tables, as steps from each version to the next. */
#pragma once

#include "store/sql.h"

#define PAWL_STORE_VERSION 7

/* Makes the tables, or brings them up to date. PAWL_BAD_DATA: a newer pawl wrote them. */
pawl_status pawl_schema_update(struct pawl_sql *sql, struct pawl_error *err);
