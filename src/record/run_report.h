/* SPDX-License-Identifier: Apache-2.0 */
/* What a run found: what verdict.json holds, and what reports are made of. */
#ifndef PAWL_RECORD_RUN_REPORT_H
#define PAWL_RECORD_RUN_REPORT_H

#include "base/error.h"
#include "check/check.h"
#include "gate/ratchet.h"
#include "model/result.h"

#define PAWL_SHARDS 999 /* most parts of a run */

/* What happened to one kernel on the way, whether or not it reached the timing. */
struct pawl_report_build {
  const char *kernel_name;
  bool ok;
  double seconds;
  int compiles, cache_hits; /* -1: unknown */
  const char *diagnostics;  /* NULL when ok */
};
struct pawl_report_check {
  const char *kernel_name;
  const struct pawl_check_report *report;
};

#define PAWL_RUN_PROFILES \
  "profiles" /* in a run's folder: PAWL_RUN_PROFILES/KERNEL-CASE/ has the files of a row */

/* Why a kernel on a case became slower or faster. */
struct pawl_report_profile {
  const char *kernel_name, *case_name;
  const char *change;  /* what explains most of it, one line; NULL: unknown */
  const char *limit;   /* what limits the kernel now, one line; NULL: unknown */
  const char *remedy;  /* what to try; NULL: unknown */
  const char *missing; /* why a profile is missing, and what to do; NULL: both arms have one */
  const char *text;    /* all that the counters say; NULL: there are none */
  const char *folder;  /* its files, below the run's folder; NULL: there are none */
};

/* Where a run's time went, in seconds, one after the other. */
struct pawl_run_phases {
  double build, check, bench, judge, profile, references; /* judge: in pairs */
  struct pawl_time_spent spent;                           /* inside of these */
};

/* Everything that a run found; any part may be empty. Borrowed. */
struct pawl_run_report {
  const struct pawl_results *results;
  const struct pawl_ratchet_report *ratchet; /* NULL: no judgement, results only */
  const struct pawl_report_build *builds;
  size_t build_count;
  const struct pawl_report_check *checks;
  size_t check_count;
  bool check_alone;                           /* nothing was to be timed */
  const struct pawl_report_profile *profiles; /* in the order of the rows: pawl_run_rows() */
  size_t profile_count;
  const struct pawl_baseline_move *moves; /* of this run */
  size_t move_count;
  const struct pawl_baseline_move
      *earlier_moves; /* of the rows, on this hardware: the ratchet's history */
  size_t earlier_move_count;
  int shard, shards;         /* this is part `shard` of `shards`, from 1; 0: the whole */
  bool unpaired;             /* judged from stored samples: said in the first lines */
  bool baseline_uncommitted; /* there is a baseline that no commit has yet: it does not judge */
  const char **notices;      /* "the tree is dirty: the baseline was not written" */
  size_t notice_count;
  double seconds, cost_usd;             /* of the run; NaN: unknown */
  const struct pawl_run_phases *phases; /* NULL: unknown */
};

/* More spills, where both are known. */
bool pawl_code_spills_more(const struct pawl_code *before, const struct pawl_code *now);
/* More registers a thread, or more spills. */
bool pawl_code_is_worse(const struct pawl_code *before, const struct pawl_code *now);

/* verdict.json: docs/schema/verdict.schema.json */
pawl_status pawl_verdict_to_json(const struct pawl_run_report *report, json_t **out,
                                 struct pawl_error *err);

#endif
