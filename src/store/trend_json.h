/* SPDX-License-Identifier: Apache-2.0 */
/* Trends as documents: docs/schema/trend.schema.json and overview.schema.json. */
#pragma once

#include "model/fields.h"
#include "store/trend.h"

extern const struct pawl_fields pawl_trend_fields; /* struct pawl_trend */
extern const struct pawl_fields pawl_overview_fields;
extern const struct pawl_fields pawl_beside_fields; /* struct pawl_beside */

/* `keep`: for each point whether the document has it; NULL: it has all. A new reference. */
json_t *pawl_trend_to_json(const struct pawl_trend *trend, const bool *keep);
/* One row of the overview; the points of the trend are its newest. A new reference. */
json_t *pawl_trend_to_overview(const struct pawl_trend *trend);
