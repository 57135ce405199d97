/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cuda_driver.h"

#include "base/count.h"
#include "base/library.h"

#define OLDEST_DRIVER 11040 /* graphs with instantiation flags, uploads and event records */

pawl_status pawl_cuda_check(const struct pawl_cuda_driver *driver, pawl_cu_result result,
                            const char *what, struct pawl_error *err) {
  if (result == PAWL_CU_SUCCESS) return PAWL_OK;
  const char *name = NULL, *words = NULL;
  if (driver->error_name(result, &name) != PAWL_CU_SUCCESS || !name) name = "unknown error";
  if (driver->error_string(result, &words) != PAWL_CU_SUCCESS || !words)
    words = "the driver does not describe the error";
  return pawl_fail(err, result == PAWL_CU_OUT_OF_MEMORY ? PAWL_NO_MEMORY : PAWL_FAILED,
                   "%s: %s (%s, %d)", what, words, name, result);
}

static pawl_status start(const struct pawl_cuda_driver *driver, struct pawl_error *err) {
  int version = 0;
  const pawl_cu_result result = driver->init(0);
  if (result == PAWL_CU_NO_DEVICE)
    return pawl_fail(err, PAWL_UNAVAILABLE, "the NVIDIA driver sees no GPU");
  struct pawl_error cause = {0};
  if (pawl_cuda_check(driver, result, "the NVIDIA driver does not start", &cause) != PAWL_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "%s", cause.message);
  if (driver->driver_version(&version) != PAWL_CU_SUCCESS || version < OLDEST_DRIVER)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "the NVIDIA driver is for CUDA %d.%d, which is too old; install a driver for "
                     "CUDA 11.4 or later",
                     version / 1000, version % 1000 / 10);
  return PAWL_OK;
}

pawl_status pawl_cuda_driver_open(const char *library, struct pawl_cuda_driver *out,
                                  struct pawl_error *err) {
  struct pawl_cuda_driver driver = {0};
  PAWL_TRY(pawl_library_open(library ? "" : "PAWL_CUDA_LIBRARY", library ? library : "libcuda.so.1",
                             "NVIDIA driver", &driver.library, err));
#define SYMBOL(NAME, SYMBOL, OLDER, PARAMETERS) {SYMBOL, OLDER, &driver.NAME},
  const struct pawl_symbol symbols[] = {PAWL_CU_FUNCTIONS(SYMBOL)};
#undef SYMBOL
  const char *missing = pawl_library_find(driver.library, symbols, PAWL_COUNT(symbols));
  if (missing)
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "the NVIDIA driver has no function %s; install a driver for CUDA 11.4 or later", missing);
  PAWL_TRY(start(&driver, err));
  *out = driver;
  return PAWL_OK;
}
