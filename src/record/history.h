/* SPDX-License-Identifier: Apache-2.0 */
/* What the history keeps of one run, and what one line of its export holds:
 * docs/schema/history.schema.json. */
#ifndef PAWL_RECORD_HISTORY_H
#define PAWL_RECORD_HISTORY_H

#include "base/json.h"
#include "gate/baseline.h"
#include "model/fields.h"
#include "record/run_report.h"

#define PAWL_HISTORY_SCHEMA 1
#define PAWL_HISTORY_NAME_BYTES \
  4096 /* of the name of a kernel or a case; other harnesses put all parameters there */
#define PAWL_HISTORY_POINTS 100000 /* of one run */

/* One figure of one run. Numbers that are not known are NaN, counts -1, texts NULL. */
struct pawl_history_point {
  const char *kernel_name, *case_name;
  const char *shape;     /* "B=32,H=8,dtype=f16", as pawl_case_key() writes it; "": none */
  const char *unit;      /* "ms" for every time */
  bool bigger_is_better; /* a rate, say; never a time */
  enum pawl_outcome outcome;
  const char *reason;      /* of everything but "ok" */
  double value, low, high; /* in `unit`: the median and its 95 % interval */
  long long samples;
  const char *code;    /* identity of the machine code */
  const char *verdict; /* pawl_verdict_name(); NULL: it was not judged */
  /* Against `anchor`, the commit measured against; percent of the anchor's time, positive is
     faster. The limits are of a paired verdict. */
  double change_pct, change_low_pct, change_high_pct;
  const char *anchor;
  long long blocks; /* that count */
  bool identical;   /* the same machine code as the anchor: nothing to measure */
  const char *role; /* "kernel" or "reference"; NULL: unknown */
  /* Of a paired verdict; unknown without blocks. */
  const char *machine; /* the GPU's UUID, or the host's name */
  double base_sd_pct; /* standard deviation of the logarithm of the base's time from block to block,
                         percent: fresh processes of one code, so only the machine differs */
  double block_sd_pct;      /* the same of the ratio of the two arms, which judges */
  double false_alarm;       /* the chance of a false alarm that the gate allowed this comparison */
  const json_t *result;     /* the row of results.json, samples and all; NULL: none */
  const json_t *comparison; /* the row of verdict.json with its blocks; NULL: none */
  const json_t
      *profile; /* why it became slower or faster, with the counters of both arms; NULL: none */
};

struct pawl_history_run {
  const char *id;        /* 32 hexadecimal digits: what is added twice counts once */
  const char *source;    /* "run" "bench", or the importer's name */
  long long time;        /* seconds since 1970, UTC */
  const char *commit;    /* of the tree that was measured; NULL: unknown */
  long long commit_time; /* seconds since 1970, UTC; -1: unknown */
  const char *subject;   /* the first line of the commit's message */
  const char *branch;
  bool dirty;           /* the tree differed from the commit */
  const char *hardware; /* identity: see pawl_device_identity() */
  const char *hardware_name;
  const char *toolchain;
  const char *verdict; /* pawl_conclusion_name(); NULL: nothing was judged */
  double seconds;      /* that the run took */
  struct pawl_history_point *points;
  size_t point_count;
  struct pawl_baseline_move *moves;
  size_t move_count;
};

/* Of a point and of a run without a name: everything unknown. */
void pawl_history_point_init(struct pawl_history_point *point);
void pawl_history_run_init(struct pawl_history_run *run);

/* What the history keeps of a run or a measurement; `commit_time`, `subject` and `branch` are left
   unknown, `id` is random. `folder` has the run's files, profiles among them; NULL: none. Borrows
   from the report; `owner`, a JSON array, keeps what was made for it alive. */
pawl_status pawl_history_of_report(const struct pawl_run_report *report, const char *folder,
                                   const char *source, struct pawl_arena *arena, json_t *owner,
                                   struct pawl_history_run *out, struct pawl_error *err);

extern const struct pawl_fields pawl_history_fields;                  /* struct pawl_history_run */
json_t *pawl_history_run_to_json(const struct pawl_history_run *run); /* a new reference */
/* Borrows from `document`. PAWL_BAD_DATA names file and key. */
pawl_status pawl_history_run_from_json(const json_t *document, const char *name,
                                       struct pawl_arena *arena, struct pawl_history_run *out,
                                       struct pawl_error *err);

#endif
