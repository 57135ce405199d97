/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two sides of the history over all series: commits, tags, branches or machines. */
#pragma once

#include "model/fields.h"
#include "store/store.h"

/* One side. A commit has its committed runs. A branch has those of the newest commit of each
 * series. A machine has the level of each series on the line. */
struct pawl_comparison_side {
  const char *name; /* as the caller wrote it */
  const char *kind; /* "commit", "branch" or "machine" */
  const char *key;  /* the whole commit, the branch, or the hardware's name or identity */
};

/* One kernel on one case, shape and unit. */
struct pawl_comparison_row {
  int64_t series, other; /* ids on side A and on side B, which differ between machines */
  const char *kernel_name, *case_name, *shape, *hardware_name, *unit;
  bool bigger_is_better;
  double a, b;            /* medians, or levels */
  int64_t a_runs, b_runs; /* runs, or commits of a level */
  const char *a_commit, *b_commit;
  double loss_pct;          /* B against A in percent; positive is worse */
  double low_pct, high_pct; /* its 95 % interval; NaN: unknown */
  /* "paired": a verdict measured both commits side by side; "unpaired": runs at different times,
   * with the noise between the commits of the series, or that inside the runs if it is unknown */
  const char *evidence;
  /* "worse", "better" or "open", so that all rows together have 5 % of false answers */
  const char *answer;
};

struct pawl_comparison_table {
  struct pawl_comparison_side a, b;
  struct pawl_comparison_row *rows; /* the largest losses first */
  size_t count;
  int64_t only_a, only_b; /* series with a value on one side alone */
  int64_t paired;         /* rows with paired evidence */
  int64_t unknown;        /* rows without an interval */
  bool several;           /* side B is the name of several machines, which all have rows */
  /* The geometric mean of the rows' ratios as a loss, and the geometric means of their limits. So
   * the interval holds even if all series err together. NaN: no row, or rows without an interval */
  double mean_pct, mean_low_pct, mean_high_pct;
};

extern const struct pawl_fields pawl_comparison_table_fields;

/* Finds a side by its name: a branch, a machine, a commit of the history (4 digits or more), or a
 * revision that git in `folder` knows, such as a tag. "commit:", "branch:" and "machine:" before
 * the name choose one meaning. Fails with PAWL_NO_INPUT. */
pawl_status pawl_comparison_find(struct pawl_store *store, const char *folder, const char *name,
                                 struct pawl_arena *arena, struct pawl_comparison_side *out,
                                 struct pawl_error *err);
/* Compares two sides of the same kind, or a commit with a branch. `choice` limits the rows. Fails
 * with PAWL_USAGE for a machine beside another kind, and with PAWL_NO_INPUT if no series has
 * values on both sides. */
pawl_status pawl_comparison_read(struct pawl_store *store, const struct pawl_comparison_side *a,
                                 const struct pawl_comparison_side *b,
                                 const struct pawl_series_choice *choice, struct pawl_arena *arena,
                                 struct pawl_comparison_table *out, struct pawl_error *err);
/* Writes the rows as CSV (RFC 4180) with a line of headings. */
void pawl_comparison_csv(const struct pawl_comparison_table *table, struct pawl_text *out);
