/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/gpu_reading.h"

#include <math.h>

#include "base/count.h"

static const enum pawl_counter gain_units[] = {
    PAWL_COUNTER_DRAM,   PAWL_COUNTER_L2,    PAWL_COUNTER_L1,          PAWL_COUNTER_SHARED_PIPE,
    PAWL_COUNTER_TENSOR, PAWL_COUNTER_XU,    PAWL_COUNTER_FMA,         PAWL_COUNTER_ALU,
    PAWL_COUNTER_FP64,   PAWL_COUNTER_ISSUE, PAWL_COUNTER_ATOMIC_SLICE};

static double known_or_0(double number) { return isnan(number) ? 0 : number; }

double pawl_gpu_known(profiled kernel, enum pawl_counter counter) {
  return known_or_0(kernel->values[counter]);
}

double pawl_gpu_stall(profiled kernel, enum pawl_stall stall) {
  return known_or_0(kernel->stalls[stall]);
}

const char *pawl_gpu_words(profiled kernel, enum pawl_counter counter) {
  static _Thread_local char buffers[8][PAWL_QUANTITY];
  static _Thread_local unsigned next;
  char *out = buffers[next++ % 8];
  return pawl_quantity_text(kernel->values[counter], pawl_counter_infos[counter].unit, out);
}

double pawl_gpu_busiest(profiled kernel) {
  double largest = fmax(kernel->values[PAWL_COUNTER_SM], kernel->values[PAWL_COUNTER_MEMORY]);
  for (size_t i = 0; i < PAWL_COUNT(gain_units); i++)
    largest = fmax(largest, kernel->values[gain_units[i]]);
  return largest;
}

bool pawl_gpu_is_idle(profiled kernel) { return pawl_gpu_busiest(kernel) < PAWL_UNIT_BUSY; }

enum pawl_stall pawl_gpu_worst_stall(profiled kernel) {
  int worst = -1;
  for (int i = 0; i < PAWL_STALLS; i++) {
    if (i == PAWL_STALL_SELECTED || i == PAWL_STALL_NOT_SELECTED || isnan(kernel->stalls[i]))
      continue;
    if (worst < 0 || kernel->stalls[i] > kernel->stalls[worst]) worst = i;
  }
  return worst < 0 ? PAWL_STALLS : (enum pawl_stall)worst;
}

void pawl_gpu_say_wait(profiled kernel, enum pawl_stall stall, struct pawl_finding *out) {
  if (stall != PAWL_STALLS)
    pawl_finding_say(out, "; %.0f %% of the warp time waits for %s", kernel->stalls[stall] * 100,
                     pawl_stall_infos[stall].wait_for);
}

double pawl_gpu_gain(profiled kernel, const struct pawl_gpu_removal *removals, size_t count) {
  double before = 0, after = 0;
  for (size_t i = 0; i < PAWL_COUNT(gain_units); i++) {
    const double busy = known_or_0(kernel->values[gain_units[i]]);
    double left = busy;
    for (size_t j = 0; j < count; j++)
      if (removals[j].unit == gain_units[i]) left -= busy * known_or_0(removals[j].part);
    before = fmax(before, busy);
    after = fmax(after, left);
  }
  return before > 0 ? fmax(0, 1 - after / before) : 0;
}
