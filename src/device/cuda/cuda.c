/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the GPUs that the driver shows this process. CUDA_VISIBLE_DEVICES selects and numbers them.
 * NVML ignores it and has its own numbers, so pawl matches them by UUID or PCI address. */
#include "device/cuda/cuda.h"

#include <stdio.h>

#include "device/cuda/cuda_peak.h"
#include "device/cuda/cuda_search.h"
#include "device/cuda/nvml.h"

/* Formats "GPU-8-4-4-4-12". A MIG slice has these bytes after another prefix, which CUDA does not
 * give, so pawl asks NVML for both. */
static char *format_uuid(const struct pawl_cu_uuid *uuid, const char *prefix,
                         struct pawl_arena *arena) {
  const unsigned char *b = uuid->bytes;
  return pawl_arena_printf(
      arena, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix,
      b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
      b[15]);
}

/* Formats the architecture for nvcc. From Hopper on it has the features of that very chip ("a"). */
static const char *format_arch(int major, int minor, struct pawl_arena *arena) {
  if (major < 0 || minor < 0) return NULL;
  return pawl_arena_printf(arena, "sm_%d%d%s", major, minor, major >= 9 ? "a" : "");
}

static void cuda_describe(const struct pawl_cuda_gpu *gpu, const struct pawl_nvml *nvml, int index,
                          struct pawl_arena *arena, struct pawl_device *out) {
  *out = pawl_device_unknown(PAWL_CUDA);
  out->index = index;
  if (!gpu->known) return;
  if (*gpu->name) out->name = pawl_arena_copy(arena, gpu->name);
  if (gpu->bytes) out->memory_bytes = (int64_t)gpu->bytes;
  out->units = gpu->units;
  out->last_level_cache_bytes = gpu->cache_bytes;
  out->ecc = gpu->ecc;
  out->bus_bits = gpu->bus_bits;
  if (gpu->khz > 0) out->max_frequency_mhz = gpu->khz * 1e-3;
  if (gpu->memory_khz > 0) out->max_memory_frequency_mhz = gpu->memory_khz * 1e-3;
  out->arch = format_arch(gpu->major, gpu->minor, arena);
  out->uuid = gpu->has_uuid ? format_uuid(&gpu->uuid, "GPU", arena) : NULL;
  if (!nvml->library) return;
  pawl_nvml_device device, whole;
  const char *slice = gpu->has_uuid ? format_uuid(&gpu->uuid, "MIG", arena) : NULL;
  if (slice && pawl_nvml_find(nvml, slice, NULL, &device, &whole, NULL) == PAWL_OK)
    out->uuid = slice;
  else if (pawl_nvml_find(nvml, out->uuid, gpu->has_pci ? gpu->pci : NULL, &device, &whole, NULL) !=
           PAWL_OK)
    return;
  pawl_nvml_describe(nvml, device, whole, arena, out);
}

/* NVML takes long to start and counts its users. With a GPU it stays open until the program ends,
 * for quick readings. It starts while the search runs. */
static pawl_status list_found(struct pawl_device_search *search, struct pawl_cuda_findings *found,
                              struct pawl_arena *arena, struct pawl_device **devices, int *count,
                              const char **reason) {
  struct pawl_nvml nvml = {0};
  struct pawl_error cause = {0};
  const bool has_nvml = pawl_nvml_open(&nvml, &cause) == PAWL_OK;
  pawl_cuda_search_answer(search, found);
  *devices = NULL;
  *count = found->count;
  *reason = found->count == 0 ? pawl_arena_copy(arena, found->reason)
            : has_nvml        ? NULL
                              : pawl_arena_copy(arena, cause.message);
  if (found->count == 0) {
    pawl_nvml_release(&nvml);
    return PAWL_OK;
  }
  *devices = pawl_arena_alloc(arena, (size_t)found->count, sizeof **devices);
  for (int i = 0; i < found->count; i++)
    cuda_describe(&found->gpus[i], &nvml, i, arena, &(*devices)[i]);
  return PAWL_OK;
}

static pawl_status cuda_list(struct pawl_device_search *search, struct pawl_arena *arena,
                             struct pawl_device **devices, int *count, const char **reason,
                             struct pawl_error *err) {
  struct pawl_device_search own = {0};
  struct pawl_cuda_findings *found = pawl_alloc(1, sizeof *found);
  (void)err;
  if (!search) pawl_cuda_search_begin(&own);
  const enum pawl_status_code status =
      list_found(search ? search : &own, found, arena, devices, count, reason);
  pawl_cuda_search_release(&own);
  pawl_free(found);
  return status;
}

/* Without NVML the state stays unknown, which is no error. */
static pawl_status cuda_state(const struct pawl_device *device, struct pawl_arena *arena,
                              struct pawl_device_state *out, struct pawl_error *err) {
  (void)err;
  PAWL_CLEANUP(pawl_nvml_release) struct pawl_nvml nvml = {0};
  pawl_nvml_device handle, whole;
  *out = pawl_device_state_unknown();
  if (pawl_nvml_open(&nvml, NULL) != PAWL_OK) return PAWL_OK;
  if (pawl_nvml_find(&nvml, device->uuid, NULL, &handle, &whole, NULL) != PAWL_OK) return PAWL_OK;
  pawl_nvml_read_state(&nvml, whole, arena, out);
  return PAWL_OK;
}

/* Answers only for a GPU that NVML listed: another driver may know none of its GPUs. */
static const char *cuda_lost(const struct pawl_device *device, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_nvml_release) struct pawl_nvml nvml = {0};
  struct pawl_error why = {0};
  if (!device->driver || !device->uuid) return NULL;
  if (pawl_nvml_open(&nvml, &why) != PAWL_OK) return pawl_arena_copy(arena, why.message);
  return pawl_nvml_lost(&nvml, device->uuid, arena);
}

static pawl_status cuda_limits(const struct pawl_device *device, int32_t dtype, int threads,
                               const char *cache_folder, struct pawl_arena *arena,
                               struct pawl_device_limits *out, struct pawl_error *err) {
  (void)threads, (void)cache_folder;
  return pawl_cuda_limits(device, dtype, arena, out, err);
}

const struct pawl_device_backend pawl_cuda_backend = {.kind = PAWL_CUDA,
                                                      .name = "cuda",
                                                      .begin = pawl_cuda_search_begin,
                                                      .dismiss = pawl_cuda_search_dismiss,
                                                      .release = pawl_cuda_search_release,
                                                      .list = cuda_list,
                                                      .state = cuda_state,
                                                      .limits = cuda_limits,
                                                      .lost = cuda_lost};
