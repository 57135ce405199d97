/* SPDX-License-Identifier: Apache-2.0 */
/* Times a call on a CUDA GPU.

The timer captures the kernel's launch into a CUDA graph between two event records, and replays the
graph after the flush. No host code of the kernel runs in the timed region, so the time includes
neither its overhead nor its tricks. pawl poisons the outputs after the capture. It first waits
for work that a launch does outside the capture, on another stream or thread. So only the replay
can have written the outputs that pawl hashes.

If a launch cannot be captured, the timer enqueues it between two events. The end event is on the
legacy stream, which waits for all ordinary streams. The timer adds the time that the device
still works after it. Both methods keep the device busy until all is enqueued (cuda_cover.h). A
launch that waits for the device cannot be enqueued in advance, so the timer times it as it runs.
PAWL_CUDA_TIMING=graph|block|stream forces one method, to compare them. */
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
  bool launched;               /* its code is loaded; loading waits for the device */
  pawl_cu_graph_exec recorded; /* recorded calls, not yet replayed; NULL: none */
  struct host_cuda_cover cover;
  struct host_cuda_spin spin;         /* for the cover and the delay */
  struct host_cuda_exchange exchange; /* exchanges inputs before a timed call */
  int64_t delay_ns;                   /* a spin after each timed call; 0: none */
};

/* Release the timer after a failure too. */
pawl_status host_cuda_timer_init(struct host_cuda_timer *timer,
                                 const struct pawl_cuda_driver *driver, pawl_cu_device device,
                                 struct pawl_error *err);
void host_cuda_timer_release(struct host_cuda_timer *timer);

/* The members `record`, `time_calls` and `delay` of struct host_device. */
pawl_status host_cuda_timer_record(struct host_cuda_timer *timer, const struct pawl_kernel *kernel,
                                   struct pawl_launch *launch, int calls,
                                   const struct host_poisons *poisons, struct pawl_error *err);
pawl_status host_cuda_timer_time(struct host_cuda_timer *timer, const struct pawl_kernel *kernel,
                                 struct pawl_launch *launch, int calls,
                                 const struct host_poisons *poisons, struct host_timing *timing,
                                 struct pawl_error *err);
pawl_status host_cuda_timer_delay(struct host_cuda_timer *timer, int64_t ns,
                                  struct pawl_error *err);
/* Returns "graph", "block" or "stream". */
const char *host_cuda_timer_method(const struct host_cuda_timer *timer);
