/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profiler.h"

#include "model/dtype.h"

static const struct {
  int32_t device;
  pawl_profiler *profile;
} profilers[] = {
#define PROFILER(DEVICE, FUNCTION) {DEVICE, FUNCTION},
#include "profile/profilers.inc"
#undef PROFILER
};

static bool may_another_work(enum pawl_status_code status) {
  return status == PAWL_UNAVAILABLE || status == PAWL_NOT_PERMITTED;
}

pawl_status pawl_profile_call(int32_t device, const struct pawl_profiled_call *call, struct pawl_arena *arena,
                              struct pawl_profile *out, struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  bool tried = false;
  for (size_t i = 0; i < sizeof profilers / sizeof *profilers; i++) {
    struct pawl_error later = {0};
    if (profilers[i].device != device) continue;
    const enum pawl_status_code now = profilers[i].profile(call, arena, out, tried ? &later : err);
    if (!may_another_work(now)) {
      if (tried && err) *err = later;
      return now;
    }
    if (!tried) status = now;
    tried = true;
  }
  if (!tried) return pawl_fail(err, PAWL_UNAVAILABLE, "pawl has no profiler for '%s'", pawl_device_kind_name(device));
  return status;
}
