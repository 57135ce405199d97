/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the counters for the rules about GPU kernels, for this room alone. An unknown value is NAN.
 */
#pragma once

#include "profile/finding.h"
#include "profile/quantity.h"

/* percent: below that no unit is a limit (Nsight Compute's rule, and the mission's for SMs) */
#define PAWL_UNIT_BUSY 60.0

typedef const struct pawl_profile_kernel *profiled;

static inline double gpu_value(profiled kernel, enum pawl_counter counter) {
  return kernel->values[counter];
}

/* Returns the value, or 0 if it is unknown. */
double pawl_gpu_known(profiled kernel, enum pawl_counter counter);
double pawl_gpu_stall(profiled kernel, enum pawl_stall stall);

/* Returns the value as people read it, in one of a few buffers: for one printf. */
const char *pawl_gpu_words(profiled kernel, enum pawl_counter counter);

/* Returns the use of the busiest unit in percent. */
double pawl_gpu_busiest(profiled kernel);
/* Returns whether no unit and no scheduler is busy: warps wait. */
bool pawl_gpu_is_idle(profiled kernel);
/* Returns the largest wait, or PAWL_STALLS if none is known. */
enum pawl_stall pawl_gpu_worst_stall(profiled kernel);
/* Appends "; 45 % of the warp time waits for ...". */
void pawl_gpu_say_wait(profiled kernel, enum pawl_stall stall, struct pawl_finding *out);

/* A remedy takes this part of a unit's work away. A negative part adds work. */
struct pawl_gpu_removal {
  enum pawl_counter unit;
  double part;
};

/* Returns the share of the time that a remedy saves, from 0 to 1. It assumes that the busiest unit
 * decides the time, and that the kernel uses the busiest unit as well as before. */
double pawl_gpu_gain(profiled kernel, const struct pawl_gpu_removal *removals, size_t count);
