/* SPDX-License-Identifier: Apache-2.0 */
/* The request `time` as pawl-worker reads it, and the steps that all its samples share. */
#pragma once

#include "host/kernel.h"

struct host_time_plan {
  long long warmup, samples, first_set, flush_bytes, delay_ns;
  bool cold, keep, late;
  bool unseen; /* takes pairs of samples: see kernel_pairs.h */
  /* pawl freezes the other threads during calls on unseen inputs: see protocol/stamp.h */
  bool held;
  bool given;    /* pawl gives the inputs of each held call */
  bool exchange; /* unseen calls also exchange elements: the inputs have no order */
  /* the pair whose unseen inputs and outputs pawl wants to see; -1: none */
  long long look;
  int looked_set; /* the set that holds them; -1: none yet */
  int calls;      /* calls per sample */
  bool left_out;  /* a call of a batch left its work out */
  bool early;     /* the device could not exchange elements behind the flush */
  /* number of repetitions of samples because the device had waited for the host */
  int repeated;
  int64_t hash_ns; /* nanoseconds spent on hashes so far */
};

/* The arrays of the reply with one element for each sample. */
struct host_sample_lists {
  json_t *ns, *hashes, *waited;
};

/* Fails with PAWL_BAD_DATA if a value is out of its range, and with PAWL_UNDECIDED if the device
   cannot add the delay. */
pawl_status host_time_plan_read(const struct host_kernel *host, const json_t *params,
                                struct host_time_plan *plan, struct pawl_error *err);

/* Prepares a call: poisons outputs and workspace, restores inouts, and with `flush` flushes the
   caches. */
pawl_status host_time_reset(struct host_kernel *host, struct host_set *set,
                            const struct host_time_plan *plan, bool flush, struct pawl_error *err);

/* Returns the set for the call with this number. The sets take turns, from plan->first_set on. */
struct host_set *host_time_rotate(struct host_kernel *host, const struct host_time_plan *plan,
                                  long long call);
/* Returns whether a call that is no sample also starts with cold caches. On a GPU it does, so that
   its clocks are those of the samples. On a CPU it does not, because a flush takes far longer than
   the call. */
bool host_time_warms_up_cold(const struct host_kernel *host, const struct host_time_plan *plan);
pawl_status host_time_hash(struct host_kernel *host, const struct host_set *set,
                           struct host_time_plan *plan, char out[PAWL_HASH_TEXT],
                           struct pawl_error *err);
/* Adds a sample and the hash of its current outputs to the lists. */
pawl_status host_time_add(struct host_kernel *host, const struct host_set *set,
                          struct host_time_plan *plan, const struct host_timing *timing,
                          struct host_sample_lists *lists, struct pawl_error *err);
