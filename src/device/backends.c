/* SPDX-License-Identifier: Apache-2.0 */
#include "device/backends.h"

#include "base/count.h"
#include "device/cpu/cpu.h"
#include "device/cuda/cuda.h"

static const struct pawl_device_backend *const backends[] = {&pawl_cpu_backend, &pawl_cuda_backend};

const struct pawl_device_backend *pawl_device_backend(int32_t kind) {
  for (size_t i = 0; i < PAWL_COUNT(backends); i++) {
    if (backends[i]->kind == kind) return backends[i];
  }
  return NULL;
}

pawl_status pawl_device_find(int32_t kind, const char *selector, struct pawl_arena *arena,
                             struct pawl_device *out, struct pawl_error *err) {
  const struct pawl_device_backend *backend = pawl_device_backend(kind);
  struct pawl_device *devices = NULL;
  int count = 0;
  const char *reason = "pawl has no back end for this device";
  if (backend) PAWL_TRY(backend->list(NULL, arena, &devices, &count, &reason, err));
  if (count == 0) return pawl_fail(err, PAWL_UNAVAILABLE, "no such device: %s", reason);
  return pawl_device_choose(devices, count, selector, out, err);
}

pawl_status pawl_device_choose(const struct pawl_device *devices, int count, const char *selector,
                               struct pawl_device *out, struct pawl_error *err) {
  int64_t number = selector ? -1 : 0;
  if (selector && !pawl_parse_i64(selector, &number)) {
    int matches = 0;
    for (int i = 0; i < count && *selector; i++) {
      if (devices[i].uuid && pawl_starts_with(devices[i].uuid, selector)) number = i, matches++;
    }
    if (matches != 1) number = -1;
  }
  if (number < 0 || number >= count)
    return pawl_fail(err, PAWL_USAGE,
                     "no device '%s'; give a number from 0 to %d or a UUID from `pawl doctor`",
                     selector, count - 1);
  *out = devices[number];
  return PAWL_OK;
}
