/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cuda_timer.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define EVENT_SLACK_NS 2000.0   /* events resolve about 0.5 us */
#define SETTLE_SLACK_NS 30000.0 /* the longest synchronisation with an idle device */

static const char *const method_names[] = {"graph", "block", "stream"};

static pawl_status check(const struct host_cuda_timer *timer, pawl_cu_result result,
                         const char *what, struct pawl_error *err) {
  return pawl_cuda_check(timer->driver, result, what, err);
}

static void drop_recorded(struct host_cuda_timer *timer) {
  if (timer->recorded) timer->driver->graph_exec_destroy(timer->recorded);
  timer->recorded = NULL;
}

static enum host_cuda_method chosen_method(void) {
  const char *name = getenv("PAWL_CUDA_TIMING");
  for (int i = 0; name && i < 3; i++) {
    if (!strcmp(name, method_names[i])) return (enum host_cuda_method)i;
  }
  return HOST_CUDA_GRAPH;
}

pawl_status host_cuda_timer_init(struct host_cuda_timer *timer,
                                 const struct pawl_cuda_driver *driver, pawl_cu_device device,
                                 struct pawl_error *err) {
  *timer = (struct host_cuda_timer){.driver = driver, .device = device, .method = chosen_method()};
  PAWL_TRY(check(timer, driver->stream_create(&timer->stream, 0), "cannot make a stream", err));
  PAWL_TRY(check(timer, driver->event_create(&timer->start, 0), "cannot make an event", err));
  PAWL_TRY(check(timer, driver->event_create(&timer->end, 0), "cannot make an event", err));
  PAWL_TRY(host_cuda_cover_init(&timer->cover, driver, err));
  PAWL_TRY(host_cuda_exchange_init(&timer->exchange, driver, err));
  /* Loads the spin now, because its memory is not the kernel's. If the driver cannot compile it,
     the flush is the only cover. */
  (void)!host_cuda_spin_load(&timer->spin, driver, device, timer->stream, NULL);
  return PAWL_OK;
}

void host_cuda_timer_release(struct host_cuda_timer *timer) {
  if (!timer->driver) return;
  drop_recorded(timer);
  host_cuda_cover_release(&timer->cover);
  host_cuda_spin_release(&timer->spin);
  host_cuda_exchange_release(&timer->exchange);
  if (timer->start) timer->driver->event_destroy(timer->start);
  if (timer->end) timer->driver->event_destroy(timer->end);
  if (timer->stream) timer->driver->stream_destroy(timer->stream);
  timer->driver = NULL;
}

/* Overwrites the poison before this call. `left` is the number of calls left, including this
   one. */
static pawl_cu_result overwrite_poison(const struct host_cuda_timer *timer,
                                       const struct host_poisons *poisons, int left) {
  if (!poisons || left > poisons->count) return PAWL_CU_SUCCESS;
  const struct host_poison *poison = &poisons->list[poisons->count - left];
  return poison->address ? timer->driver->fill_async((pawl_cu_pointer)(uintptr_t)poison->address,
                                                     poison->value, 1, timer->stream)
                         : PAWL_CU_SUCCESS;
}

static pawl_cu_result enqueue_delay(const struct host_cuda_timer *timer) {
  return timer->delay_ns ? host_cuda_spin_enqueue(&timer->spin, timer->delay_ns, timer->stream)
                         : PAWL_CU_SUCCESS;
}

/* Captures the calls. Returns false if this launch cannot be captured. The stream is usable again
   in both cases. */
static bool capture(struct host_cuda_timer *timer, const struct pawl_kernel *kernel,
                    struct pawl_launch *launch, int calls, const struct host_poisons *poisons) {
  const struct pawl_cuda_driver *driver = timer->driver;
  pawl_cu_graph graph = NULL;
  if (driver->capture_begin(timer->stream, PAWL_CU_CAPTURE_RELAXED) != PAWL_CU_SUCCESS)
    return false;
  bool good = driver->event_record_flags(timer->start, timer->stream,
                                         PAWL_CU_EVENT_RECORD_EXTERNAL) == PAWL_CU_SUCCESS;
  for (int i = 0; i < calls && good; i++)
    good = overwrite_poison(timer, poisons, calls - i) == PAWL_CU_SUCCESS &&
           kernel->launch(launch) == 0 && enqueue_delay(timer) == PAWL_CU_SUCCESS;
  if (good)
    good = driver->event_record_flags(timer->end, timer->stream, PAWL_CU_EVENT_RECORD_EXTERNAL) ==
           PAWL_CU_SUCCESS;
  good = driver->capture_end(timer->stream, &graph) == PAWL_CU_SUCCESS && graph && good;
  if (good) good = driver->graph_instantiate(&timer->recorded, graph, 0) == PAWL_CU_SUCCESS;
  if (good) good = driver->graph_upload(timer->recorded, timer->stream) == PAWL_CU_SUCCESS;
  if (graph) driver->graph_destroy(graph);
  if (!good) drop_recorded(timer);
  return good;
}

pawl_status host_cuda_timer_record(struct host_cuda_timer *timer, const struct pawl_kernel *kernel,
                                   struct pawl_launch *launch, int calls,
                                   const struct host_poisons *poisons, struct pawl_error *err) {
  drop_recorded(timer);
  launch->stream = timer->stream;
  if (timer->method == HOST_CUDA_GRAPH && !capture(timer, kernel, launch, calls, poisons)) {
    timer->method = HOST_CUDA_BLOCK;
    /* the next call reads and ignores the capture's entry in the runtime's "last error" */
    timer->launched = false;
  }
  if (timer->method == HOST_CUDA_BLOCK && !timer->launched) kernel->launch(launch);
  timer->launched = true;
  return check(timer, timer->driver->synchronize(), "its work on the GPU failed", err);
}

/* Reads the time between the two events, which must fit into `wall_ns` of the host's clock. */
static pawl_status read_events(const struct host_cuda_timer *timer, double wall_ns, double *ns,
                               struct pawl_error *err) {
  float milliseconds = 0;
  PAWL_TRY(check(timer, timer->driver->event_elapsed(&milliseconds, timer->start, timer->end),
                 "cannot read the events", err));
  const double elapsed = (double)milliseconds * 1e6;
  if (!(elapsed >= 0) || !(elapsed <= wall_ns * 1.01 + EVENT_SLACK_NS))
    return pawl_fail(err, PAWL_FAILED,
                     "the events report %.0f ns, but the host's clock saw %.0f ns", elapsed,
                     wall_ns);
  *ns = elapsed;
  return PAWL_OK;
}

/* Makes the cover of the next call longer if this call may have waited. Without the code of the
   spin, the flush remains the only cover. */
static void extend_cover(struct host_cuda_timer *timer, struct host_timing *timing) {
  if (!timing->waited || !timer->spin.driver) return;
  host_cuda_cover_extend(&timer->cover);
  timing->can_help = timer->cover.late_calls < HOST_CUDA_MAX_LATE;
}

static pawl_status exchange_inputs(struct host_cuda_timer *timer, struct pawl_error *err) {
  return check(timer, host_cuda_exchange_enqueue(&timer->exchange, timer->stream),
               "cannot change its inputs", err);
}

static pawl_status replay(struct host_cuda_timer *timer, struct host_timing *timing,
                          struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = timer->driver;
  const int64_t start = pawl_clock_ns();
  PAWL_TRY(host_cuda_cover_enqueue(&timer->cover, &timer->spin, timer->stream, err));
  PAWL_TRY(exchange_inputs(timer, err));
  PAWL_TRY(check(timer, driver->graph_launch(timer->recorded, timer->stream),
                 "cannot replay its calls", err));
  PAWL_TRY(host_cuda_cover_check(&timer->cover, &timing->waited, err));
  PAWL_TRY(check(timer, driver->synchronize(), "its work on the GPU failed", err));
  const double wall = (double)(pawl_clock_ns() - start);
  drop_recorded(timer);
  extend_cover(timer, timing);
  return read_events(timer, wall, &timing->ns, err);
}

/* Enqueues the calls between the events. */
static pawl_status cuda_timer_enqueue(struct host_cuda_timer *timer,
                                      const struct pawl_kernel *kernel, struct pawl_launch *launch,
                                      int calls, const struct host_poisons *poisons, int *number,
                                      struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = timer->driver;
  PAWL_TRY(check(timer, driver->event_record(timer->start, timer->stream), "cannot record an event",
                 err));
  for (int i = 0; i < calls && *number == 0; i++) {
    PAWL_TRY(check(timer, overwrite_poison(timer, poisons, calls - i),
                   "cannot overwrite its outputs", err));
    *number = kernel->launch(launch);
    PAWL_TRY(check(timer, enqueue_delay(timer), "cannot enqueue a delay", err));
  }
  return check(timer, driver->event_record(timer->end, PAWL_CU_STREAM_LEGACY),
               "its work on the GPU failed", err);
}

/* No cover is long enough for a launch that waits for the device, so the timer gives up covers. */
static void give_up_cover(struct host_cuda_timer *timer) {
  if (timer->method == HOST_CUDA_BLOCK && timer->cover.late_calls >= HOST_CUDA_MAX_LATE)
    timer->method = HOST_CUDA_STREAM;
}

pawl_status host_cuda_timer_time(struct host_cuda_timer *timer, const struct pawl_kernel *kernel,
                                 struct pawl_launch *launch, int calls,
                                 const struct host_poisons *poisons, struct host_timing *timing,
                                 struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = timer->driver;
  *timing = (struct host_timing){0};
  if (timer->recorded) return replay(timer, timing, err);
  launch->stream = timer->stream;
  const bool covered = timer->method == HOST_CUDA_BLOCK;
  if (covered) PAWL_TRY(host_cuda_cover_enqueue(&timer->cover, &timer->spin, timer->stream, err));
  PAWL_TRY(exchange_inputs(timer, err));
  const int64_t start = pawl_clock_ns();
  PAWL_TRY(cuda_timer_enqueue(timer, kernel, launch, calls, poisons, &timing->number, err));
  if (covered)
    PAWL_TRY(host_cuda_cover_check(&timer->cover, &timing->waited, err));
  else
    timing->waited = driver->event_query(timer->start) == PAWL_CU_SUCCESS;
  PAWL_TRY(check(timer, driver->stream_synchronize(PAWL_CU_STREAM_LEGACY),
                 "its work on the GPU failed", err));
  const int64_t done = pawl_clock_ns();
  PAWL_TRY(check(timer, driver->synchronize(), "its work on the GPU failed", err));
  const double settled = (double)(pawl_clock_ns() - done);
  if (timing->number != 0) return PAWL_OK;
  if (covered) extend_cover(timer, timing);
  give_up_cover(timer);
  PAWL_TRY(read_events(timer, (double)(done - start), &timing->ns, err));
  if (settled > SETTLE_SLACK_NS)
    timing->ns += settled; /* the rest is work on streams that no event waited for */
  return PAWL_OK;
}

pawl_status host_cuda_timer_delay(struct host_cuda_timer *timer, int64_t ns,
                                  struct pawl_error *err) {
  if (ns > 0)
    PAWL_TRY(host_cuda_spin_load(&timer->spin, timer->driver, timer->device, timer->stream, err));
  timer->delay_ns = ns;
  return PAWL_OK;
}

const char *host_cuda_timer_method(const struct host_cuda_timer *timer) {
  return method_names[timer->method];
}
