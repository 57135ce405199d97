/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA GPU, in its primary context, which code of the CUDA runtime uses too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "host/cuda_counters.h"
#include "host/cuda_hash.h"
#include "host/cuda_memory.h"
#include "host/cuda_timer.h"
#include "host/host_device.h"

struct cuda_state {
  struct pawl_cuda_driver driver;
  pawl_cu_device device;
  pawl_cu_context context;
  bool retained; /* the primary context */
  struct host_cuda_timer timer;
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

static pawl_cu_pointer address(const void *data) { return (pawl_cu_pointer)(uintptr_t)data; }

static void cuda_close(void *state) {
  struct cuda_state *cuda = state;
  if (!cuda) return;
  host_cuda_hash_release(&cuda->hash);
  if (cuda->flush) host_cuda_free(&cuda->memory, cuda->flush);
  host_cuda_memory_release(&cuda->memory);
  host_cuda_timer_release(&cuda->timer);
  if (cuda->retained) cuda->driver.primary_release(cuda->device);
  pawl_free(cuda);
}

static pawl_status make_context(struct cuda_state *cuda, struct pawl_error *err) {
  const struct pawl_cuda_driver *driver = &cuda->driver;
  PAWL_TRY(check(cuda, driver->device_get(&cuda->device, 0), "cannot use the GPU", err));
  PAWL_TRY(check(cuda, driver->primary_retain(&cuda->context, cuda->device),
                 "cannot make a context on the GPU", err));
  cuda->retained = true;
  PAWL_TRY(check(cuda, driver->set_current(cuda->context), "cannot use the context", err));
  PAWL_TRY(host_cuda_hash_init(&cuda->hash, driver, err));
  return host_cuda_timer_init(&cuda->timer, driver, cuda->device, err);
}

static pawl_status cuda_open(void **state, struct pawl_error *err) {
  struct cuda_state *cuda = pawl_alloc(1, sizeof *cuda);
  cuda->memory.driver = &cuda->driver;
  const char *bands = getenv("PAWL_GUARD_BANDS");
  cuda->memory.bare = bands && !strcmp(bands, "0");
  enum pawl_status_code status = pawl_cuda_driver_open(NULL, &cuda->driver, err);
  if (status ==
      PAWL_UNAVAILABLE) { /* this is no fault of the kernel, so the reply is "unsupported" */
    status = PAWL_UNDECIDED;
    if (err) err->code = PAWL_UNDECIDED;
  }
  if (status == PAWL_OK) status = make_context(cuda, err);
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

static pawl_status cuda_upload(void *state, void *to, const void *from, size_t bytes,
                               struct pawl_error *err) {
  const struct cuda_state *cuda = state;
  return bytes ? check(cuda, cuda->driver.upload(address(to), from, bytes),
                       "cannot write the GPU's memory", err)
               : PAWL_OK;
}

static pawl_status cuda_download(void *state, void *to, const void *from, size_t bytes,
                                 struct pawl_error *err) {
  struct cuda_state *cuda = state;
  PAWL_TRY(host_cuda_check_bands(&cuda->memory, address(from), err));
  return bytes ? check(cuda, cuda->driver.download(to, address(from), bytes),
                       "cannot read the GPU's memory", err)
               : PAWL_OK;
}

static bool cuda_pin(void *state, void *data, size_t bytes) {
  const struct cuda_state *cuda = state;
  return cuda->driver.host_register(data, bytes, PAWL_CU_HOST_PORTABLE) == PAWL_CU_SUCCESS;
}

static void cuda_unpin(void *state, void *data) {
  const struct cuda_state *cuda = state;
  cuda->driver.host_unregister(data);
}

static pawl_status cuda_fill(void *state, void *data, int byte, size_t bytes,
                             struct pawl_error *err) {
  const struct cuda_state *cuda = state;
  if (!bytes) return PAWL_OK;
  return check(
      cuda, cuda->driver.fill_async(address(data), (unsigned char)byte, bytes, cuda->timer.stream),
      "cannot fill the GPU's memory", err);
}

static pawl_status cuda_flush(void *state, size_t bytes, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  if (bytes > cuda->flush_bytes) {
    pawl_cu_pointer larger = 0;
    const size_t left = host_cuda_memory_left(&cuda->memory);
    PAWL_TRY(host_cuda_allocate(&cuda->memory, bytes, &larger, err));
    host_cuda_free(&cuda->memory, cuda->flush);
    host_cuda_memory_count(&cuda->memory, left);
    cuda->flush = larger;
    cuda->flush_bytes = bytes;
  }
  if (!bytes) return PAWL_OK;
  /* Lines that a kernel asked the cache to keep survive every flush, until this call makes them
     ordinary. */
  const pawl_cu_result reset = cuda->driver.reset_persisting();
  if (reset != PAWL_CU_NOT_SUPPORTED)
    PAWL_TRY(check(cuda, reset, "cannot flush the GPU's caches", err));
  PAWL_TRY(check(
      cuda, cuda->driver.fill_async(cuda->flush, ++cuda->flush_value, bytes, cuda->timer.stream),
      "cannot flush the GPU's caches", err));
  /* The read leaves clean lines. The write-back of dirty lines would take the time of the kernel,
     and count as its writes. */
  return host_cuda_hash_read(&cuda->hash, cuda->timer.stream, cuda->flush, bytes, err);
}

static pawl_status cuda_hash(void *state, const struct host_span *spans, int count,
                             struct pawl_hash *out, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  struct pawl_sum_hasher hasher = {0};
  for (int i = 0; i < count; i++)
    PAWL_TRY(host_cuda_hash_add(&cuda->hash, cuda->timer.stream, address(spans[i].data),
                                spans[i].bytes, &hasher, err));
  *out = hasher.sum;
  return PAWL_OK;
}

static pawl_status cuda_record(void *state, const struct pawl_kernel *kernel,
                               struct pawl_launch *launch, int calls,
                               const struct host_poisons *poisons, struct pawl_error *err) {
  return host_cuda_timer_record(&((struct cuda_state *)state)->timer, kernel, launch, calls,
                                poisons, err);
}

static pawl_status cuda_time_calls(void *state, const struct pawl_kernel *kernel,
                                   struct pawl_launch *launch, int calls,
                                   const struct host_poisons *poisons, struct host_timing *timing,
                                   struct pawl_error *err) {
  return host_cuda_timer_time(&((struct cuda_state *)state)->timer, kernel, launch, calls, poisons,
                              timing, err);
}

static bool cuda_exchange(void *state, const struct host_elements *inputs, int count, bool swap) {
  return host_cuda_exchange_plan(&((struct cuda_state *)state)->timer.exchange, inputs, count,
                                 swap ? HOST_CUDA_SWAP : HOST_CUDA_REWRITE);
}

static pawl_status cuda_take_back(void *state, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  return check(cuda, host_cuda_exchange_take_back(&cuda->timer.exchange, cuda->timer.stream),
               "cannot change its inputs back", err);
}

static pawl_status cuda_drain(void *state, struct pawl_error *err) {
  const struct cuda_state *cuda = state;
  return check(cuda, cuda->driver.synchronize(), "its work on the GPU failed", err);
}

static pawl_status cuda_delay(void *state, int64_t ns, struct pawl_error *err) {
  return host_cuda_timer_delay(&((struct cuda_state *)state)->timer, ns, err);
}

static pawl_status cuda_profile(void *state, bool begin, struct pawl_error *err) {
  const struct cuda_state *cuda = state;
  PAWL_TRY(check(cuda, cuda->driver.synchronize(), "its work on the GPU failed", err));
  return check(cuda, begin ? cuda->driver.profiler_start() : cuda->driver.profiler_stop(),
               "cannot mark the range for the profiler", err);
}

static void cuda_begin_request(void *state) {
  host_cuda_memory_resume(&((struct cuda_state *)state)->memory);
}

static pawl_status cuda_count(void *state, const json_t *metrics,
                              const struct host_counted *counted, json_t **out,
                              struct pawl_error *err) {
  const struct cuda_state *cuda = state;
  return host_cuda_count(&cuda->driver, cuda->device, cuda->context, metrics, counted, out, err);
}

/* The L2 has two halves that mirror each other. */
static pawl_status cuda_empty_caches(void *state, struct pawl_error *err) {
  struct cuda_state *cuda = state;
  int bytes = 0;
  PAWL_TRY(check(cuda, cuda->driver.device_attribute(&bytes, PAWL_CU_L2_CACHE_SIZE, cuda->device),
                 "cannot read the size of the GPU's L2", err));
  return cuda_flush(cuda, 2 * (size_t)bytes, err);
}

static int64_t cuda_memory_of_kernel(void *state) {
  return host_cuda_memory_of_others(&((struct cuda_state *)state)->memory);
}

static bool cuda_replays(void *state) {
  return ((const struct cuda_state *)state)->timer.method == HOST_CUDA_GRAPH;
}

static const char *cuda_method(void *state) {
  return host_cuda_timer_method(&((const struct cuda_state *)state)->timer);
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
    .exchange = cuda_exchange,
    .take_back = cuda_take_back,
    .drain = cuda_drain,
    .profile = cuda_profile,
    .count = cuda_count,
    .empty_caches = cuda_empty_caches,
    .delay = cuda_delay,
    .begin_request = cuda_begin_request,
    .memory_of_kernel = cuda_memory_of_kernel,
    .method = cuda_method,
};
