/* SPDX-License-Identifier: Apache-2.0 */
/* A run in the history, which is also one line of its export: docs/schema/history.schema.json. */
#pragma once

#include "base/json.h"
#include "gate/baseline.h"
#include "model/fields.h"
#include "record/run_report.h"

#define PAWL_HISTORY_SCHEMA 1
/* The most bytes of a kernel's or a case's name, in which other harnesses put all parameters. */
#define PAWL_HISTORY_NAME_BYTES 4096
#define PAWL_HISTORY_POINTS 100000 /* the most of one run */

/* One figure of one run. An unknown number is NaN, an unknown count -1, an unknown text NULL. */
struct pawl_history_point {
  const char *kernel_name, *case_name;
  const char *shape;     /* "B=32,H=8,dtype=f16", as pawl_case_key() writes a case; "": none */
  const char *unit;      /* "ms" for every time */
  bool bigger_is_better; /* a rate; never a time */
  enum pawl_outcome outcome;
  const char *reason;      /* for every outcome but "ok" */
  double value, low, high; /* in `unit`: the median and its 95 % interval */
  long long samples;
  const char *code;    /* identity of the machine code */
  const char *verdict; /* pawl_verdict_name(); NULL: no verdict */
  /* percent of the time of the commit `anchor`; positive is faster; only a paired verdict has the
   * limits */
  double change_pct, change_low_pct, change_high_pct;
  const char *anchor;
  long long blocks; /* valid blocks */
  bool identical;   /* the anchor has the same machine code: nothing to measure */
  const char *role; /* "kernel" or "reference"; NULL: unknown */
  /* The fields from here to false_alarm belong to a paired verdict. They are unknown without
   * blocks. */
  const char *machine; /* the GPU's UUID, or the host's name */
  /* the standard deviation, in percent, of the logarithm of the base's time from block to block;
   * all blocks run the same code in fresh processes, so only the machine differs */
  double base_sd_pct;
  /* the same for the ratio of the two arms, which decides the verdict */
  double block_sd_pct;
  double false_alarm;       /* the chance of a false alarm that the gate allowed */
  const json_t *result;     /* the row of results.json with its samples; NULL: none */
  const json_t *comparison; /* the row of verdict.json with its blocks; NULL: none */
  /* why the kernel became slower or faster, with the counters of both arms; NULL: none */
  const json_t *profile;
};

struct pawl_history_run {
  const char *id;        /* 32 hexadecimal digits; the history keeps each id once */
  const char *source;    /* "run", "bench", or the importer's name */
  long long time;        /* seconds since 1970, UTC */
  const char *commit;    /* the measured commit; NULL: unknown */
  long long commit_time; /* seconds since 1970, UTC; -1: unknown */
  const char *subject;   /* the first line of the commit's message */
  const char *branch;
  bool dirty;           /* the tree differed from the commit */
  const char *hardware; /* see pawl_device_identity() */
  const char *hardware_name;
  const char *toolchain;
  const char *verdict; /* pawl_conclusion_name(); NULL: no verdict */
  double seconds;      /* the duration of the run */
  struct pawl_history_point *points;
  size_t point_count;
  struct pawl_baseline_move *moves;
  size_t move_count;
};

/* Set everything to unknown: of a point, and of a run without a name. */
void pawl_history_point_init(struct pawl_history_point *point);
void pawl_history_run_init(struct pawl_history_run *run);

/* Makes a run of the history from a run or a measurement, with a random `id` and unknown
 * `commit_time`, `subject` and `branch`. `folder` has the run's files with its profiles; NULL:
 * none. The result borrows from the report and from `owner`, a JSON array to which it adds its own
 * JSON. */
pawl_status pawl_history_of_report(const struct pawl_run_report *report, const char *folder,
                                   const char *source, struct pawl_arena *arena, json_t *owner,
                                   struct pawl_history_run *out, struct pawl_error *err);

extern const struct pawl_fields pawl_history_fields; /* for struct pawl_history_run */
json_t *pawl_history_run_to_json(const struct pawl_history_run *run); /* a new reference */
/* Reads a run, which borrows from `document`. PAWL_BAD_DATA names file and key. */
pawl_status pawl_history_run_from_json(const json_t *document, const char *name,
                                       struct pawl_arena *arena, struct pawl_history_run *out,
                                       struct pawl_error *err);
