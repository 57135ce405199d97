/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the dashboard's documents from the history. Each is a new reference. */
#pragma once

#include "base/json.h"
#include "store/store.h"

#define PAWL_DASHBOARD_POINTS 2000  /* points of a trend, unless the request says otherwise */
#define PAWL_DASHBOARD_MOST 20000   /* the most points of a request */
#define PAWL_DASHBOARD_RECENT 60    /* points of a series in the overview */
#define PAWL_DASHBOARD_SERIES 10000 /* the most series in the overview */

/* Chooses the series of any of these kernels and cases. */
struct pawl_dashboard_choice {
  const struct pawl_series_choice *items;
  size_t count;
};
/* docs/schema/overview.schema.json: the series with their newest values; all of them without a
 * choice (NULL). */
pawl_status pawl_dashboard_overview(struct pawl_store *store,
                                    const struct pawl_dashboard_choice *choice, json_t **out,
                                    struct pawl_error *err);

/* A part of a series. */
struct pawl_dashboard_part {
  int64_t series;
  int64_t from, to;   /* seconds since 1970, both included; 0: no bound */
  int64_t points;     /* about as many points */
  const char *branch; /* NULL: any */
};
/* docs/schema/trend.schema.json with one series. The changes are those of the whole series.
   PAWL_NO_INPUT: no such series. */
pawl_status pawl_dashboard_trend(struct pawl_store *store, const struct pawl_dashboard_part *part,
                                 json_t **out, struct pawl_error *err);

/* docs/schema/point.schema.json: the details of a point. PAWL_NO_INPUT: no such point. */
pawl_status pawl_dashboard_point(struct pawl_store *store, int64_t point, json_t **out,
                                 struct pawl_error *err);

#define PAWL_DASHBOARD_COMPARISONS 5000 /* comparisons in the machines' view */
/* docs/schema/machines.schema.json: the noise of every machine over time, and the false alarms that
   the gate allowed, in the newest `most` comparisons. */
pawl_status pawl_dashboard_machines(struct pawl_store *store, int64_t most, json_t **out,
                                    struct pawl_error *err);
