/* SPDX-License-Identifier: Apache-2.0 */
/* `clocks: lock` holds the GPU's clock at its base (TDP) value while pawl measures, for users who
 * own their GPU. A separate process, libexec/pawl/pawl-clock-guard ($PAWL_CLOCK_GUARD), sets and
 * removes the lock. It waits on a pipe. When pawl ends for any reason, the pipe closes and the
 * guard frees the clock. */
#pragma once

#include "device/device.h"
#include "process/process.h"

struct pawl_clock_lock {
  struct pawl_process guard; /* pid 0: no lock */
  int release_fd;            /* closing it frees the clock */
  char uuid[96];
};

/* Fails with PAWL_NOT_PERMITTED if pawl is not root, and with PAWL_UNAVAILABLE without NVML,
 * without a guard, or if the GPU lacks this feature. */
pawl_status pawl_clock_lock(const struct pawl_device *device, struct pawl_clock_lock *out,
                            struct pawl_error *err);

/* Frees the clock and waits for that. If the guard died or failed, pawl frees the clock itself. If
 * that fails too, PAWL_IO gives the command to run by hand. It is safe without a lock. */
pawl_status pawl_clock_unlock(struct pawl_clock_lock *lock, struct pawl_error *err);

/* Runs as the guard's main and returns its exit status. It locks and writes "locked\n", or one line
 * with the reason, to `out_fd`. It unlocks when `in_fd` closes or a signal comes. */
int pawl_clock_guard(const char *uuid, int in_fd, int out_fd);
