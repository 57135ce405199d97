/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the dashboard's documents from the history. Each document is a new reference. */
#pragma once

#include "base/json.h"
#include "build/remote_page.h"
#include "store/comparison.h"
#include "store/store.h"

#define PAWL_DASHBOARD_POINTS 2000 /* points of a trend if the request gives no number */
#define PAWL_DASHBOARD_MOST 20000  /* the most points of a request */

struct pawl_dashboard_part {
  int64_t series;
  int64_t from, to;   /* seconds since 1970, both included; 0: no bound */
  int64_t points;     /* about this number of points */
  const char *branch; /* the line; NULL: the default branch */
};
/* Makes docs/schema/trend.schema.json with one series and the changes of the whole series. Fails
 * with PAWL_NO_INPUT if there is no such series. */
pawl_status pawl_dashboard_trend(struct pawl_store *store, const struct pawl_dashboard_part *part,
                                 json_t **out, struct pawl_error *err);

/* Reads the comparison of the two sides; see pawl_comparison_find(). */
pawl_status pawl_dashboard_compare(struct pawl_store *store, const char *folder, const char *a,
                                   const char *b, struct pawl_arena *arena,
                                   struct pawl_comparison_table *out, struct pawl_error *err);

/* Makes docs/schema/point.schema.json: the details of a point. Fails with PAWL_NO_INPUT if there is
 * no such point. */
pawl_status pawl_dashboard_point(struct pawl_store *store, int64_t point, json_t **out,
                                 struct pawl_error *err);

#define PAWL_DASHBOARD_COMPARISONS 5000
/* Makes docs/schema/machines.schema.json from the newest `most` comparisons: the noise of every
 * machine over time, and the false alarms that the gate allowed. */
pawl_status pawl_dashboard_machines(struct pawl_store *store, int64_t most, json_t **out,
                                    struct pawl_error *err);

/* Finds a series in the arena. Fails with PAWL_NO_INPUT if there is none of this id. */
pawl_status pawl_dashboard_find_series(struct pawl_store *store, int64_t id,
                                       struct pawl_arena *arena, struct pawl_series **out,
                                       struct pawl_error *err);

/* Makes docs/schema/site.schema.json: where commits and pull requests have their pages, and whether
 * the visitor may note what a change is. */
json_t *pawl_dashboard_site(const struct pawl_remote_links *links, bool may_note);

struct pawl_dashboard_note {
  int64_t series, point; /* point: the first after the change */
  const char *branch;    /* NULL: the default branch */
  const char *state;
  const char *note, *person; /* NULL: none */
};
/* Notes what a change is. Fails with PAWL_NO_INPUT if there is no such change, and with PAWL_USAGE
 * if the state is none or a text is too long. */
pawl_status pawl_dashboard_note(struct pawl_store *store, const struct pawl_dashboard_note *said,
                                struct pawl_error *err);
