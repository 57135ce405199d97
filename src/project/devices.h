/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that kernels run on, the CPU and one GPU: looked for on first use, their clocks held,
   a GPU lost on the way. */
#ifndef PAWL_PROJECT_DEVICES_H
#define PAWL_PROJECT_DEVICES_H

#include <stdbool.h>

#include "base/log.h"
#include "base/memory.h"
#include "device/cuda/clocks.h"
#include "device/device.h"
#include "model/measure_spec.h"

#define PAWL_DEVICE_KINDS 3 /* PAWL_CPU, PAWL_CUDA; 0 is none */

struct pawl_devices {
  struct pawl_devices
      *owner; /* another project's, which finds devices for both; NULL: these find their own */
  const char *wanted; /* --device N or UUID; NULL: the first of each kind */
  struct pawl_arena *arena;
  struct pawl_device found[PAWL_DEVICE_KINDS]; /* by kind; .kind 0: not looked for, or absent */
  const char *reasons[PAWL_DEVICE_KINDS];      /* why it is absent */
  bool misconfigured[PAWL_DEVICE_KINDS];       /* the user gave pawl a wrong setting for it */
  bool probed[PAWL_DEVICE_KINDS];
  struct pawl_device_search searches[PAWL_DEVICE_KINDS]; /* that have begun */
  const char *gpu_lost;    /* why the GPU does not work any more; NULL: no reason to doubt it */
  const char *absent_arch; /* what kernels are built for where there is no GPU; NULL: sm_80 */
  bool cuda_ready;         /* a CUDA kernel has been made ready to run */
  struct pawl_clock_lock clock_lock;
  const char *clocks; /* "locked", "not locked: why"; NULL: nobody asked */
};

/* Begins to look for devices of a kind, beside what the caller does next, where that takes long. */
void pawl_devices_begin(struct pawl_devices *devices, int32_t kind);

/* What looking for devices has left may end: no device is needed any more. Only the release may
 * follow. */
void pawl_devices_dismiss(struct pawl_devices *devices);
/* Ends what looking for devices has left. */
void pawl_devices_release(struct pawl_devices *devices);

/* The device that kernels of a kind run on; NULL with the reason when there is none. */
const struct pawl_device *pawl_devices_find(struct pawl_devices *devices, int32_t kind,
                                            const char **reason);

/* Asked after something on a device of that kind has failed: whether a GPU was lost. Then gpu_lost
 * says how. */
bool pawl_devices_lost(struct pawl_devices *devices, int32_t kind);

/* Holds the GPU's clock from now on where the suite asks for it. Where it cannot be held `clocks`
   says why, and goes into the results: the measurement is then as it would be without. */
void pawl_devices_lock_clocks(struct pawl_devices *devices, const struct pawl_measure_spec *spec,
                              struct pawl_log *log);
void pawl_devices_unlock_clocks(struct pawl_devices *devices, struct pawl_log *log);

#endif
