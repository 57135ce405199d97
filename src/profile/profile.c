/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const struct pawl_counter_info pawl_counter_infos[PAWL_COUNTERS] = {
#define COUNTER(ID, KEY, LABEL, UNIT, ...) {KEY, LABEL, PAWL_UNIT_##UNIT, {__VA_ARGS__}},
#include "profile/counters.inc"
#undef COUNTER
};

const struct pawl_stall_info pawl_stall_infos[PAWL_STALLS] = {
#define STALL(ID, WORD, FOR, REMEDY) {WORD, FOR, REMEDY},
#include "profile/stalls.inc"
#undef STALL
};

bool pawl_is_metric(const char *name) {
  return !pawl_starts_with(name, "launch__") && !pawl_starts_with(name, "derived__") &&
         !pawl_starts_with(name, "device__") &&
         strcmp(name, "sm__maximum_warps_per_active_cycle_pct") != 0;
}

const char *pawl_stall_metric(enum pawl_stall stall, char out[PAWL_STALL_METRIC]) {
  snprintf(out, PAWL_STALL_METRIC, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
           pawl_stall_infos[stall].word);
  return out;
}

bool pawl_is_own_kernel(const char *name) { return pawl_starts_with(name, "pawl_"); }

const struct pawl_profile_kernel *pawl_profile_longest(const struct pawl_profile *profile) {
  const struct pawl_profile_kernel *found = NULL;
  for (size_t i = 0; i < profile->count; i++) {
    const double time = profile->kernels[i].values[PAWL_COUNTER_DURATION];
    if (!found || time > found->values[PAWL_COUNTER_DURATION]) found = &profile->kernels[i];
  }
  return found;
}

static int larger_first(const void *a, const void *b) {
  const struct pawl_stall_share *left = a, *right = b;
  if (left->share == right->share) return (int)left->stall - (int)right->stall;
  return left->share > right->share ? -1 : 1;
}

void pawl_profile_stalls(const struct pawl_profile_kernel *kernel,
                         struct pawl_stall_share out[PAWL_STALLS]) {
  for (int i = 0; i < PAWL_STALLS; i++)
    out[i] = (struct pawl_stall_share){(enum pawl_stall)i,
                                       isnan(kernel->stalls[i]) ? 0 : kernel->stalls[i]};
  qsort(out, PAWL_STALLS, sizeof *out, larger_first);
}
