/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning found: the candidates that were screened, the finalists that were judged, the other cases, and what
   follows from them. tune.json holds it: docs/schema/tune.schema.json. */
#ifndef PAWL_TUNE_TUNE_H
#define PAWL_TUNE_TUNE_H

#include "gate/paired_test.h"
#include "model/result.h"
#include "tune/space.h"

#define PAWL_TUNE_SCHEMA 1
#define PAWL_TUNE_CURRENT "current" /* same_as: the machine code of the current parameters */
#define PAWL_TUNE_MOST_CASES 32u

/* One block of a configuration and the current one on one case. */
struct pawl_tune_times {
  double median_ms, base_ms; /* NaN: not timed */
  bool checked;              /* its outputs were compared */
};

/* One configuration that was built, checked and timed beside the current one. */
struct pawl_tune_candidate {
  size_t index;    /* in the space */
  const char *key; /* "BLOCK_M=16,BLOCK_N=64" */
  enum pawl_outcome outcome;
  const char *reason;                  /* why it is not OK; NULL */
  double median_ms, base_ms;           /* geometric means over the cases that it was timed on; NaN: none */
  bool checked;                        /* on all cases, or where it failed; false: it was too slow to be worth it */
  const struct pawl_tune_times *times; /* of each case; NULL: not timed */
  size_t time_count;
  double build_seconds, measure_seconds;
  const char *code_hash; /* NULL: unknown, or not built */
  const char *same_as;   /* whose machine code it has, and thereby times: a key, or "current"; NULL */
};

/* A candidate judged by the gate's test against the current parameters. The speed-up is that of the confirming blocks
   alone, which had no part in choosing it. */
struct pawl_tune_finalist {
  size_t candidate; /* in candidates */
  enum pawl_outcome outcome;
  const char *reason;
  struct pawl_paired_test paired;
  double speedup, low, high; /* current time / its time, 95 %; NaN: not confirmed */
};

/* The winner on another case of the operator. */
struct pawl_tune_other {
  const char *case_name;
  enum pawl_outcome outcome;
  const char *reason;
  enum pawl_decision decision;
  double slowdown, low, high; /* fractions */
  size_t blocks;
  bool harmed; /* it is slower there, wrong, or may be slower by more than is to be detected */
};

struct pawl_tune {
  const char *kernel_name, *hardware, *hardware_name, *commit, *timestamp, *strategy;
  const char *case_name;                /* "small"; of several cases "small,large" */
  const struct pawl_case *const *cases; /* that the search tunes for */
  size_t case_count;
  uint64_t seed;
  double budget_seconds, seconds, improve;
  const struct pawl_space *space;
  const char *current; /* the key of the current parameters; those not in params are left out */
  struct pawl_tune_candidate *candidates;
  size_t count;
  bool current_in_space; /* the current parameters are one of the space's configurations: they need no trial */
  bool stopped;          /* the user ended the search */
  size_t unjudged;       /* faster candidates that the budget left no time to judge */
  struct pawl_tune_finalist *finalists;
  size_t finalist_count;
  struct pawl_tune_other *others;
  size_t other_count;
  size_t winner; /* in finalists; finalist_count: none */
  bool recommended, decided;
  const char *conclusion; /* one line */
};

void pawl_tune_finalist_init(struct pawl_tune_finalist *finalist, size_t candidate);
/* Sets median_ms, base_ms and checked from the outcome and the times of a candidate's cases. */
void pawl_tune_sum_up(struct pawl_tune_candidate *candidate);
/* Reads the confirming blocks into speedup, low and high. */
void pawl_tune_confirmed(struct pawl_tune_finalist *finalist, struct pawl_arena *arena);

/* Sets winner, recommended, decided and conclusion from the rest. */
void pawl_tune_conclude(struct pawl_tune *tune, struct pawl_arena *arena);

/* The parameters of a candidate as -D words: "-DBLOCK_M=16 -DBLOCK_N=64". */
void pawl_tune_defines(const struct pawl_tune *tune, size_t candidate, struct pawl_text *out);

/* Configurations that are known: tried, or current. */
size_t pawl_tune_tried(const struct pawl_tune *tune);

json_t *pawl_tune_to_json(const struct pawl_tune *tune);

#endif
