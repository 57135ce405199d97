/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs that the driver shows this process. CUDA_VISIBLE_DEVICES decides which those are and how they are numbered;
   NVML ignores it and has numbers of its own, so the two meet by UUID, or by PCI address. */
#include "device/cuda/cuda.h"

#include <stdio.h>
#include <string.h>

#include "device/cuda/cuda_driver.h"
#include "device/cuda/cuda_peak.h"
#include "device/cuda/nvml.h"

/* The value of an attribute; -1 when the driver does not tell. */
static int attribute(const struct pawl_cuda_driver *driver, pawl_cu_device device, int which) {
  int value = -1;
  return driver->device_attribute(&value, which, device) == PAWL_CU_SUCCESS ? value : -1;
}

/* "GPU-8-4-4-4-12". A MIG slice has the same bytes under another prefix, which CUDA does not tell: NVML is asked for
   both. */
static char *format_uuid(const struct pawl_cu_uuid *uuid, const char *prefix, struct pawl_arena *arena) {
  const unsigned char *b = uuid->bytes;
  return pawl_arena_printf(arena, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", prefix,
                           b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                           b[14], b[15]);
}

/* The architecture that nvcc is to compile for; from Hopper on with the features of that very chip ("a"). */
static const char *format_arch(int major, int minor, struct pawl_arena *arena) {
  if (major < 0 || minor < 0) return NULL;
  return pawl_arena_printf(arena, "sm_%d%d%s", major, minor, major >= 9 ? "a" : "");
}

static void describe(const struct pawl_cuda_driver *driver, const struct pawl_nvml *nvml, int index,
                     struct pawl_arena *arena, struct pawl_device *out) {
  pawl_cu_device cu = 0;
  char name[256] = "", pci[64] = "";
  size_t bytes = 0;
  struct pawl_cu_uuid uuid;
  *out = pawl_device_unknown(PAWL_CUDA);
  out->index = index;
  if (driver->device_get(&cu, index) != PAWL_CU_SUCCESS) return;
  if (driver->device_name(name, sizeof name, cu) == PAWL_CU_SUCCESS) out->name = pawl_arena_copy(arena, name);
  if (driver->device_memory(&bytes, cu) == PAWL_CU_SUCCESS) out->memory_bytes = (int64_t)bytes;
  out->units = attribute(driver, cu, PAWL_CU_MULTIPROCESSORS);
  out->last_level_cache_bytes = attribute(driver, cu, PAWL_CU_L2_CACHE_SIZE);
  out->ecc = attribute(driver, cu, PAWL_CU_ECC_ENABLED);
  out->bus_bits = attribute(driver, cu, PAWL_CU_MEMORY_BUS_WIDTH);
  const int khz = attribute(driver, cu, PAWL_CU_CLOCK_RATE),
            memory_khz = attribute(driver, cu, PAWL_CU_MEMORY_CLOCK_RATE);
  if (khz > 0) out->max_frequency_mhz = khz * 1e-3;
  if (memory_khz > 0) out->max_memory_frequency_mhz = memory_khz * 1e-3;
  out->arch = format_arch(attribute(driver, cu, PAWL_CU_CAPABILITY_MAJOR),
                          attribute(driver, cu, PAWL_CU_CAPABILITY_MINOR), arena);
  const bool has_pci = driver->device_pci(pci, sizeof pci, cu) == PAWL_CU_SUCCESS;
  const bool has_uuid = driver->device_uuid(&uuid, cu) == PAWL_CU_SUCCESS;
  out->uuid = has_uuid ? format_uuid(&uuid, "GPU", arena) : NULL;
  if (!nvml->library) return;
  pawl_nvml_device device, whole;
  const char *slice = has_uuid ? format_uuid(&uuid, "MIG", arena) : NULL;
  if (slice && pawl_nvml_find(nvml, slice, NULL, &device, &whole, NULL) == PAWL_OK)
    out->uuid = slice;
  else if (pawl_nvml_find(nvml, out->uuid, has_pci ? pci : NULL, &device, &whole, NULL) != PAWL_OK)
    return;
  pawl_nvml_describe(nvml, device, whole, arena, out);
}

/* NVML takes long to start and counts who uses it: where there is a GPU it stays open until the program ends, so that
   the GPU's state is read quickly. */
static pawl_status cuda_list(struct pawl_arena *arena, struct pawl_device **devices, int *count, const char **reason,
                             struct pawl_error *err) {
  (void)err;
  struct pawl_cuda_driver driver;
  struct pawl_nvml nvml = {0};
  struct pawl_error cause = {0};
  int found = 0;
  *devices = NULL;
  *count = 0;
  *reason = NULL;
  enum pawl_status_code status = pawl_cuda_driver_open(NULL, &driver, &cause);
  if (status == PAWL_OK)
    status = pawl_cuda_check(&driver, driver.device_count(&found),
                             "the NVIDIA driver does not report the number of GPUs", &cause);
  if (status == PAWL_OK && found <= 0)
    status = pawl_fail(&cause, PAWL_UNAVAILABLE, "the NVIDIA driver sees no GPU (CUDA_VISIBLE_DEVICES?)");
  if (status != PAWL_OK) {
    *reason = pawl_arena_copy(arena, cause.message);
    return PAWL_OK;
  }
  if (pawl_nvml_open(&nvml, &cause) != PAWL_OK) *reason = pawl_arena_copy(arena, cause.message);
  struct pawl_device *list = pawl_arena_alloc(arena, (size_t)found, sizeof *list);
  for (int i = 0; i < found; i++) describe(&driver, &nvml, i, arena, &list[i]);
  *devices = list;
  *count = found;
  return PAWL_OK;
}

/* Without NVML nothing of this can be known, and that is no error. */
static pawl_status cuda_state(const struct pawl_device *device, struct pawl_arena *arena, struct pawl_device_state *out,
                              struct pawl_error *err) {
  (void)err;
  PAWL_CLEANUP(pawl_nvml_release) struct pawl_nvml nvml = {0};
  pawl_nvml_device handle, whole;
  *out = pawl_device_state_unknown();
  if (pawl_nvml_open(&nvml, NULL) != PAWL_OK) return PAWL_OK;
  if (pawl_nvml_find(&nvml, device->uuid, NULL, &handle, &whole, NULL) != PAWL_OK) return PAWL_OK;
  pawl_nvml_read_state(&nvml, whole, arena, out);
  return PAWL_OK;
}

/* Only of a GPU that NVML knew when it was listed: then a driver may be there that knows none. */
static const char *cuda_lost(const struct pawl_device *device, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_nvml_release) struct pawl_nvml nvml = {0};
  struct pawl_error why = {0};
  if (!device->driver || !device->uuid) return NULL;
  if (pawl_nvml_open(&nvml, &why) != PAWL_OK) return pawl_arena_copy(arena, why.message);
  return pawl_nvml_lost(&nvml, device->uuid, arena);
}

static pawl_status cuda_limits(const struct pawl_device *device, int32_t dtype, const char *cache_folder,
                               struct pawl_arena *arena, struct pawl_device_limits *out, struct pawl_error *err) {
  (void)cache_folder;
  return pawl_cuda_limits(device, dtype, arena, out, err);
}

const struct pawl_device_backend pawl_cuda_backend = {.kind = PAWL_CUDA,
                                                      .name = "cuda",
                                                      .list = cuda_list,
                                                      .state = cuda_state,
                                                      .limits = cuda_limits,
                                                      .lost = cuda_lost};
