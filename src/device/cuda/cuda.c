/* SPDX-License-Identifier: Apache-2.0 */
/* The driver is opened at run time: pawl runs, and says what is missing, where there is none. */
#include "device/cuda/cuda.h"

#include <dlfcn.h>

/* Opens the driver; false with the reason when there is none that works. */
static bool driver_works(struct pawl_arena *arena, const char **reason) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) {
    *reason = pawl_arena_printf(arena, "no NVIDIA driver: %s", dlerror());
    return false;
  }
  union {
    void *object;
    int (*function)(unsigned flags);
  } init = {.object = dlsym(driver, "cuInit")};
  const int status = init.object ? init.function(0) : -1;
  if (!init.object)
    *reason = "the NVIDIA driver's library has no cuInit";
  else if (status != 0)
    *reason = pawl_arena_printf(arena, "the NVIDIA driver does not start: cuInit gives error %d", status);
  return init.object && status == 0; /* the driver stays open: it does not survive being closed */
}

static pawl_status cuda_list(struct pawl_arena *arena, struct pawl_device **devices, int *count, const char **reason,
                             struct pawl_error *err) {
  (void)err;
  if (driver_works(arena, reason)) *reason = "this build of pawl does not use GPUs yet";
  *devices = NULL;
  *count = 0;
  return PAWL_OK;
}

static pawl_status cuda_state(const struct pawl_device *device, struct pawl_arena *arena, struct pawl_device_state *out,
                              struct pawl_error *err) {
  (void)device, (void)arena, (void)out;
  return pawl_fail(err, PAWL_UNAVAILABLE, "no GPU to read");
}

static pawl_status cuda_limits(const struct pawl_device *device, int32_t dtype, const char *cache_folder,
                               struct pawl_arena *arena, struct pawl_device_limits *out, struct pawl_error *err) {
  (void)device, (void)dtype, (void)cache_folder, (void)arena, (void)out;
  return pawl_fail(err, PAWL_UNAVAILABLE, "no GPU to measure");
}

const struct pawl_device_backend pawl_cuda_backend = {
    .kind = PAWL_CUDA, .name = "cuda", .list = cuda_list, .state = cuda_state, .limits = cuda_limits};
