/* SPDX-License-Identifier: Apache-2.0 */
/* Makes trends into documents: docs/schema/trend.schema.json and overview.schema.json. */
#pragma once

#include "model/fields.h"
#include "store/trend.h"

/* A row of the first page. */
struct pawl_overview_row_document {
  const struct pawl_series *series;
  struct pawl_series_summary summary;
  const char *attention; /* see pawl_series_attention() */
};

extern const struct pawl_fields pawl_trend_fields;    /* struct pawl_trend */
extern const struct pawl_fields pawl_overview_fields; /* struct pawl_overview_row_document */
extern const struct pawl_fields pawl_beside_fields;   /* struct pawl_beside */
