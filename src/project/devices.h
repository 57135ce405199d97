/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that kernels run on: the CPU and one GPU. pawl looks for them on first use, can lock
   their clocks, and notices a lost GPU. */
#pragma once

#include <stdbool.h>

#include "base/log.h"
#include "base/memory.h"
#include "device/cuda/clocks.h"
#include "device/device.h"
#include "device/turn.h"
#include "model/measure_spec.h"

#define PAWL_DEVICE_KINDS 3 /* PAWL_CPU, PAWL_CUDA; 0 is none */

struct pawl_devices {
  /* another project's devices, which serve this project too; NULL: its own */
  struct pawl_devices *owner;
  const char *wanted; /* --device N or UUID; NULL: the first of each kind */
  struct pawl_arena *arena;
  struct pawl_device found[PAWL_DEVICE_KINDS]; /* by kind; .kind 0: absent or unknown */
  const char *reasons[PAWL_DEVICE_KINDS];      /* why the device is absent */
  bool misconfigured[PAWL_DEVICE_KINDS];       /* the user gave pawl a wrong setting for it */
  bool probed[PAWL_DEVICE_KINDS];
  struct pawl_device_search searches[PAWL_DEVICE_KINDS]; /* searches in progress */
  const char *gpu_lost;    /* why the GPU no longer works; NULL: no known fault */
  const char *absent_arch; /* the target of builds without a GPU; NULL: sm_80 */
  bool cuda_ready;         /* a CUDA kernel is ready to run */
  struct pawl_clock_lock clock_lock;
  double wait_seconds;              /* for a turn */
  struct pawl_timing_turn turn;     /* CPUs and GPU on which this pawl alone times */
  bool has_turn[PAWL_DEVICE_KINDS]; /* by kind */
  const char *clocks;               /* "locked" or "not locked: why"; NULL: no request */
};

/* Begins a slow search for devices of a kind beside the caller's next steps. */
void pawl_devices_begin(struct pawl_devices *devices, int32_t kind);

/* Lets the processes of the search end when no device is needed any more. Only the release may
   follow. */
void pawl_devices_dismiss(struct pawl_devices *devices);
/* Ends the processes of the search. */
void pawl_devices_release(struct pawl_devices *devices);

/* Returns the device for kernels of a kind, or NULL; *reason then says why. */
const struct pawl_device *pawl_devices_find(struct pawl_devices *devices, int32_t kind,
                                            const char **reason);

/* Finds no GPU from now on, for the reason. */
void pawl_devices_hide_gpu(struct pawl_devices *devices, const char *reason);

/* Call it after a failure on a device of that kind. Returns whether a GPU is lost; gpu_lost then
   says why. */
bool pawl_devices_lost(struct pawl_devices *devices, int32_t kind);

/* Waits until no other pawl of this machine times on the GPU, or on the CPUs of the suite. The turn
 * lasts until the release. Fails like pawl_turn_take. */
pawl_status pawl_devices_take_turn(struct pawl_devices *devices, int32_t kind,
                                   const struct pawl_measure_spec *spec, struct pawl_log *log,
                                   struct pawl_error *err);

/* Returns the seconds that pawl has waited for the turns of others. */
double pawl_devices_waited(const struct pawl_devices *devices);

/* Ends the turn early, for a process that times again later. */
void pawl_devices_end_turn(struct pawl_devices *devices);

/* Locks the GPU's clock if the suite asks for it. If pawl cannot lock it, `clocks` says why, the
   results record that, and the measurement goes on. */
void pawl_devices_lock_clocks(struct pawl_devices *devices, const struct pawl_measure_spec *spec,
                              struct pawl_log *log);
void pawl_devices_unlock_clocks(struct pawl_devices *devices, struct pawl_log *log);
