/* SPDX-License-Identifier: Apache-2.0 */
/* Makes trends into documents: docs/schema/trend.schema.json and overview.schema.json. */
#pragma once

#include "model/fields.h"
#include "store/trend.h"

extern const struct pawl_fields pawl_trend_fields; /* struct pawl_trend */
extern const struct pawl_fields pawl_overview_fields;
extern const struct pawl_fields pawl_beside_fields; /* struct pawl_beside */

/* Returns a new reference. The document has the points for which `keep` is set, or all if `keep` is
 * NULL. */
json_t *pawl_trend_to_json(const struct pawl_trend *trend, const bool *keep);
/* Returns one row of the overview, a new reference. The trend's points are its newest. */
json_t *pawl_trend_to_overview(const struct pawl_trend *trend);
