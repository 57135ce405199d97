/* SPDX-License-Identifier: Apache-2.0 */
/* The history of all runs: what was measured, judged and moved, in a database. `store:` of
   pawl.yaml says which: "sqlite:.pawl/history.db" (the default), "postgresql://HOST/NAME", or
   "none".

   A run is added as a whole or not at all; several processes may add and read at once. Ids are the
   store's own numbers. Everything that is returned lives in the arena. Failures: PAWL_TRY_AGAIN
   (locked for a minute), PAWL_CANNOT_WRITE, PAWL_IO, PAWL_UNAVAILABLE (no server), PAWL_BAD_DATA (a
   damaged file, or one that a newer pawl wrote). */
#ifndef PAWL_STORE_STORE_H
#define PAWL_STORE_STORE_H

#include "base/log.h"
#include "record/history.h"

struct pawl_store;

/* Opens the history, makes it where there is none, and brings an older one up to date. Relative
   paths start at `folder`. PAWL_CONFIG: no such address. */
pawl_status pawl_store_open(const char *address, const char *folder, struct pawl_log *log,
                            struct pawl_store **out, struct pawl_error *err);
/* Whether there is a history to open; it makes none. Nobody asks a server: the answer for its
 * address is true. */
pawl_status pawl_store_exists(const char *address, const char *folder, bool *out,
                              struct pawl_error *err);
void pawl_store_close(struct pawl_store *store);          /* accepts NULL */
void pawl_store_close_pointer(struct pawl_store **store); /* for PAWL_CLEANUP */

/* Adds a run. *added: false where a run of this id is there already, which changes nothing. May be
 * NULL. */
pawl_status pawl_store_add(struct pawl_store *store, const struct pawl_history_run *run,
                           bool *added, struct pawl_error *err);
/* Adds a point to the run that was added last, in the same pawl_store_begin() .. pawl_store_end():
   for runs too large to be held as a whole. `run` is what was added. */
pawl_status pawl_store_add_point(struct pawl_store *store, const struct pawl_history_run *run,
                                 const struct pawl_history_point *point, struct pawl_error *err);
/* Many runs in one transaction, which is faster: all of them or none. Between the two only adding
   is allowed. `status` of the end: what the adding came to; returned where it is a failure, and
   nothing is kept. */
pawl_status pawl_store_begin(struct pawl_store *store, struct pawl_error *err);
pawl_status pawl_store_end(struct pawl_store *store, enum pawl_status_code status,
                           struct pawl_error *err);

/* --- series: one kernel on one case, shape and hardware, in one unit --- */

struct pawl_series {
  int64_t id;
  const char *kernel_name, *case_name, *shape, *hardware, *hardware_name, *unit;
  bool bigger_is_better;
  int64_t points, first_time,
      last_time;   /* points with a value and without; seconds since 1970, UTC */
  int64_t version; /* counts up with every point that comes or goes */
};

/* Which series somebody means; NULL: any. */
struct pawl_series_choice {
  const char *kernel_name, *case_name, *hardware;
};
/* By kernel, case, shape, hardware. */
pawl_status pawl_store_series(struct pawl_store *store, const struct pawl_series_choice *choice,
                              struct pawl_arena *arena, struct pawl_series **out, size_t *count,
                              struct pawl_error *err);

/* --- points --- */

struct pawl_point {
  int64_t id, run, time;   /* time: of the run */
  double value, low, high; /* NaN: unknown; a point that failed or was not measured has no value */
  int64_t samples, blocks; /* -1: unknown */
  const char *outcome, *reason, *code, *verdict,
      *anchor; /* names as in struct pawl_history_point; NULL: unknown */
  double change_pct, change_low_pct, change_high_pct;
  bool identical;
  const char *source, *commit, *subject, *branch; /* of the run */
  int64_t commit_time;                            /* -1: unknown */
  bool dirty;
};

/* Which points of a series. Zero: all of them. */
struct pawl_point_choice {
  int64_t from, to;   /* time, both included; 0: no bound */
  int64_t newest;     /* only so many; 0: all */
  const char *branch; /* NULL: any */
};
/* Called in order of time. The texts live until it returns. It must not use the store. Anything but
   PAWL_OK ends the reading with that status. */
typedef enum pawl_status_code pawl_point_visit(void *context, const struct pawl_point *point,
                                               struct pawl_error *err);
pawl_status pawl_store_points(struct pawl_store *store, int64_t series,
                              const struct pawl_point_choice *choice, pawl_point_visit *visit,
                              void *context, struct pawl_error *err);
/* The same as a list in the arena. */
pawl_status pawl_store_point_list(struct pawl_store *store, int64_t series,
                                  const struct pawl_point_choice *choice, struct pawl_arena *arena,
                                  struct pawl_point **out, size_t *count, struct pawl_error *err);

/* The points of these ids, in the order of time; an id of no point is skipped. */
pawl_status pawl_store_points_by_id(struct pawl_store *store, const int64_t *ids, size_t id_count,
                                    struct pawl_arena *arena, struct pawl_point **out,
                                    size_t *count, struct pawl_error *err);

/* What a picture of a point needs: much faster to read than the whole. */
struct pawl_figure {
  int64_t id, time;
  double value; /* NaN: none */
  bool dirty;   /* of a tree that differed from its commit */
};
/* In the order of time; `newest` of the choice has no effect. */
pawl_status pawl_store_figures(struct pawl_store *store, int64_t series,
                               const struct pawl_point_choice *choice, struct pawl_arena *arena,
                               struct pawl_figure **out, size_t *count, struct pawl_error *err);

/* The best value of a series, on a branch (NULL: on any), of committed trees; where none has a
   value, of the others. NaN: nothing was measured. */
pawl_status pawl_store_best(struct pawl_store *store, const struct pawl_series *series,
                            const char *branch, double *out, struct pawl_error *err);

/* What lies behind a point: the row of results.json with its samples, and the row of verdict.json
   with its blocks. New references, to be released; NULL: not kept. PAWL_NO_INPUT: no such point. */
pawl_status pawl_store_detail(struct pawl_store *store, int64_t point, json_t **result,
                              json_t **comparison, struct pawl_error *err);

/* Why the kernel became slower or faster there: the words of the report and the counters behind
   them. A new reference; NULL: there is none. */
pawl_status pawl_store_profile(struct pawl_store *store, int64_t point, json_t **out,
                               struct pawl_error *err);

/* What the blocks of a point say of the machine and the gate, as in struct pawl_history_point. */
struct pawl_point_noise {
  const char *role, *machine;                    /* NULL: unknown */
  double base_sd_pct, block_sd_pct, false_alarm; /* NaN: unknown */
};
/* PAWL_NO_INPUT: no such point. */
pawl_status pawl_store_noise(struct pawl_store *store, int64_t point, struct pawl_arena *arena,
                             struct pawl_point_noise *out, struct pawl_error *err);

/* Another kernel on the same case, shape, hardware and unit: its newest value, of a committed tree
 * where there is one.
 */
struct pawl_beside {
  int64_t series, time; /* of the measurement; a reference that a run keeps was measured then */
  const char *kernel_name, *role;
  double value;
};
#define PAWL_STORE_BESIDE 100 /* rows at most, the smallest values first */
pawl_status pawl_store_beside(struct pawl_store *store, const struct pawl_series *series,
                              struct pawl_arena *arena, struct pawl_beside **out, size_t *count,
                              struct pawl_error *err);

/* --- machines --- */

/* What the paired comparisons of one run say of the machine that they ran on. */
struct pawl_machine_run {
  const char *machine, *hardware_name, *commit;
  int64_t time, comparisons, regressions, improvements;
  double base_sd_pct; /* mean of that of the points */
  double relative; /* mean of base_sd_pct over the mean of its series: 1 is usual; NaN: unknown */
  double block_sd_pct; /* mean */
  double false_alarm;  /* sum */
};
/* Of the newest `most` comparisons, by machine and time. */
pawl_status pawl_store_machines(struct pawl_store *store, int64_t most, struct pawl_arena *arena,
                                struct pawl_machine_run **out, size_t *count,
                                struct pawl_error *err);

/* --- baseline moves and runs --- */

/* The moves of a series, oldest first: the ratchet's line. */
pawl_status pawl_store_moves(struct pawl_store *store, const struct pawl_series *series,
                             struct pawl_arena *arena, struct pawl_baseline_move **out,
                             size_t *count, struct pawl_error *err);

/* The ids of all runs, oldest first. */
pawl_status pawl_store_runs(struct pawl_store *store, struct pawl_arena *arena, int64_t **out,
                            size_t *count, struct pawl_error *err);
/* A run with everything that is kept of it; `owner`, a JSON array, keeps the documents alive.
   PAWL_NO_INPUT: no such run. */
pawl_status pawl_store_run(struct pawl_store *store, int64_t id, struct pawl_arena *arena,
                           json_t *owner, struct pawl_history_run *out, struct pawl_error *err);

/* --- retention --- */

struct pawl_prune {
  int64_t before;    /* runs older than this time; seconds since 1970, UTC */
  bool only_samples; /* takes away the row of results.json of points where nothing happened; figures
                        and verdicts stay */
  bool dry_run;      /* counts, and takes nothing away */
};
struct pawl_pruned {
  int64_t runs, points; /* taken away, or whose samples were */
  int64_t bytes;        /* of these samples, compressed */
  int64_t spared;       /* older points that keep their samples */
};
/* Baseline moves always stay: they are the ratchet's line. Samples stay beside a change of the
   level, where the verdict says more than "maintained" (regression, improvement, accepted), and
   where the baseline moved. */
pawl_status pawl_store_prune(struct pawl_store *store, const struct pawl_prune *what,
                             struct pawl_pruned *out, struct pawl_error *err);

/* Takes away the samples of the runs that are more than `days` older than `now`, as
   pawl_store_prune() does; at most once a day, so that a run seldom pays for it. */
pawl_status pawl_store_retain(struct pawl_store *store, int64_t now, int days,
                              struct pawl_pruned *out, struct pawl_error *err);

#endif
