/* SPDX-License-Identifier: Apache-2.0 */
/* The documents that the dashboard asks for, from the history. Each is a new reference. */
#ifndef PAWL_SERVE_DASHBOARD_API_H
#define PAWL_SERVE_DASHBOARD_API_H

#include "base/json.h"
#include "store/store.h"

#define PAWL_DASHBOARD_POINTS 2000  /* of a trend, where the request does not say */
#define PAWL_DASHBOARD_MOST 20000   /* that a request may ask for */
#define PAWL_DASHBOARD_RECENT 60    /* points of a series that the overview looks at */
#define PAWL_DASHBOARD_SERIES 10000 /* that the overview lists */

/* Kernels and cases: the series of any of them. */
struct pawl_dashboard_choice {
  const struct pawl_series_choice *items;
  size_t count;
};
/* docs/schema/overview.schema.json: the series with their newest values; all of them without a
 * choice (NULL). */
pawl_status pawl_dashboard_overview(struct pawl_store *store,
                                    const struct pawl_dashboard_choice *choice, json_t **out,
                                    struct pawl_error *err);

/* Which part of which series. */
struct pawl_dashboard_part {
  int64_t series;
  int64_t from, to;   /* seconds since 1970, both included; 0: no bound */
  int64_t points;     /* about so many */
  const char *branch; /* NULL: any */
};
/* docs/schema/trend.schema.json with one series. The changes are those of the whole series.
   PAWL_NO_INPUT: no such series. */
pawl_status pawl_dashboard_trend(struct pawl_store *store, const struct pawl_dashboard_part *part,
                                 json_t **out, struct pawl_error *err);

/* docs/schema/point.schema.json: what lies behind a point. PAWL_NO_INPUT: no such point. */
pawl_status pawl_dashboard_point(struct pawl_store *store, int64_t point, json_t **out,
                                 struct pawl_error *err);

#define PAWL_DASHBOARD_COMPARISONS 5000 /* that the machines' view looks at */
/* docs/schema/machines.schema.json: the noise of every machine over time, and the false alarms that
   the gate allowed, in the newest `most` comparisons. */
pawl_status pawl_dashboard_machines(struct pawl_store *store, int64_t most, json_t **out,
                                    struct pawl_error *err);

#endif
