/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/guard.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define MAX_OTHER_BUSY 0.5     /* CPUs */
#define MAX_TEMPERATURE_C 90.0 /* well above the warning: the clocks are about to fall */
#define MAX_FREQUENCY_CHANGE \
  0.1 /* the largest relative change between the states before and after */
/* The largest share of the median that may be time whose beginning pawl missed. */
#define MAX_ADDED 0.1
/* The longest time in a block for which power or heat may throttle a GPU. */
#define MAX_CAPPED_SECONDS 0.01
#define POWER_LIMIT "sw_power_cap" /* as pawl_nvml_slow_reasons() names it */

/* Returns the larger of two readings, either of which may be unknown. */
static double worst(double before, double after) {
  return isnan(before) || after > before ? after : before;
}

const char *pawl_block_throttled(const struct pawl_block *block, struct pawl_arena *arena) {
  const struct pawl_device_state *before = &block->before, *after = &block->after;
  if (after->event_reasons && *after->event_reasons)
    return pawl_arena_printf(arena, "the clock was throttled: %s", after->event_reasons);
  const double power = after->power_capped_s - before->power_capped_s;
  const double heat = after->heat_capped_s - before->heat_capped_s;
  if (!(power > MAX_CAPPED_SECONDS || heat > MAX_CAPPED_SECONDS)) return NULL;
  return pawl_arena_printf(arena, "%s throttled the clock for %.2f s",
                           heat > power ? "heat" : "the power limit", heat > power ? heat : power);
}

struct pawl_block pawl_block_without_power_limit(const struct pawl_block *block) {
  struct pawl_block other = *block;
  const char *reasons = block->after.event_reasons;
  const double capped = block->after.power_capped_s - block->before.power_capped_s;
  const bool named = reasons && !strcmp(reasons, POWER_LIMIT);
  if (named) other.after.event_reasons = NULL;
  other.after.power_capped_s = other.before.power_capped_s;
  if (named || capped > MAX_CAPPED_SECONDS) other.after.frequency_mhz = other.before.frequency_mhz;
  return other;
}

/* Reports an arm that waited for the host in some of its samples but not in all. */
static const char *late_host(const struct pawl_arm_block *arm, struct pawl_arena *arena) {
  if (!arm->waited || arm->waited == arm->count) return NULL;
  return pawl_arena_printf(arena, "the device waited for the host in %zu of %zu samples",
                           arm->waited, arm->count);
}

const char *pawl_block_crowded(const struct pawl_block *block, struct pawl_arena *arena) {
  const struct pawl_device_state *before = &block->before, *after = &block->after;
  /* over the timed calls, or around a block that is too short for that */
  const double busy =
      isnan(block->other_busy) ? worst(before->other_busy, after->other_busy) : block->other_busy;
  return busy > MAX_OTHER_BUSY ? pawl_arena_printf(arena, PAWL_CROWDED " used %.1f CPUs", busy)
                               : NULL;
}

static double guard_median(double *seconds, size_t count) {
  pawl_sort_doubles(seconds, count);
  return pawl_median(seconds, count);
}

/* The true median is between the medians of the worker's times and of the times that count. */
static bool median_is_open(const struct pawl_arm_block *arm) {
  PAWL_CLEANUP(pawl_free_pointer) double *times = pawl_alloc(arm->count, sizeof *times);
  memcpy(times, arm->seconds, arm->count * sizeof *times);
  const double most = guard_median(times, arm->count);
  for (size_t i = 0; i < arm->count; i++) times[i] = arm->seconds[i] - arm->added[i];
  return most > (1 + MAX_ADDED) * guard_median(times, arm->count);
}

const char *pawl_block_held_up(const struct pawl_block *block, const struct pawl_arm_block *arm,
                               struct pawl_arena *arena) {
  if (!arm->charged || !arm->count || !pawl_block_crowded(block, arena) || !median_is_open(arm))
    return NULL;
  return pawl_arena_printf(arena, "other programs held up %zu of %zu calls", arm->charged,
                           arm->count);
}

const char *pawl_block_spoiled(const struct pawl_block *block, struct pawl_arena *arena) {
  const struct pawl_device_state *before = &block->before, *after = &block->after;
  if (block->disturbed) return "a process that pawl had stopped ran beside the timed calls";
  const double temperature = worst(before->temperature_c, after->temperature_c);
  if (temperature > MAX_TEMPERATURE_C)
    return pawl_arena_printf(arena, "the device was at %.0f C", temperature);
  const char *throttled = pawl_block_throttled(block, arena);
  if (throttled) return throttled;
  for (int i = 0; i < PAWL_MAX_ARMS; i++) {
    const char *late = late_host(&block->arms[i], arena);
    if (late) return late;
  }
  if (fabs(after->frequency_mhz - before->frequency_mhz) >
      MAX_FREQUENCY_CHANGE * before->frequency_mhz)
    return pawl_arena_printf(arena, "the clock went from %.0f to %.0f MHz", before->frequency_mhz,
                             after->frequency_mhz);
  return NULL;
}

const char *pawl_block_ahead(const struct pawl_block *block, int arm, int other) {
  if (!block->arms[arm].ahead || block->arms[other].ahead) return NULL;
  return "the other worker takes late inputs, but its own does not, so it can work ahead of the "
         "timed calls; let them read their inputs where pawl puts them";
}
