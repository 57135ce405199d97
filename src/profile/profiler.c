/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profiler.h"

#include "base/count.h"
#include "model/dtype.h"
#include "profile/profiled_worker.h"

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

/* Adds the reason why a later profiler does not work either. If the driver refuses counters to one
   profiler, it refuses them to all, and that alone is the reason. */
static enum pawl_status_code add_reason(enum pawl_status_code first, enum pawl_status_code later,
                                        const struct pawl_error *reason, struct pawl_error *err) {
  if (first == PAWL_NOT_PERMITTED || !err) return first == PAWL_NOT_PERMITTED ? first : later;
  if (later == PAWL_NOT_PERMITTED) return pawl_fail(err, later, "%s", reason->message);
  const struct pawl_error before = *err;
  return pawl_fail(err, first, "%s; %s", before.message, reason->message);
}

/* A version that fails in a process where another one had run gets its own, with the same profiler,
   so that the profiles of both can be compared. */
static pawl_status profile_with(pawl_profiler *profile, const struct pawl_profiled_call *call,
                                struct pawl_arena *arena, struct pawl_profile *out,
                                struct pawl_error *err) {
  struct pawl_profiled_call alone = *call;
  if (call->process) call->process->loaded = false;
  const enum pawl_status_code status = profile(call, arena, out, err);
  if (!call->process || !call->process->loaded ||
      (status != PAWL_FAILED && status != PAWL_UNAVAILABLE))
    return status;
  pawl_profiled_process_end(call->process);
  alone.process = NULL;
  if (err) *err = (struct pawl_error){0};
  return profile(&alone, arena, out, err);
}

pawl_status pawl_profile_call(int32_t device, const struct pawl_profiled_call *call,
                              struct pawl_arena *arena, struct pawl_profile *out,
                              struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  bool tried = false;
  if (call->full && device == PAWL_CUDA) return pawl_ncu_profile(call, arena, out, err);
  if (call->full)
    return pawl_fail(err, PAWL_USAGE,
                     "'--full' is Nsight Compute's profile of a GPU, and '%s' runs "
                     "on another device; leave '--full' out",
                     call->worker->name);
  for (size_t i = 0; i < PAWL_COUNT(profilers); i++) {
    struct pawl_error later = {0};
    if (profilers[i].device != device) continue;
    const enum pawl_status_code now =
        profile_with(profilers[i].profile, call, arena, out, tried ? &later : err);
    if (!may_another_work(now)) {
      if (tried && err) *err = later;
      return now;
    }
    status = tried ? add_reason(status, now, &later, err) : now;
    tried = true;
  }
  if (!tried)
    return pawl_fail(err, PAWL_UNAVAILABLE, "pawl has no profiler for '%s'",
                     pawl_device_kind_name(device));
  return status;
}
