/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cupti.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/library.h"

#define VARIABLE "PAWL_CUPTI_LIBRARY"
#define WHAT "CUPTI"

/* Paths below the folder of a CUDA toolkit. */
static const char *const places[] = {"extras/CUPTI/lib64/libcupti.so", "lib64/libcupti.so",
                                     "lib/libcupti.so"};

static pawl_status open_below(const char *folder, void **library, struct pawl_error *err) {
  char path[4096];
  enum pawl_status_code status = PAWL_UNAVAILABLE;
  for (size_t i = 0; i < PAWL_COUNT(places) && status != PAWL_OK; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, places[i]);
    status = pawl_library_open("", path, WHAT, library, err);
  }
  return status;
}

/* Opens the library that the variable names. If it is set, pawl tries nothing else. */
static pawl_status open_library(void **library, struct pawl_error *err) {
  const char *given = getenv(VARIABLE), *home = getenv("CUDA_HOME");
  if (given && *given) return pawl_library_open(VARIABLE, "", WHAT, library, err);
  struct pawl_error ignored = {0};
  if (home && *home && open_below(home, library, &ignored) == PAWL_OK) return PAWL_OK;
  if (pawl_library_open("", "libcupti.so", WHAT, library, &ignored) == PAWL_OK) return PAWL_OK;
  if (open_below("/usr/local/cuda", library, &ignored) == PAWL_OK) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE,
                   "no libcupti.so; install the CUDA toolkit, or set " VARIABLE);
}

pawl_status pawl_cupti_open(struct pawl_cupti *out, struct pawl_error *err) {
  struct pawl_cupti cupti = {0};
  PAWL_TRY(open_library(&cupti.library, err));
#define SYMBOL(NAME, SYMBOL, PARAMETERS) {SYMBOL, NULL, &cupti.NAME},
  const struct pawl_symbol symbols[] = {PAWL_CUPTI_FUNCTIONS(SYMBOL)};
#undef SYMBOL
  const char *missing = pawl_library_find(cupti.library, symbols, PAWL_COUNT(symbols));
  if (missing)
    return pawl_fail(
        err, PAWL_UNAVAILABLE,
        "this CUPTI has no function %s; install the CUPTI of CUDA 12.8 or later, or set " VARIABLE,
        missing);
  PAWL_TRY(pawl_cupti_check(&cupti, cupti.version(&cupti.api_version), "cuptiGetVersion", err));
  *out = cupti;
  return PAWL_OK;
}

pawl_status pawl_cupti_check(const struct pawl_cupti *cupti, pawl_cupti_result result,
                             const char *function, struct pawl_error *err) {
  if (result == PAWL_CUPTI_SUCCESS) return PAWL_OK;
  const char *name = NULL;
  if (cupti->result_string(result, &name) != PAWL_CUPTI_SUCCESS || !name) name = "unknown error";
  const bool refused =
      result == PAWL_CUPTI_NOT_PRIVILEGED || result == PAWL_CUPTI_GUEST_NOT_PRIVILEGED;
  return pawl_fail(
      err, refused ? PAWL_NOT_PERMITTED : PAWL_UNAVAILABLE, "%s: %s (%d)%s", function, name, result,
      result == PAWL_CUPTI_HARDWARE_BUSY
          ? "; another profiler holds the GPU's counters; stop it (for DCGM: dcgmi profile --pause)"
          : "");
}
