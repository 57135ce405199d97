/* SPDX-License-Identifier: Apache-2.0 */
/* How a call on a CUDA GPU is timed.

   The kernel's launch is captured into a CUDA graph between two event records, and the graph is
   replayed behind the flush. None of the kernel's host code runs in the timed region, so neither
   its overhead nor its tricks are in the number. The capture comes before the outputs are poisoned,
   and pawl waits for what a launch does outside the capture (another stream, a thread): only the
   replay can have written the outputs that are then hashed. A launch that cannot be captured is
   enqueued between two events. The end is then an event of the legacy stream, which waits for all
   ordinary streams, and the time that the device still works after that is added. Both ways the
   device is kept busy until all is enqueued (cuda_cover.h). A launch that waits for the device
   cannot be enqueued ahead: it is timed as it runs. PAWL_CUDA_TIMING=graph|block|stream chooses
   one, to compare them. */
#pragma once

#include "host/cuda_cover.h"
#include "host/cuda_exchange.h"
#include "host/cuda_spin.h"
#include "host/host_device.h"

enum host_cuda_method { HOST_CUDA_GRAPH, HOST_CUDA_BLOCK, HOST_CUDA_STREAM };

struct host_cuda_timer {
  const struct pawl_cuda_driver *driver;
  pawl_cu_device device;
  pawl_cu_stream stream;
  pawl_cu_event start, end;
  enum host_cuda_method method;
  bool launched;               /* its code is loaded: a load waits for the device */
  pawl_cu_graph_exec recorded; /* calls that wait for their replay; NULL: none */
  struct host_cuda_cover cover;
  struct host_cuda_spin spin;         /* for the cover and the delay */
  struct host_cuda_exchange exchange; /* exchanges inputs before a timed call */
  int64_t delay_ns;                   /* behind each timed call; 0: none */
};

/* Release it after a failure too. */
pawl_status host_cuda_timer_init(struct host_cuda_timer *timer,
                                 const struct pawl_cuda_driver *driver, pawl_cu_device device,
                                 struct pawl_error *err);
void host_cuda_timer_release(struct host_cuda_timer *timer);

/* `record`, `time_calls` and `delay` of struct host_device. */
pawl_status host_cuda_timer_record(struct host_cuda_timer *timer, const struct pawl_kernel *kernel,
                                   struct pawl_launch *launch, int calls,
                                   const struct host_poisons *poisons, struct pawl_error *err);
pawl_status host_cuda_timer_time(struct host_cuda_timer *timer, const struct pawl_kernel *kernel,
                                 struct pawl_launch *launch, int calls,
                                 const struct host_poisons *poisons, struct host_timing *timing,
                                 struct pawl_error *err);
pawl_status host_cuda_timer_delay(struct host_cuda_timer *timer, int64_t ns,
                                  struct pawl_error *err);
/* "graph", "block" or "stream". */
const char *host_cuda_timer_method(const struct host_cuda_timer *timer);
