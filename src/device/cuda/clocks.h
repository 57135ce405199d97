/* SPDX-License-Identifier: Apache-2.0 */
/* `clocks: lock`: the GPU's clock held at its base (TDP) value while pawl measures, for users who
   own their GPU. The lock is set and taken back by a process of its own,
   libexec/pawl/pawl-clock-guard ($PAWL_CLOCK_GUARD), that waits on a pipe: when pawl ends, however
   it ends, the pipe closes and the clock is free again. */
#ifndef PAWL_DEVICE_CUDA_CLOCKS_H
#define PAWL_DEVICE_CUDA_CLOCKS_H

#include "device/device.h"
#include "process/process.h"

struct pawl_clock_lock {
  struct pawl_process guard; /* pid 0: nothing is locked */
  int release_fd;            /* closing it releases */
  char uuid[96];
};

/* PAWL_NOT_PERMITTED (locking needs root), PAWL_UNAVAILABLE (no NVML, a GPU without this feature,
 * no guard). */
pawl_status pawl_clock_lock(const struct pawl_device *device, struct pawl_clock_lock *out,
                            struct pawl_error *err);

/* Frees the clock and waits until it is. When the guard has died or failed it is freed from here;
   PAWL_IO when that fails too: the message says how to do it by hand. Releasing nothing is fine. */
pawl_status pawl_clock_unlock(struct pawl_clock_lock *lock, struct pawl_error *err);

/* The guard's main: its exit status. Locks, writes "locked\n" to `out_fd` (or one line with the
   reason), waits until `in_fd` closes or a signal asks it to end, unlocks. */
int pawl_clock_guard(const char *uuid, int in_fd, int out_fd);

#endif
