/* SPDX-License-Identifier: Apache-2.0 */
/* A space that was measured before: strategies are compared on it without a kernel or a machine. */
#ifndef PAWL_TUNE_RECORD_H
#define PAWL_TUNE_RECORD_H

#include "base/json.h"
#include "tune/search.h"

struct pawl_tune_record {
  const char *kernel_name, *device_name; /* NULL: not said */
  struct pawl_space space;
  double *times; /* [space.count] milliseconds; NaN: it failed */
  size_t failed;
  double best; /* the smallest time; NaN: all failed */
};

/* Reads a cache of Kernel Tuner (keys tune_params_keys and cache; a time that is no number is a failure) or the
   tune.json of pawl (its candidates). Lives in the arena. PAWL_BAD_DATA names the file and what is wrong. */
pawl_status pawl_tune_record_read(const char *path, struct pawl_arena *arena, struct pawl_tune_record *out,
                                  struct pawl_error *err);

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

/* Runs a search over the record for that many evaluations (0: all), failures counted. PAWL_USAGE: no such strategy. */
pawl_status pawl_tune_replay_run(const struct pawl_tune_record *record, const char *strategy, size_t evaluations,
                                 uint64_t seed, struct pawl_arena *arena, struct pawl_tune_replay *out,
                                 struct pawl_error *err);
json_t *pawl_tune_replay_to_json(const struct pawl_tune_record *record, const struct pawl_tune_replay *replay);

#endif
