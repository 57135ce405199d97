/* SPDX-License-Identifier: Apache-2.0 */
/* The history of all runs in a database: measurements, verdicts and moves. `store:` of pawl.yaml
 * names it: "sqlite:.pawl/history.db" (the default), "postgresql://HOST/NAME", or "none". The store
 * adds a run as a whole or not at all. Several processes may add and read at once. Ids are the
 * store's own numbers. All results live in the arena. Every function can fail with PAWL_TRY_AGAIN
 * (locked for a minute), PAWL_CANNOT_WRITE, PAWL_IO, PAWL_UNAVAILABLE (no server), or PAWL_BAD_DATA
 * (a damaged file, or a newer pawl wrote it). */
#pragma once

#include "base/log.h"
#include "base/text.h"
#include "record/history.h"

struct pawl_store;

/* Opens the history. It makes a missing history and updates an older one. Relative paths start at
 * `folder`. Fails with PAWL_CONFIG if the address is not valid. */
pawl_status pawl_store_open(const char *address, const char *folder, struct pawl_log *log,
                            struct pawl_store **out, struct pawl_error *err);
/* Sets *out if there is a history to open, and makes none. For a server's address *out is true,
 * because it asks no server. */
pawl_status pawl_store_exists(const char *address, const char *folder, bool *out,
                              struct pawl_error *err);
void pawl_store_close(struct pawl_store *store);          /* accepts NULL */
void pawl_store_close_pointer(struct pawl_store **store); /* for PAWL_CLEANUP */

/* Appends a text that names the state of the history. While it stays the same, so does every answer
 * of the store. It may change although nothing changed. */
pawl_status pawl_store_stamp(struct pawl_store *store, struct pawl_text *out,
                             struct pawl_error *err);

/* Adds a run. If the store has a run of this id, that run stays and *added is false. `added` may be
 * NULL. Between pawl_store_begin() and pawl_store_end(), another writer may still add the run
 * first. Only pawl_store_added() counts such a run as known. A run of more than 25000 points is
 * kept in parts, which are runs with ids of their own; the last part has the id of the run. */
pawl_status pawl_store_add(struct pawl_store *store, const struct pawl_history_run *run,
                           bool *added, struct pawl_error *err);
/* Adds a point to `run`, which must be the last added run, between the same pawl_store_begin() and
 * pawl_store_end(). Use it for runs that are too large for memory. */
pawl_status pawl_store_add_point(struct pawl_store *store, const struct pawl_history_run *run,
                                 const struct pawl_history_point *point, struct pawl_error *err);
/* Begin and end one transaction, in which the store adds many runs faster: all of them or none.
 * More than 25000 points come in after one another, whole runs or parts at a time, unless the
 * caller removes a run. So other writers get their turn, and a run that a kill left in parts can
 * come again. Between the two calls the caller may only add and remove. Added runs wait beside the
 * history, and other writers work, until pawl_store_end() moves them in or the caller removes a
 * run. So add first, then remove. pawl_store_end takes the caller's result as `status`. After a
 * failure it keeps nothing and returns the failure. */
void pawl_store_begin(struct pawl_store *store);
pawl_status pawl_store_end(struct pawl_store *store, enum pawl_status_code status,
                           struct pawl_error *err);

/* The runs and points that came in since pawl_store_begin(), and the runs that the history had. */
struct pawl_store_added {
  size_t runs, points, known;
};
struct pawl_store_added pawl_store_added(const struct pawl_store *store);

/* If many rows wait, ends the transaction and begins another, so that other writers get their turn.
 * Call it between two runs. The runs before it stay. */
pawl_status pawl_store_give_way(struct pawl_store *store, struct pawl_error *err);

/* Removes the run of this id with its points, and all parts of it, between pawl_store_begin() and
 * pawl_store_end(). *removed is false if the store has no such run. */
pawl_status pawl_store_remove(struct pawl_store *store, const char *id, bool *removed,
                              struct pawl_error *err);

/* --- series: one kernel on one case, shape and hardware, in one unit --- */

struct pawl_series {
  int64_t id;
  const char *kernel_name, *case_name, *shape, *hardware, *hardware_name, *unit;
  bool bigger_is_better;
  /* points with a value and without; times are seconds since 1970, UTC */
  int64_t points, first_time, last_time;
  int64_t version; /* counts up when a point comes or goes */
};

/* Chooses series. NULL and 0 choose any. */
struct pawl_series_choice {
  const char *kernel_name, *case_name, *hardware;
  int64_t id;
};
/* Lists the series in the natural order of kernel, case, shape, hardware. */
pawl_status pawl_store_series(struct pawl_store *store, const struct pawl_series_choice *choice,
                              struct pawl_arena *arena, struct pawl_series **out, size_t *count,
                              struct pawl_error *err);

/* --- points --- */

struct pawl_point {
  int64_t id, run, time;   /* time: the run's */
  int64_t at;              /* the time of its place on the axis, see place.h */
  double value, low, high; /* NaN: unknown; a failed point has no value */
  int64_t samples, blocks; /* -1: unknown */
  /* names as in struct pawl_history_point; NULL: unknown */
  const char *outcome, *reason, *code, *verdict, *anchor;
  double change_pct, change_low_pct, change_high_pct;
  /* the score: percent of the limit that binds the kernel; NaN: unknown */
  double limit_pct;
  bool identical;
  const char *source, *commit, *subject, *branch; /* the run's */
  int64_t commit_time;                            /* -1: unknown */
  bool dirty;
  /* set by pawl_trend_read(): the point is of the line; the median of its commit's runs on the
   * line, NaN if none counts; and their number */
  bool line;
  double place_value;
  int64_t place_runs;
};

/* Reads the points with these ids, in order. An unknown id has no point. */
pawl_status pawl_store_points_by_id(struct pawl_store *store, const int64_t *ids, size_t id_count,
                                    struct pawl_arena *arena, struct pawl_point **out,
                                    size_t *count, struct pawl_error *err);

/* The branch whose runs make the line of a series, together with runs without a branch. Its name is
 * the one that git gave (see ancestry.h), else main, master or trunk, else the branch with most
 * runs. It is "" if no run has a branch. */
pawl_status pawl_store_line(struct pawl_store *store, struct pawl_arena *arena, const char **out,
                            struct pawl_error *err);

/* A branch with its number of points in a series. */
struct pawl_branch {
  const char *name; /* "": unknown */
  int64_t points;
};
#define PAWL_STORE_BRANCHES 200 /* at most this number of rows, the largest first */
pawl_status pawl_store_branches(struct pawl_store *store, int64_t series, struct pawl_arena *arena,
                                struct pawl_branch **out, size_t *count, struct pawl_error *err);

/* The figures that order, judge and draw a point, much faster to read than the whole point. */
struct pawl_figure {
  int64_t id, place;
  double value; /* NaN: none */
  bool dirty;   /* the tree differed from its commit */
  bool line;    /* the run is of the wanted branch */
};
/* Reads the figures of all branches in order. `branch` is the line; NULL: pawl_store_line(). */
pawl_status pawl_store_figures(struct pawl_store *store, int64_t series, const char *branch,
                               struct pawl_arena *arena, struct pawl_figure **out, size_t *count,
                               struct pawl_error *err);

/* Reads the details of a point: the row of results.json with its samples, and the row of
 * verdict.json with its blocks. Both are new references; NULL: the store has none. Fails with
 * PAWL_NO_INPUT if there is no such point. */
pawl_status pawl_store_detail(struct pawl_store *store, int64_t point, json_t **result,
                              json_t **comparison, struct pawl_error *err);

/* Reads why the kernel became slower or faster: the report's words and the counters behind them.
 * *out is a new reference, or NULL. */
pawl_status pawl_store_profile(struct pawl_store *store, int64_t point, json_t **out,
                               struct pawl_error *err);

/* The noise and the gate's false alarm of a point, as in struct pawl_history_point. */
struct pawl_point_noise {
  const char *role, *machine;                    /* NULL: unknown */
  double base_sd_pct, block_sd_pct, false_alarm; /* NaN: unknown */
};
/* Fails with PAWL_NO_INPUT if there is no such point. */
pawl_status pawl_store_noise(struct pawl_store *store, int64_t point, struct pawl_arena *arena,
                             struct pawl_point_noise *out, struct pawl_error *err);

/* Another kernel on the same case, shape, hardware and unit, with its newest value. A value of a
 * committed tree on the line goes first. */
struct pawl_beside {
  /* time: of the measurement, also if a later run keeps this reference */
  int64_t series, time;
  const char *kernel_name, *role;
  double value;
};
#define PAWL_STORE_BESIDE 100 /* at most this number of rows, the smallest values first */
pawl_status pawl_store_beside(struct pawl_store *store, const struct pawl_series *series,
                              struct pawl_arena *arena, struct pawl_beside **out, size_t *count,
                              struct pawl_error *err);

/* --- machines --- */

/* A machine's noise in the paired comparisons of one run. */
struct pawl_machine_run {
  const char *machine, *hardware_name, *commit;
  int64_t time, comparisons, regressions, improvements;
  double base_sd_pct; /* mean over the points */
  double relative; /* mean of base_sd_pct over the mean of its series; 1 is usual; NaN: unknown */
  double block_sd_pct; /* mean */
  double false_alarm;  /* sum */
};
/* Reads the newest `most` comparisons, in the order of machine and time. */
pawl_status pawl_store_machines(struct pawl_store *store, int64_t most, struct pawl_arena *arena,
                                struct pawl_machine_run **out, size_t *count,
                                struct pawl_error *err);

/* --- baseline moves and runs --- */

/* Reads the moves of a series, oldest first: the ratchet's line. */
pawl_status pawl_store_moves(struct pawl_store *store, const struct pawl_series *series,
                             struct pawl_arena *arena, struct pawl_baseline_move **out,
                             size_t *count, struct pawl_error *err);

/* Reads the ids of all runs, oldest first. */
pawl_status pawl_store_runs(struct pawl_store *store, struct pawl_arena *arena, int64_t **out,
                            size_t *count, struct pawl_error *err);
/* Reads a run with everything that the store has of it. `owner`, a JSON array, keeps the documents
 * alive. Fails with PAWL_NO_INPUT if there is no such run. */
pawl_status pawl_store_run(struct pawl_store *store, int64_t id, struct pawl_arena *arena,
                           json_t *owner, struct pawl_history_run *out, struct pawl_error *err);

/* --- retention --- */

struct pawl_prune {
  int64_t before; /* prune runs before this time; seconds since 1970, UTC */
  /* remove only the samples of points where nothing happened */
  bool only_samples;
  bool dry_run; /* count, and remove nothing */
};
struct pawl_pruned {
  int64_t runs, points; /* removed, or now without their samples */
  int64_t bytes;        /* the compressed samples */
  int64_t spared;       /* older points that keep their samples */
};
/* Removes old runs, but no baseline move, because moves are the ratchet's line. Samples stay beside
 * a change of the level, at a verdict other than "maintained", and where the baseline moved. */
pawl_status pawl_store_prune(struct pawl_store *store, const struct pawl_prune *what,
                             struct pawl_pruned *out, struct pawl_error *err);

/* Removes the samples of runs more than `days` older than `now`, as pawl_store_prune() does. It
 * works at most once a day, so few runs pay for it. */
pawl_status pawl_store_retain(struct pawl_store *store, int64_t now, int days,
                              struct pawl_pruned *out, struct pawl_error *err);
