/* SPDX-License-Identifier: Apache-2.0 */
/* Replays a search over a recorded space. */
#pragma once

#include "tune/record.h"

/* A step of a replay that found a faster configuration. */
struct pawl_tune_step {
  size_t evaluations; /* counted from 1 */
  size_t index;       /* an index of the space */
  double time;
};

struct pawl_tune_replay {
  const char *strategy;
  uint64_t seed;
  size_t evaluations, failed;
  struct pawl_tune_step *steps; /* the curve of the best time */
  size_t step_count;
};

struct pawl_tune_replay_options {
  const char *strategy;
  size_t evaluations; /* 0: the whole space */
  /* questions before the answers, at least 1; fewer at first, see pawl_search_first */
  size_t batch;
  uint64_t seed;
  /* "A=1,B=2": the current parameters, timed before any question; NULL: none */
  const char *current;
  const char *prior;  /* a record whose best configurations come first; NULL: none */
  const char *folder; /* created for the journal of all evaluations; NULL: no journal */
  bool resume;        /* resume from the journal */
};

/* Replays a search; failures count as evaluations. Fails with PAWL_USAGE for an unknown strategy or
 * `current`, and with PAWL_BAD_DATA if the journal belongs to another replay. */
pawl_status pawl_tune_replay_run(const struct pawl_tune_record *record,
                                 const struct pawl_tune_replay_options *options,
                                 struct pawl_arena *arena, struct pawl_tune_replay *out,
                                 struct pawl_error *err);
json_t *pawl_tune_replay_to_json(const struct pawl_tune_record *record,
                                 const struct pawl_tune_replay *replay);
