/* SPDX-License-Identifier: Apache-2.0 */
/* A cover: work ahead of a timed call that keeps the device busy until the host has enqueued the
whole call. Without it the device would run out of work inside the call, and the measured time
would include the host's.

The flush of the caches is such work. If it is too short, pawl adds a spin. An event follows
both. If it is complete when the host has enqueued the call, the device may have waited for the
host. pawl then times the call again with a spin twice as long. Where calls are on time again, the
spin becomes shorter: the system holds up a host now and then, and a process makes thousands of
calls. A spin ends by itself, so a launch that waits for the device cannot hang. */
#pragma once

#include <stdbool.h>

#include "host/cuda_spin.h"

/* After this many late calls in a row pawl gives up. The last spin takes 51 ms. */
#define HOST_CUDA_MAX_LATE 11

struct host_cuda_cover {
  const struct pawl_cuda_driver *driver; /* NULL: there is no cover */
  pawl_cu_event end;                     /* the end of the cover */
  int64_t spin_ns;                       /* 0: only the flush covers */
  int late_calls;                        /* late calls in a row */
  int on_time;                           /* calls on time since the spin last changed */
  int patience;                          /* after this number of them the spin becomes shorter */
  bool shrunk;                           /* its last change made it shorter */
};

pawl_status host_cuda_cover_init(struct host_cuda_cover *cover,
                                 const struct pawl_cuda_driver *driver, struct pawl_error *err);
void host_cuda_cover_release(struct host_cuda_cover *cover);

/* Enqueues the spin, if spin_ns > 0, and the end of the cover. The cover then protects what the
   caller enqueues next. `spin` must be loaded if spin_ns > 0. */
pawl_status host_cuda_cover_enqueue(struct host_cuda_cover *cover,
                                    const struct host_cuda_spin *spin, pawl_cu_stream stream,
                                    struct pawl_error *err);
/* Call this as soon as all work is enqueued. Sets *late if the cover had already ended. After
   several calls on time, the next cover is shorter. */
pawl_status host_cuda_cover_check(struct host_cuda_cover *cover, bool *late,
                                  struct pawl_error *err);
/* Makes the cover of the next call longer. */
void host_cuda_cover_extend(struct host_cuda_cover *cover);
