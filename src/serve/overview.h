/* SPDX-License-Identifier: Apache-2.0 */
/* The first page: all series with their levels and changes, sorted, filtered and in parts. The rows
 * of many series take seconds to find after a run, so a reader may ask for those that are there. */
#pragma once

#include "base/json.h"
#include "base/memory.h"
#include "store/store.h"

#define PAWL_OVERVIEW_MOST 10000 /* series */

/* Chooses all series of these kernels and cases. */
struct pawl_dashboard_choice {
  const struct pawl_series_choice *items;
  size_t count;
};

struct pawl_overview_row {
  const struct pawl_series *series;
  char *text;     /* the row as JSON; NULL: pawl has not looked yet */
  char *words;    /* the text that a filter searches, in small letters */
  int rank;       /* 3 failed, 2 worse, 1 better, 0: needs nobody */
  bool seen;      /* somebody works on the last change */
  bool bare;      /* it has no value and did not fail: only a filter shows it */
  bool explained; /* the last change is expected, fixed or wrong */
  int64_t at;     /* the place of the last change; INT64_MIN: none */
  double loss;    /* from the best level; -INFINITY: unknown */
};

/* A zeroed overview is empty and ready. Rows stay while their series stays the same. */
struct pawl_overview {
  struct pawl_arena arena;
  struct pawl_overview_row *rows; /* in the order of pawl_store_series() */
  size_t count, known, all;       /* all: of the history, also above PAWL_OVERVIEW_MOST */
  const char *line;
};

/* Lists the series anew. `choice` may be NULL. */
pawl_status pawl_overview_list(struct pawl_overview *overview, struct pawl_store *store,
                               const struct pawl_dashboard_choice *choice, struct pawl_error *err);
/* Reads the next rows, for about this number of seconds. */
pawl_status pawl_overview_read(struct pawl_overview *overview, struct pawl_store *store,
                               double seconds, struct pawl_error *err);
void pawl_overview_clear(struct pawl_overview *overview);

struct pawl_overview_part {
  const char *words; /* each must be in a row; NULL: all rows */
  const char *sort;  /* "look", "kernel", "change" or "best"; NULL or another word: "look" */
  int64_t first, count;
  int64_t since; /* a change after this time is new; seconds since 1970 */
};
/* Writes docs/schema/overview.schema.json: the part, or all rows in the order of names if `part` is
 * NULL. `more` has more keys of the
 * document, such as "\"report\":true,". */
void pawl_overview_write(const struct pawl_overview *overview,
                         const struct pawl_overview_part *part, const char *more,
                         struct pawl_text *out);
