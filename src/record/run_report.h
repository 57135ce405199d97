/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of a run: verdict.json holds them, and reports show them. */
#pragma once

#include "base/error.h"
#include "check/check.h"
#include "gate/ratchet.h"
#include "model/result.h"

#define PAWL_SHARDS 999 /* the most parts of a run */

/* The build of one kernel, which the run need not time. */
struct pawl_report_build {
  const char *kernel_name;
  bool ok;
  double seconds;
  int compiles, cache_hits; /* -1: unknown */
  const char *diagnostics;  /* NULL if ok */
};
struct pawl_report_check {
  const char *kernel_name;
  const struct pawl_check_report *report;
};

/* In a run's folder, PAWL_RUN_PROFILES/KERNEL-CASE/ has the files of a row. */
#define PAWL_RUN_PROFILES "profiles"

/* The time that a source line costs in a call of the base and of the candidate. */
struct pawl_report_line {
  const char *file;   /* below the repository, or a library of the CPU */
  int line;           /* 0: a library */
  const char *source; /* the text of the line; NULL: unknown */
  double base_s, candidate_s;
  const char
      *what; /* its instructions that came and went, and what its warps wait for; NULL: unknown */
};

/* Why a kernel on a case became slower or faster. */
struct pawl_report_profile {
  const char *kernel_name, *case_name;
  const char *change;  /* the main cause, one line; NULL: unknown */
  const char *limit;   /* the kernel's limit now, one line; NULL: unknown */
  const char *remedy;  /* advice, one line; NULL: unknown */
  const char *missing; /* why a profile is missing, and the remedy; NULL: both arms have one */
  const char *text;    /* all counters in words; NULL: none */
  const char *folder;  /* its files, below the run's folder; NULL: none */
  double base_s, candidate_s; /* the times of a call that the lines are parts of; NAN: unknown */
  const struct pawl_report_line *lines; /* first those that add most to the change */
  size_t line_count;
  const char *no_lines; /* why no line has a time; NULL: some have, or nobody asked */
};

/* How the machine code of a kernel changed. */
struct pawl_report_code {
  const char *kernel_name;
  const char *base;    /* a commit */
  const char *arch;    /* "sm_90a"; NULL: a CPU */
  const char *line;    /* the main change, one line; NULL: unknown */
  const char *missing; /* why pawl cannot list instructions; NULL: it can */
  const char *text;    /* the whole difference in words */
};

/* The time of a run by phase, in seconds. The phases do not overlap. */
struct pawl_run_phases {
  double build, check, bench, judge, profile, references; /* judge: pairs of base and candidate */
  double waiting;               /* for the turns of other pawls, in no other phase */
  struct pawl_time_spent spent; /* within these phases */
};

/* All findings of a run, borrowed. Any part may be empty. */
struct pawl_run_report {
  const struct pawl_results *results;
  const struct pawl_ratchet_report *ratchet; /* NULL: results without a judgement */
  const struct pawl_report_build *builds;
  size_t build_count;
  const struct pawl_report_check *checks;
  size_t check_count;
  bool check_alone;                           /* the run times nothing */
  const struct pawl_report_profile *profiles; /* in the order of the rows: pawl_run_rows() */
  size_t profile_count;
  const struct pawl_report_code *code_changes; /* a row for each kernel whose code differs */
  size_t code_change_count;
  const struct pawl_baseline_move *moves; /* this run's */
  size_t move_count;
  /* earlier moves of the rows on this hardware: the ratchet's history */
  const struct pawl_baseline_move *earlier_moves;
  size_t earlier_move_count;
  int shard, shards; /* this is part `shard` (from 1) of `shards`; 0: the whole run */
  /* the verdict is from stored samples; the report's first lines say so */
  bool unpaired;
  /* no commit has the baseline yet, so it does not judge */
  bool baseline_uncommitted;
  /* a saved case: the right answer for its row; PAWL_DECISION_CONTINUE: unknown, or no saved case
   */
  enum pawl_decision expected;
  const char **notices; /* "the tree is dirty: the baseline was not written" */
  size_t notice_count;
  double seconds, cost_usd;             /* NaN: unknown */
  const struct pawl_run_phases *phases; /* NULL: unknown */
};

/* Returns whether `now` spills more than `before`. Returns false if either is unknown. */
bool pawl_code_spills_more(const struct pawl_code *before, const struct pawl_code *now);
/* Returns whether `now` has more registers a thread than `before`, or more spills. */
bool pawl_code_is_worse(const struct pawl_code *before, const struct pawl_code *now);

/* Makes verdict.json: docs/schema/verdict.schema.json. */
pawl_status pawl_verdict_to_json(const struct pawl_run_report *report, json_t **out,
                                 struct pawl_error *err);
