/* SPDX-License-Identifier: Apache-2.0 */
/* A search over a record, as it would have gone. */
#ifndef PAWL_TUNE_SEARCH_REPLAY_H
#define PAWL_TUNE_SEARCH_REPLAY_H

#include "tune/record.h"

/* One step of a replay at which a faster configuration was found. */
struct pawl_tune_step {
  size_t evaluations; /* from 1 */
  size_t index;       /* in the space */
  double time;
};

struct pawl_tune_replay {
  const char *strategy;
  uint64_t seed;
  size_t evaluations, failed;
  struct pawl_tune_step *steps; /* the curve of the best found */
  size_t step_count;
};

struct pawl_tune_replay_options {
  const char *strategy;
  size_t evaluations; /* 0: all */
  size_t
      batch; /* questions before the answers, at least 1; at first no more than no answer changes */
  uint64_t seed;
  const char *current; /* the configuration that the code has, timed before any question: "A=1,B=2";
                          NULL: none */
  const char *prior;   /* a record whose best configurations are tried first; NULL: none */
  const char
      *folder; /* for the journal of every evaluation, made if it is not there; NULL: no journal */
  bool resume; /* goes on from the journal */
};

/* Runs a search over the record, failures counted. PAWL_USAGE: no such strategy, or no such
   current. PAWL_BAD_DATA: the journal is of another replay. */
pawl_status pawl_tune_replay_run(const struct pawl_tune_record *record,
                                 const struct pawl_tune_replay_options *options,
                                 struct pawl_arena *arena, struct pawl_tune_replay *out,
                                 struct pawl_error *err);
json_t *pawl_tune_replay_to_json(const struct pawl_tune_record *record,
                                 const struct pawl_tune_replay *replay);

#endif
