/* SPDX-License-Identifier: Apache-2.0 */
/* The request `time` as pawl-worker reads it, and what its samples have in common. */
#pragma once

#include "host/kernel.h"

struct host_time_plan {
  long long warmup, samples, first_set, flush_bytes, delay_ns;
  bool cold, keep, late;
  bool unseen;    /* pairs of samples: kernel_pairs.h */
  bool held;      /* pawl holds the other threads during calls on unseen inputs: protocol/stamp.h */
  long long look; /* the pair whose unseen inputs, with their outputs, are to be shown; -1: none */
  int looked_set; /* where that was; -1: not yet */
  int calls;      /* per sample */
  bool left_out;  /* work, by calls of a batch */
  bool early;     /* the last unseen inputs changed before the caches were flushed */
  int repeated;   /* samples that were taken again, because the device had waited for the host */
  int64_t hash_ns; /* spent so far */
};

/* A member of the reply for each sample. */
struct host_sample_lists {
  json_t *ns, *hashes, *waited;
};

/* PAWL_BAD_DATA: a value out of its range. PAWL_UNDECIDED: a delay on a device that cannot make
 * one. */
pawl_status host_time_plan_read(const struct host_kernel *host, const json_t *params,
                                struct host_time_plan *plan, struct pawl_error *err);

/* Before each call: poisons outputs and workspace, restores inouts, and where that is wanted
 * flushes the caches. */
pawl_status host_time_reset(struct host_kernel *host, struct host_set *set,
                            const struct host_time_plan *plan, bool flush, struct pawl_error *err);

/* The sets take turns. */
struct host_set *host_time_rotate(struct host_kernel *host, const struct host_time_plan *plan,
                                  long long call);
/* A call that is no sample needs no cold caches. On a GPU it has them all the same: the clocks are
   to be those of the samples. On a CPU it takes far longer to write more than the caches hold than
   to make the call. */
bool host_time_warms_up_cold(const struct host_kernel *host, const struct host_time_plan *plan);
pawl_status host_time_hash(struct host_kernel *host, const struct host_set *set,
                           struct host_time_plan *plan, char out[PAWL_HASH_TEXT],
                           struct pawl_error *err);
/* Adds a sample and the hash of its outputs as they are now. */
pawl_status host_time_add(struct host_kernel *host, const struct host_set *set,
                          struct host_time_plan *plan, const struct host_timing *timing,
                          struct host_sample_lists *lists, struct pawl_error *err);
