/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded space: all its configurations were measured before, so strategies can be compared
   without a kernel or a device. */
#pragma once

#include "base/json.h"
#include "tune/search.h"

struct pawl_tune_record {
  const char *kernel_name, *device_name; /* NULL: not given */
  const char *current; /* "A=1,B=2": the current parameters of a search by pawl; NULL: none */
  struct pawl_space space;
  double *times; /* [space.count] milliseconds; NaN: it failed */
  size_t failed;
  double best; /* the least time; NaN: all failed */
};

/* Reads a recorded space into the arena, from a file that may be gzipped. The formats: a cache
   of Kernel Tuner (keys tune_params_keys and cache; a time that is no number is a failure; the
   last two brackets may be missing), T4 results (a result that is not "correct" is a failure;
   its time is the measurement "time", else the mean of "runtimes"), a tune.json of pawl (its
   candidates, on the scale of pawl_tune_current_ms), or the journal of a search. PAWL_BAD_DATA
   names the file and the mistake. */
pawl_status pawl_tune_record_read(const char *path, struct pawl_arena *arena,
                                  struct pawl_tune_record *out, struct pawl_error *err);
