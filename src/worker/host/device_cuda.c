/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA GPU, in its primary context, where code built on the CUDA runtime meets it.

   How a call is timed. The kernel's launch is captured into a CUDA graph between two event records, and the graph is
   replayed behind the flush: none of the kernel's host code runs in the timed region, so that neither its overhead nor
   its tricks are in the number. The capture comes before the outputs are poisoned, and what a launch does outside the
   capture (another stream, a thread) is waited for: the replay alone can have written the outputs that are then hashed.
   A launch that cannot be captured is enqueued behind a shut gate instead, and one that even waits for the device
   inside its launch is timed as it runs; then the end is an event of the legacy stream, which waits for all ordinary
   streams, and the time that the device still works after that is added. PAWL_CUDA_TIMING=graph|block|stream chooses
   one, to compare them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "worker/host/cuda_delay.h"
#include "worker/host/cuda_gate.h"
#include "worker/host/cuda_hash.h"
#include "worker/host/cuda_memory.h"
#include "worker/host/device.h"

#define EVENT_SLACK_NS 2000.0   /* events resolve about 0.5 us */
#define SETTLE_SLACK_NS 30000.0 /* what a synchronise of an idle device may take */

enum method { METHOD_GRAPH, METHOD_BLOCK, METHOD_STREAM };
static const char *const method_names[] = {"graph", "block", "stream"};

struct cuda_state {
  struct pawl_cuda_driver driver;
  pawl_cu_device device;
  bool retained; /* the primary context */
  pawl_cu_stream stream;
  pawl_cu_event start, end;
  enum method method;
  bool launched;               /* its code is loaded: a load waits for the device, and behind a shut gate for ever */
  pawl_cu_graph_exec recorded; /* calls that wait for their replay; NULL: none */
  struct host_cuda_gate gate;
  struct host_cuda_delay delay;
  struct host_cuda_hash hash;
  struct host_cuda_memory memory;
  pawl_cu_pointer flush;
  size_t flush_bytes;
  unsigned char flush_value;
};

static pawl_status check(const struct cuda_state *cuda, pawl_cu_result result, const char *what,
                         struct pawl_error *err) {
  return pawl_cuda_check(&cuda->driver, result, what, err);
}

static pawl_cu_pointer address(const void *data) {
  return (pawl_cu_pointer)(uintptr_t)data;
}

static void drop_recorded(struct cuda_state *cuda) {
  if (cuda->recorded) cuda->driver.graph_exec_destroy(cuda->recorded);
  cuda->recorded = NULL;
}

static void cuda_close(void *state) {
  struct cuda_state *cuda = state;
  if (!cuda) return;
  drop_recorded(cuda);
  host_cuda_gate_release(&cuda->gate);
  host_cuda_delay_release(&cuda->delay);
  host_cuda_hash_release(&cuda->hash);
  if (cuda->flush) host_cuda_free(&cuda->memory, cuda->flush);
  host_cuda_memory_release(&cuda->memory);
  if (cuda->start) cuda->driver.event_destroy(cuda->start);
  if (cuda->end) cuda->driver.event_destroy(cuda->end);
  if (cuda->stream) cuda->driver.stream_destroy(cuda->stream);
  if (cuda->retained) cuda->driver.primary_release(cuda->device);
  pawl_free(cuda);
}

static enum method wanted_method(void) {
  const char *name = getenv("PAWL_CUDA_TIMING");
  for (int i = 0; name && i < 3; i++) {
    if (!strcmp(name, method_names[i])) return (enum method)i;
  }
  return METHOD_GRAPH;
}

static pawl_status make_context(struct cuda_state *cuda, struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = &cuda->driver;
  pawl_cu_context context = NULL;
  PAWL_TRY(check(cuda, driver->device_get(&cuda->device, 0), "cannot use the GPU", err));
  PAWL_TRY(check(cuda, driver->primary_retain(&context, cuda->device), "cannot make a context on the GPU", err));
  cuda->retained = true;
  PAWL_TRY(check(cuda, driver->set_current(context), "cannot use the context", err));
  PAWL_TRY(check(cuda, driver->stream_create(&cuda->stream, 0), "cannot make a stream", err));
  PAWL_TRY(check(cuda, driver->event_create(&cuda->start, 0), "cannot make an event", err));
  PAWL_TRY(check(cuda, driver->event_create(&cuda->end, 0), "cannot make an event", err));
  PAWL_TRY(host_cuda_hash_init(&cuda->hash, driver, err));
  return host_cuda_gate_init(&cuda->gate, driver, err);
}

static pawl_status cuda_open(void **state, struct pawl_error *err) {
  struct cuda_state *cuda = pawl_alloc(1, sizeof *cuda);
  cuda->method = wanted_method();
  cuda->memory.driver = &cuda->driver;
  const char *bands = getenv("PAWL_GUARD_BANDS");
  cuda->memory.bare = bands && !strcmp(bands, "0");
  enum pawl_status_code status = pawl_cuda_driver_open(NULL, &cuda->driver, err);
  if (status == PAWL_UNAVAILABLE) { /* not this kernel's fault: the worker cannot serve, which is "unsupported" */
    status = PAWL_UNDECIDED;
    if (err) err->code = PAWL_UNDECIDED;
  }
  if (status == PAWL_OK) status = make_context(cuda, err);
  if (status == PAWL_OK) host_cuda_memory_start(&cuda->memory);
  if (status == PAWL_OK)
    *state = cuda;
  else
    cuda_close(cuda);
  return status;
}

static pawl_status cuda_allocate(void *state, size_t bytes, void **out, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  pawl_cu_pointer data = 0;
  PAWL_TRY(host_cuda_allocate(&cuda->memory, bytes, &data, err));
  *out = (void *)(uintptr_t)data;
  return PAWL_OK;
}

static void cuda_release(void *state, void *data, size_t bytes) {
  struct cuda_state *cuda = state;
  (void)bytes;
  host_cuda_free(&cuda->memory, address(data));
}

static pawl_status cuda_upload(void *state, void *to, const void *from, size_t bytes, struct pawl_error *err) {
  const struct cuda_state *cuda = state;
  return bytes ? check(cuda, cuda->driver.upload(address(to), from, bytes), "cannot write the GPU's memory", err)
               : PAWL_OK;
}

static pawl_status cuda_download(void *state, void *to, const void *from, size_t bytes, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  PAWL_TRY(host_cuda_check_bands(&cuda->memory, address(from), err));
  return bytes ? check(cuda, cuda->driver.download(to, address(from), bytes), "cannot read the GPU's memory", err)
               : PAWL_OK;
}

static bool cuda_pin(void *state, void *data, size_t bytes) {
  struct cuda_state *cuda = state;
  return host_cuda_pin(&cuda->memory, data, bytes);
}

static void cuda_unpin(void *state, void *data) {
  struct cuda_state *cuda = state;
  host_cuda_unpin(&cuda->memory, data);
}

static pawl_status cuda_fill(void *state, void *data, int byte, size_t bytes, struct pawl_error *err) {
  const struct cuda_state *cuda = state;
  if (!bytes) return PAWL_OK;
  return check(cuda, cuda->driver.fill_async(address(data), (unsigned char)byte, bytes, cuda->stream),
               "cannot fill the GPU's memory", err);
}

static pawl_status cuda_flush(void *state, size_t bytes, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  if (bytes > cuda->flush_bytes) {
    pawl_cu_pointer larger = 0;
    PAWL_TRY(host_cuda_allocate(&cuda->memory, bytes, &larger, err));
    host_cuda_free(&cuda->memory, cuda->flush);
    cuda->flush = larger;
    cuda->flush_bytes = bytes;
  }
  if (!bytes) return PAWL_OK;
  /* Lines that a kernel asked the cache to keep outlive any flush until they are ordinary again. */
  const pawl_cu_result reset = cuda->driver.reset_persisting();
  if (reset != PAWL_CU_NOT_SUPPORTED) PAWL_TRY(check(cuda, reset, "cannot flush the GPU's caches", err));
  return check(cuda, cuda->driver.fill_async(cuda->flush, ++cuda->flush_value, bytes, cuda->stream),
               "cannot flush the GPU's caches", err);
}

static pawl_status cuda_hash(void *state, const struct host_span *spans, int count, struct pawl_hash *out,
                             struct pawl_error *err) {
  struct cuda_state *cuda = state;
  struct pawl_sum_hasher hasher = {0};
  for (int i = 0; i < count; i++)
    PAWL_TRY(host_cuda_hash_add(&cuda->hash, cuda->stream, address(spans[i].data), spans[i].bytes, &hasher, err));
  *out = hasher.sum;
  return PAWL_OK;
}

/* Overwrites the spot before this call; `left` are to be made, this one too. */
static pawl_cu_result spoil(const struct cuda_state *cuda, const struct host_spots *spots, int left) {
  if (!spots || left > spots->count) return PAWL_CU_SUCCESS;
  const struct host_spot *spot = &spots->at[spots->count - left];
  return spot->data ? cuda->driver.fill_async(address(spot->data), spot->value, 1, cuda->stream) : PAWL_CU_SUCCESS;
}

/* Captures the calls. False: this launch cannot be captured; the stream is usable again either way. */
static bool capture(struct cuda_state *cuda, const struct pawl_kernel *kernel, struct pawl_launch *launch, int calls,
                    const struct host_spots *spots) {
  const struct pawl_cuda_driver *driver = &cuda->driver;
  pawl_cu_graph graph = NULL;
  if (driver->capture_begin(cuda->stream, PAWL_CU_CAPTURE_RELAXED) != PAWL_CU_SUCCESS) return false;
  bool good = driver->event_record_flags(cuda->start, cuda->stream, PAWL_CU_EVENT_RECORD_EXTERNAL) == PAWL_CU_SUCCESS;
  for (int i = 0; i < calls && good; i++)
    good = spoil(cuda, spots, calls - i) == PAWL_CU_SUCCESS && kernel->launch(launch) == 0 &&
           host_cuda_delay_enqueue(&cuda->delay, cuda->stream) == PAWL_CU_SUCCESS;
  if (good)
    good = driver->event_record_flags(cuda->end, cuda->stream, PAWL_CU_EVENT_RECORD_EXTERNAL) == PAWL_CU_SUCCESS;
  good = driver->capture_end(cuda->stream, &graph) == PAWL_CU_SUCCESS && graph && good;
  if (good) good = driver->graph_instantiate(&cuda->recorded, graph, 0) == PAWL_CU_SUCCESS;
  if (good) good = driver->graph_upload(cuda->recorded, cuda->stream) == PAWL_CU_SUCCESS;
  if (graph) driver->graph_destroy(graph);
  if (!good) drop_recorded(cuda);
  return good;
}

static pawl_status cuda_record(void *state, const struct pawl_kernel *kernel, struct pawl_launch *launch, int calls,
                               const struct host_spots *spots, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  drop_recorded(cuda);
  launch->stream = cuda->stream;
  if (cuda->method == METHOD_GRAPH && !capture(cuda, kernel, launch, calls, spots)) {
    cuda->method = METHOD_BLOCK;
    cuda->launched = false; /* what the capture left in the runtime's "last error" comes out in the next, unheard */
  }
  if (cuda->method == METHOD_BLOCK && !cuda->launched) kernel->launch(launch);
  cuda->launched = true;
  return check(cuda, cuda->driver.synchronize(), "its work on the GPU failed", err);
}

/* The time between the two events, which has to fit into `wall_ns` of the host's clock. */
static pawl_status read_events(const struct cuda_state *cuda, double wall_ns, double *ns, struct pawl_error *err) {
  float milliseconds = 0;
  PAWL_TRY(
      check(cuda, cuda->driver.event_elapsed(&milliseconds, cuda->start, cuda->end), "cannot read the events", err));
  const double elapsed = (double)milliseconds * 1e6;
  if (!(elapsed >= 0) || !(elapsed <= wall_ns * 1.01 + EVENT_SLACK_NS))
    return pawl_fail(err, PAWL_FAILED, "the events claim %.0f ns where the host's clock saw %.0f ns", elapsed, wall_ns);
  *ns = elapsed;
  return PAWL_OK;
}

static pawl_status replay(struct cuda_state *cuda, double *ns, struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = &cuda->driver;
  const int64_t start = pawl_clock_ns();
  PAWL_TRY(check(cuda, driver->graph_launch(cuda->recorded, cuda->stream), "cannot replay its calls", err));
  PAWL_TRY(check(cuda, driver->synchronize(), "its work on the GPU failed", err));
  const double wall = (double)(pawl_clock_ns() - start);
  drop_recorded(cuda);
  return read_events(cuda, wall, ns, err);
}

/* Enqueues the calls between the events, behind the gate when `gated`. */
static pawl_status enqueue(struct cuda_state *cuda, const struct pawl_kernel *kernel, struct pawl_launch *launch,
                           int calls, const struct host_spots *spots, bool gated, int *number, struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = &cuda->driver;
  int result = 0;
  if (gated) PAWL_TRY(host_cuda_gate_shut(&cuda->gate, cuda->stream, err));
  enum pawl_status_code status =
      check(cuda, driver->event_record(cuda->start, cuda->stream), "cannot record an event", err);
  for (int i = 0; i < calls && result == 0 && status == PAWL_OK; i++) {
    status = check(cuda, spoil(cuda, spots, calls - i), "cannot overwrite its outputs", err);
    if (status != PAWL_OK) break;
    result = kernel->launch(launch);
    status = check(cuda, host_cuda_delay_enqueue(&cuda->delay, cuda->stream), "cannot enqueue a delay", err);
  }
  if (status == PAWL_OK)
    status = check(cuda, driver->event_record(cuda->end, PAWL_CU_STREAM_LEGACY), "its work on the GPU failed", err);
  /* its launch waits for the device: from now on it is timed without the gate */
  if (gated && !host_cuda_gate_open(&cuda->gate)) cuda->method = METHOD_STREAM;
  *number = result;
  return status;
}

static pawl_status cuda_time_calls(void *state, const struct pawl_kernel *kernel, struct pawl_launch *launch, int calls,
                                   const struct host_spots *spots, int *number, double *ns, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  const struct pawl_cuda_driver *driver = &cuda->driver;
  *number = 0;
  if (cuda->recorded) return replay(cuda, ns, err);
  launch->stream = cuda->stream;
  const int64_t start = pawl_clock_ns();
  PAWL_TRY(enqueue(cuda, kernel, launch, calls, spots, cuda->method == METHOD_BLOCK, number, err));
  PAWL_TRY(check(cuda, driver->stream_synchronize(PAWL_CU_STREAM_LEGACY), "its work on the GPU failed", err));
  const int64_t done = pawl_clock_ns();
  PAWL_TRY(check(cuda, driver->synchronize(), "its work on the GPU failed", err));
  const double settled = (double)(pawl_clock_ns() - done);
  if (*number != 0) return PAWL_OK;
  PAWL_TRY(read_events(cuda, (double)(done - start), ns, err));
  if (settled > SETTLE_SLACK_NS) *ns += settled; /* work on streams that nobody waited for */
  return PAWL_OK;
}

static pawl_status cuda_delay(void *state, int64_t ns, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  return host_cuda_delay_set(&cuda->delay, &cuda->driver, cuda->device, cuda->stream, ns, err);
}

static int64_t cuda_memory_of_kernel(void *state) {
  return host_cuda_memory_of_others(&((const struct cuda_state *)state)->memory);
}

static bool cuda_replays(void *state) {
  return ((const struct cuda_state *)state)->method == METHOD_GRAPH;
}

static const char *cuda_method(void *state) {
  return method_names[((const struct cuda_state *)state)->method];
}

const struct host_device host_device_cuda = {
    .kind = PAWL_CUDA,
    .in_place = false,
    .hash_kind = PAWL_OUTPUT_HASH_SUM,
    .open = cuda_open,
    .close = cuda_close,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .pin = cuda_pin,
    .unpin = cuda_unpin,
    .fill = cuda_fill,
    .flush = cuda_flush,
    .hash = cuda_hash,
    .record = cuda_record,
    .time_calls = cuda_time_calls,
    .replays = cuda_replays,
    .delay = cuda_delay,
    .memory_of_kernel = cuda_memory_of_kernel,
    .method = cuda_method,
};
