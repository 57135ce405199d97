/* SPDX-License-Identifier: Apache-2.0 */
/* Work ahead of a timed call that keeps the device busy until the host has enqueued all of the
   call. Without it the device runs dry inside the call, and the host's time is in the number.

   The caches' flush is such work. Where it is too short, a spin is added. An event behind both
   tells whether they were long enough: if it is complete when all is enqueued, the device may have
   waited for the host, and the call is to be timed again. The spin is then twice as long. It ends
   by itself, so a launch that waits for the device cannot hang. */
#pragma once

#include <stdbool.h>

#include "host/cuda_spin.h"

/* Calls in a row that come late before no spin is long enough: the last has one of 51 ms. */
#define HOST_CUDA_MAX_LATE 11

struct host_cuda_cover {
  const struct pawl_cuda_driver *driver; /* NULL: not made */
  pawl_cu_event end;                     /* the end of the cover */
  int64_t spin_ns;                       /* 0: the flush alone */
  int late_calls;                        /* in a row */
};

pawl_status host_cuda_cover_init(struct host_cuda_cover *cover,
                                 const struct pawl_cuda_driver *driver, struct pawl_error *err);
void host_cuda_cover_release(struct host_cuda_cover *cover);

/* Puts the end of the cover into the stream; what is enqueued next is covered. `spin` is loaded
 * where spin_ns > 0. */
pawl_status host_cuda_cover_enqueue(struct host_cuda_cover *cover,
                                    const struct host_cuda_spin *spin, pawl_cu_stream stream,
                                    struct pawl_error *err);
/* To be asked as soon as all is enqueued. *late: the cover has ended before. */
pawl_status host_cuda_cover_check(struct host_cuda_cover *cover, bool *late,
                                  struct pawl_error *err);
/* A longer cover for the next call. */
void host_cuda_cover_extend(struct host_cuda_cover *cover);
