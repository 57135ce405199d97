/* SPDX-License-Identifier: Apache-2.0 */
/* Trends as documents: docs/schema/trend.schema.json and overview.schema.json. All return new
 * references. */
#ifndef PAWL_STORE_TREND_JSON_H
#define PAWL_STORE_TREND_JSON_H

#include "base/json.h"
#include "store/trend.h"

/* `keep`: for each point whether the document has it; NULL: it has all. */
json_t *pawl_trend_to_json(const struct pawl_trend *trend, const bool *keep);
/* One row of the overview; the points of the trend are its newest. */
json_t *pawl_trend_to_overview(const struct pawl_trend *trend);
json_t *pawl_beside_to_json(const struct pawl_beside *beside);
json_t *pawl_move_to_json(const struct pawl_baseline_move *move);

#endif
