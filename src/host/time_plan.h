/* SPDX-License-Identifier: Apache-2.0 */
/* The request `time` as pawl-worker reads it. */
#ifndef PAWL_HOST_TIME_PLAN_H
#define PAWL_HOST_TIME_PLAN_H

#include "host/kernel.h"

struct host_time_plan {
  long long warmup, samples, first_set, flush_bytes, delay_ns;
  bool cold, keep, unseen, late;
  int calls;       /* per sample */
  bool left_out;   /* work, by calls of a batch */
  bool early;      /* the last unseen inputs changed before the caches were flushed */
  int repeated;    /* samples that were taken again, because the device had waited for the host */
  int64_t hash_ns; /* spent so far */
};

/* PAWL_BAD_DATA: a value out of its range. PAWL_UNDECIDED: a delay on a device that cannot make one. */
pawl_status host_time_plan_read(const struct host_kernel *host, const json_t *params, struct host_time_plan *plan,
                                struct pawl_error *err);

/* Before each call: poisons outputs and workspace, restores inouts, and where that is wanted flushes the caches. */
pawl_status host_time_reset(struct host_kernel *host, struct host_set *set, const struct host_time_plan *plan,
                            bool flush, struct pawl_error *err);

#endif
