/* SPDX-License-Identifier: Apache-2.0 */
#include "host/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/tensor_json.h"

/* bytes of each band, which keep the workspace aligned */
#define GUARD_BYTES 4096
#define GUARD_VALUE 0xa5
#define PINNED_WHOLE ((size_t)1 << 30)

static void release_set(struct host_kernel *host, struct host_set *set) {
  for (int i = 0; i < set->placed.count; i++) {
    const size_t bytes = set->placed.tensors[i].bytes;
    pawl_free(set->original[i]);
    if (!host->device->in_place)
      host->device->release(host->device_state, set->tensors[i].data, bytes);
  }
}

void host_kernel_unpin(struct host_kernel *host) {
  if (host->pinned) host->device->unpin(host->device_state, host->pinned);
  host->pinned = NULL;
  host->pinned_bytes = 0;
}

void host_kernel_unprepare(struct host_kernel *host) {
  /* no work of this case may write to memory that the next case gets */
  if (host->ready && host->device->drain && host->device->drain(host->device_state, NULL)) {
    /* it has failed already */
  }
  for (int i = 0; i < host->set_count; i++) release_set(host, &host->sets[i]);
  if (host->workspace)
    host->device->release(host->device_state, host->workspace,
                          host->workspace_bytes + 2 * GUARD_BYTES);
  pawl_arena_clear(&host->arena);
  host->ready = false;
  host->sets = NULL;
  host->set_count = 0;
  host->workspace = NULL;
  host->workspace_bytes = 0;
  host->memory_bytes = -1;
  host->fastest_ns = INFINITY;
  host->until_check = -1;
}

/* Touches the shared pages, so that they are in the page table before pawl times a call. */
static void touch_pages(const struct host_set *set) {
  for (int i = 0; i < set->placed.count; i++) {
    const volatile unsigned char *data = set->shared[i].data;
    for (size_t byte = 0; byte < set->placed.tensors[i].bytes; byte += 4096) (void)data[byte];
  }
}

static pawl_status place_set(struct host_kernel *host, const json_t *array, struct host_set *set,
                             struct pawl_error *err) {
  struct pawl_tensor_set placed;
  PAWL_TRY(pawl_tensor_set_from_json(array, &host->arena, &placed, err));
  PAWL_TRY(host_place_tensors(&host->mapping, &placed, set->shared, err));
  memcpy(set->tensors, set->shared, sizeof set->tensors);
  set->placed = placed;
  touch_pages(set);
  if (host->device->in_place) return PAWL_OK;
  for (int i = 0; i < placed.count; i++) set->tensors[i].data = NULL;
  for (int i = 0; i < placed.count; i++)
    PAWL_TRY(host->device->allocate(host->device_state, placed.tensors[i].bytes,
                                    &set->tensors[i].data, err));
  return PAWL_OK;
}

static pawl_status place_sets(struct host_kernel *host, const json_t *params,
                              struct pawl_error *err) {
  const json_t *sets = json_object_get(params, "sets");
  const size_t count = json_array_size(sets);
  if (count == 0)
    return pawl_fail(err, PAWL_BAD_DATA, "request: 'sets' must be an array with at least one set");
  host->sets = pawl_arena_alloc(&host->arena, count, sizeof *host->sets);
  for (size_t i = 0; i < count; i++) {
    host->set_count = (int)i + 1; /* so that the caller releases the parts after a failure */
    PAWL_TRY(place_set(host, json_array_get(sets, i), &host->sets[i], err));
  }
  return PAWL_OK;
}

/* Pins the memory of the sets, which only makes copies faster. So memory that cannot be pinned is
   no failure. Where all shared memory is small, pawl pins what is before them too, once for most
   cases, and nothing behind them, whose pages would have to go again. */
static void pin_sets(struct host_kernel *host) {
  uint64_t first = UINT64_MAX, end = 0;
  for (int s = 0; s < host->set_count; s++) {
    const struct pawl_tensor_set *set = &host->sets[s].placed;
    for (int i = 0; i < set->count; i++) {
      if (set->tensors[i].offset < first) first = set->tensors[i].offset;
      if (set->tensors[i].offset + set->tensors[i].bytes > end)
        end = set->tensors[i].offset + set->tensors[i].bytes;
    }
  }
  if (!host->device->pin || first >= end) return;
  unsigned char *map = host->mapping.data;
  if (host->pinned && host->pinned <= map + first && map + end <= host->pinned + host->pinned_bytes)
    return;
  host_kernel_unpin(host);
  if (host->mapping.size <= PINNED_WHOLE) first = 0;
  if (!host->device->pin(host->device_state, map + first, (size_t)(end - first))) return;
  host->pinned = map + first;
  host->pinned_bytes = (size_t)(end - first);
}

static pawl_status make_workspace(struct host_kernel *host, struct pawl_error *err) {
  if (!host->kernel->workspace_bytes) return PAWL_OK;
  const size_t bytes = host->kernel->workspace_bytes(&host->shape);
  if (bytes == 0) return PAWL_OK;
  void *block = NULL;
  if (bytes > SIZE_MAX - 2 * GUARD_BYTES)
    return pawl_fail(err, PAWL_FAILED, "asks for a workspace of %zu bytes", bytes);
  if (host->device->allocate(host->device_state, bytes + 2 * GUARD_BYTES, &block, err) != PAWL_OK)
    return pawl_prefix(err, "the workspace that it asks for");
  host->workspace = block;
  host->workspace_bytes = bytes;
  PAWL_TRY(host->device->fill(host->device_state, host->workspace, GUARD_VALUE, GUARD_BYTES, err));
  return host->device->fill(host->device_state, host->workspace + GUARD_BYTES + bytes, GUARD_VALUE,
                            GUARD_BYTES, err);
}

static pawl_status kernel_prepare(struct host_kernel *host, const json_t *params,
                                  const char **reason, struct pawl_error *err) {
  long long threads, emptied;
  PAWL_TRY(pawl_json_get_int(params, "emptied", "request", 0, &emptied, err));
  if (emptied != host->emptied || !host_mapping_is_whole(&host->mapping, host->channel->arena_fd))
    host_kernel_unpin(host); /* other pages are there now */
  host->emptied = emptied;
  PAWL_TRY(host_mapping_open(&host->mapping, host->channel->arena_fd, err));
  PAWL_TRY(pawl_shape_from_params(params, &host->arena, &host->shape, err));
  PAWL_TRY(pawl_json_get_int(params, "threads", "request", 1, &threads, err));
  if (threads < 1 || threads > 1 << 20)
    return pawl_fail(err, PAWL_BAD_DATA, "request: bad number of threads");
  host->threads = (int)threads;
  *reason = host->kernel->supports(&host->shape);
  if (*reason) return PAWL_OK;
  PAWL_TRY(place_sets(host, params, err));
  pin_sets(host);
  PAWL_TRY(make_workspace(host, err));
  host->ready = true;
  return PAWL_OK;
}

pawl_status host_kernel_prepare(struct host_kernel *host, const json_t *params, const char **reason,
                                struct pawl_error *err) {
  host_kernel_unprepare(host);
  const enum pawl_status_code status = kernel_prepare(host, params, reason, err);
  if (status != PAWL_OK) host_kernel_unprepare(host);
  return status;
}

pawl_status host_kernel_upload(struct host_kernel *host, struct host_set *set, bool outputs,
                               struct pawl_error *err) {
  const bool leaves_out = !outputs || host->device->unwritten_outputs;
  for (int i = 0; i < set->placed.count && !host->device->in_place; i++) {
    if (leaves_out && set->shared[i].role == PAWL_OUT) continue;
    PAWL_TRY(host->device->upload(host->device_state, set->tensors[i].data, set->shared[i].data,
                                  set->placed.tensors[i].bytes, err));
  }
  return PAWL_OK;
}

/* Copies inputs too, because pawl checks whether the kernel changed them. */
pawl_status host_kernel_download(struct host_kernel *host, struct host_set *set,
                                 struct pawl_error *err) {
  for (int i = 0; i < set->placed.count && !host->device->in_place; i++) {
    const struct pawl_placed_tensor *placed = &set->placed.tensors[i];
    PAWL_TRY(host->device->download(host->device_state, set->shared[i].data, set->tensors[i].data,
                                    placed->bytes, err));
  }
  return PAWL_OK;
}

pawl_status host_kernel_poison_workspace(struct host_kernel *host, struct pawl_error *err) {
  if (!host->workspace) return PAWL_OK;
  return host->device->fill(host->device_state, host->workspace + GUARD_BYTES, HOST_POISON,
                            host->workspace_bytes, err);
}

pawl_status host_kernel_repoison_workspace(struct host_kernel *host, struct pawl_error *err) {
  if (!host->workspace || !host->device->refill) return host_kernel_poison_workspace(host, err);
  return host->device->refill(host->device_state, host->workspace + GUARD_BYTES, HOST_POISON,
                              host->workspace_bytes, err);
}

void host_kernel_evict(const struct host_kernel *host, const struct host_set *set) {
  for (int i = 0; i < set->placed.count && host->device->evict; i++)
    host->device->evict(host->device_state, set->tensors[i].data, set->placed.tensors[i].bytes);
}

static pawl_status check_band(struct host_kernel *host, const unsigned char *band,
                              const char *where, struct pawl_error *err) {
  unsigned char bytes[GUARD_BYTES];
  PAWL_TRY(host->device->download(host->device_state, bytes, band, sizeof bytes, err));
  for (size_t i = 0; i < sizeof bytes; i++) {
    if (bytes[i] != GUARD_VALUE)
      return pawl_fail(err, PAWL_FAILED, "wrote outside its workspace: %s it", where);
  }
  return PAWL_OK;
}

static enum pawl_status_code launch_failed(const struct host_kernel *host, int number,
                                           struct pawl_error *err) {
  const char *reason = host->kernel->error ? host->kernel->error(number) : NULL;
  return pawl_fail(err, PAWL_FAILED, "launch returned error %d%s%s", number, reason ? ": " : "",
                   reason ? reason : "");
}

void host_kernel_begin_request(struct host_kernel *host) {
  if (host->device->begin_request) host->device->begin_request(host->device_state);
}

void host_kernel_note_memory(struct host_kernel *host) {
  const int64_t bytes =
      host->device->memory_of_kernel ? host->device->memory_of_kernel(host->device_state) : -1;
  if (bytes > host->memory_bytes) host->memory_bytes = bytes;
}

static struct pawl_launch make_launch(const struct host_kernel *host, const struct host_set *set) {
  return (struct pawl_launch){
      .struct_size = sizeof(struct pawl_launch),
      .threads = host->threads,
      .shape = &host->shape,
      .tensors = set->tensors,
      .tensor_count = set->placed.count,
      .workspace = host->workspace ? host->workspace + GUARD_BYTES : NULL,
      .workspace_bytes = host->workspace_bytes,
  };
}

pawl_status host_kernel_record(struct host_kernel *host, struct host_set *set, int calls,
                               const struct host_poisons *poisons, struct pawl_error *err) {
  struct pawl_launch launch = make_launch(host, set);
  return host->device->record
             ? host->device->record(host->device_state, host->kernel, &launch, calls, poisons, err)
             : PAWL_OK;
}

pawl_status host_kernel_call(struct host_kernel *host, struct host_set *set, int calls,
                             const struct host_poisons *poisons, struct host_timing *timing,
                             struct pawl_error *err) {
  struct pawl_launch launch = make_launch(host, set);
  PAWL_TRY(host->device->time_calls(host->device_state, host->kernel, &launch, calls, poisons,
                                    timing, err));
  if (timing->number != 0) return launch_failed(host, timing->number, err);
  if (!host->workspace) return PAWL_OK;
  PAWL_TRY(check_band(host, host->workspace, "before", err));
  return check_band(host, host->workspace + GUARD_BYTES + host->workspace_bytes, "after", err);
}
