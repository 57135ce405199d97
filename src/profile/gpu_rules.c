/* SPDX-License-Identifier: Apache-2.0 */
/* The rules about the memory, the launch and the units of GPU kernels. */

#include <math.h>

#include "base/count.h"
#include "profile/gpu_reading.h"
#include "profile/rules.h"

#define COALESCED 80.0
#define SECTOR 32.0 /* bytes */
#define CONFLICTING 0.10
#define FULL_WARP 32.0
#define DIVERGENT 28.0 /* threads of 32 */
#define IDLE_SMS 0.05
#define MOST_IDLE 0.5
#define FEW_WARPS 25.0 /* percent of the warps that an SM holds */
#define HITTING 80.0
#define DRAM_MATTERS 20.0
/* times the compulsory bytes; with more the kernel does other work than the operator counts */
#define MOVED_AGAIN 1.5
#define MOVED_AT_MOST 100
#define LOW_CLOCK 0.8

static double memory_busy(profiled kernel) {
  return fmax(fmax(gpu_value(kernel, PAWL_COUNTER_DRAM), gpu_value(kernel, PAWL_COUNTER_L2)),
              fmax(gpu_value(kernel, PAWL_COUNTER_L1), gpu_value(kernel, PAWL_COUNTER_MEMORY)));
}

/* One kind of access wastes the share of its bytes that nothing uses. Its share of all sectors is
 * the weight. */
static double wasted(profiled kernel, enum pawl_counter coalesced, enum pawl_counter sectors,
                     double all) {
  const double used = gpu_value(kernel, coalesced);
  if (isnan(used) || used >= COALESCED || !(all > 0)) return 0;
  return (1 - used / 100) * pawl_gpu_known(kernel, sectors) / all;
}

/* Returns the part of DRAM's bytes that the wasted sectors may explain: the caches keep some. */
static double wasted_dram(profiled kernel, double sectors, double waste) {
  const double bytes =
      gpu_value(kernel, PAWL_COUNTER_DRAM_READ) + gpu_value(kernel, PAWL_COUNTER_DRAM_WRITE);
  const double needed = sectors * SECTOR * (1 - waste);
  return isnan(bytes) ? waste : fmin(waste, fmax(0, 1 - needed / bytes));
}

bool pawl_rule_uncoalesced(profiled kernel, struct pawl_finding *out) {
  const double sectors = pawl_gpu_known(kernel, PAWL_COUNTER_LOAD_SECTORS) +
                         pawl_gpu_known(kernel, PAWL_COUNTER_STORE_SECTORS);
  const double loads =
      wasted(kernel, PAWL_COUNTER_COALESCED_LOADS, PAWL_COUNTER_LOAD_SECTORS, sectors);
  const double stores =
      wasted(kernel, PAWL_COUNTER_COALESCED_STORES, PAWL_COUNTER_STORE_SECTORS, sectors);
  if (!(loads + stores > 0)) return false;
  const struct pawl_gpu_removal removals[] = {
      {PAWL_COUNTER_L1, loads + stores},
      {PAWL_COUNTER_SHARED_PIPE, loads + stores},
      {PAWL_COUNTER_L2, loads + stores},
      {PAWL_COUNTER_DRAM, wasted_dram(kernel, sectors, loads + stores)}};
  out->cost = pawl_gpu_gain(kernel, removals, PAWL_COUNT(removals));
  if (loads > 0)
    pawl_finding_say(out, "loads use %s of the bytes that they move (%s sectors)",
                     pawl_gpu_words(kernel, PAWL_COUNTER_COALESCED_LOADS),
                     pawl_gpu_words(kernel, PAWL_COUNTER_LOAD_SECTORS));
  if (stores > 0)
    pawl_finding_say(out, "%sstores use %s of the bytes that they move (%s sectors)",
                     loads > 0 ? ", " : "", pawl_gpu_words(kernel, PAWL_COUNTER_COALESCED_STORES),
                     pawl_gpu_words(kernel, PAWL_COUNTER_STORE_SECTORS));
  pawl_finding_say(out, "; the memory system is %.0f %% busy", memory_busy(kernel));
  return true;
}

bool pawl_rule_bank_conflicts(profiled kernel, struct pawl_finding *out) {
  char text[PAWL_QUANTITY];
  const double conflicts = gpu_value(kernel, PAWL_COUNTER_CONFLICTS) -
                           pawl_gpu_known(kernel, PAWL_COUNTER_ATOMIC_CONFLICTS);
  const double share = conflicts / gpu_value(kernel, PAWL_COUNTER_WAVEFRONTS);
  const double waiting =
      pawl_gpu_stall(kernel, PAWL_STALL_MIO) + pawl_gpu_stall(kernel, PAWL_STALL_SHORT);
  const double busy = fmax(pawl_gpu_known(kernel, PAWL_COUNTER_SHARED_PIPE) / 100, waiting);
  if (!(share > CONFLICTING) || !isfinite(share)) return false;
  out->cost = fmin(share, 1) * busy;
  pawl_finding_say(out, "%s of %s wavefronts repeat an access (%.0f %%)",
                   pawl_quantity_text(conflicts, PAWL_UNIT_COUNT, text),
                   pawl_gpu_words(kernel, PAWL_COUNTER_WAVEFRONTS), fmin(share, 1) * 100);
  pawl_finding_say(out, "; the shared-memory pipe is %s busy",
                   pawl_gpu_words(kernel, PAWL_COUNTER_SHARED_PIPE));
  return true;
}

bool pawl_rule_divergence(profiled kernel, struct pawl_finding *out) {
  const double lanes = gpu_value(kernel, PAWL_COUNTER_LANES), part = 1 - lanes / FULL_WARP;
  const struct pawl_gpu_removal removals[] = {{PAWL_COUNTER_ISSUE, part}, {PAWL_COUNTER_FMA, part},
                                              {PAWL_COUNTER_ALU, part},   {PAWL_COUNTER_XU, part},
                                              {PAWL_COUNTER_FP64, part},  {PAWL_COUNTER_L1, part}};
  if (!(lanes < DIVERGENT)) return false;
  out->cost = pawl_gpu_gain(kernel, removals, PAWL_COUNT(removals));
  pawl_finding_say(out, "an instruction has %s of 32 threads active",
                   pawl_gpu_words(kernel, PAWL_COUNTER_LANES));
  return true;
}

static bool is_small(profiled kernel) {
  return gpu_value(kernel, PAWL_COUNTER_GRID) < gpu_value(kernel, PAWL_COUNTER_SM_COUNT);
}

/* The kernel has no work for some SMs all the time, or for most SMs at its end. */
static bool idle_sms(profiled kernel, struct pawl_finding *out) {
  const double active =
      gpu_value(kernel, PAWL_COUNTER_CYCLES_ACTIVE) / gpu_value(kernel, PAWL_COUNTER_CYCLES);
  if (!(active < 1 - IDLE_SMS) || !(active >= 0)) return false;
  out->cost = 1 - active;
  pawl_finding_say(out, "an SM has no block for %.0f %% of the time: %s blocks, ", out->cost * 100,
                   pawl_gpu_words(kernel, PAWL_COUNTER_GRID));
  if (is_small(kernel))
    pawl_finding_say(out, "on %s SMs", pawl_gpu_words(kernel, PAWL_COUNTER_SM_COUNT));
  else
    pawl_finding_say(out, "%s waves", pawl_gpu_words(kernel, PAWL_COUNTER_WAVES));
  return true;
}

bool pawl_rule_tail(profiled kernel, struct pawl_finding *out) {
  return !is_small(kernel) && idle_sms(kernel, out);
}

bool pawl_rule_small_launch(profiled kernel, struct pawl_finding *out) {
  return is_small(kernel) && idle_sms(kernel, out);
}

/* "registers (255 a thread)": the resource that allows the fewest blocks an SM. */
static void say_limit(profiled kernel, struct pawl_finding *out) {
  static const struct {
    enum pawl_counter blocks, need;
    const char *name, *of;
  } limits[] = {
      {PAWL_COUNTER_LIMIT_REGISTERS, PAWL_COUNTER_REGISTERS, "registers", "a thread"},
      {PAWL_COUNTER_LIMIT_SHARED, PAWL_COUNTER_SHARED, "shared memory", "a block"},
      {PAWL_COUNTER_LIMIT_BLOCKS, PAWL_COUNTER_BLOCK, "the slots for blocks", "threads a block"},
      {PAWL_COUNTER_LIMIT_WARPS, PAWL_COUNTER_BLOCK, "the slots for warps", "threads a block"}};
  double least = NAN;
  bool first = true;
  if (gpu_value(kernel, PAWL_COUNTER_WAVES) < 1) {
    pawl_finding_say(out, "; limited by the grid of %s blocks",
                     pawl_gpu_words(kernel, PAWL_COUNTER_GRID));
    out->remedy =
        "launch more blocks (smaller tiles, or split the sum), or keep more loads in flight "
        "in each warp";
    return;
  }
  for (size_t i = 0; i < 4; i++) least = fmin(least, gpu_value(kernel, limits[i].blocks));
  for (size_t i = 0; i < 4; i++) {
    if (!(gpu_value(kernel, limits[i].blocks) <= least)) continue;
    pawl_finding_say(out, "%s%s (%s %s)", first ? "; limited by " : " and ", limits[i].name,
                     pawl_gpu_words(kernel, limits[i].need), limits[i].of);
    first = false;
  }
  if (!isnan(least)) pawl_finding_say(out, " to %.0f block%s an SM", least, least == 1 ? "" : "s");
}

/* Products of warpgroups (wgmma) run beside the warps that start them: a few warps keep the tensor
 * cores busy. */
static bool is_async(profiled kernel) { return gpu_value(kernel, PAWL_COUNTER_WGMMA) > 0; }

/* Returns whether another flaw says why warps wait. A grid that leaves few SMs idle does not. */
static bool is_symptom(profiled kernel) {
  struct pawl_finding other = {0};
  if (pawl_rule_small_launch(kernel, &other) && other.cost >= MOST_IDLE) return true;
  return pawl_rule_dependency_chain(kernel, &other) || pawl_rule_async_serial(kernel, &other) ||
         pawl_rule_barrier_wait(kernel, &other);
}

bool pawl_rule_low_occupancy(profiled kernel, struct pawl_finding *out) {
  const enum pawl_stall worst = pawl_gpu_worst_stall(kernel);
  if (is_symptom(kernel)) return false;
  if (is_async(kernel) || !pawl_gpu_is_idle(kernel) ||
      !(gpu_value(kernel, PAWL_COUNTER_OCCUPANCY) <= FEW_WARPS))
    return false;
  if (worst != PAWL_STALL_LONG && worst != PAWL_STALL_SHORT && worst != PAWL_STALL_WAIT)
    return false;
  out->cost = 1 - pawl_gpu_busiest(kernel) / 100;
  pawl_finding_say(out, "%s of the warps that an SM holds (at most %s)",
                   pawl_gpu_words(kernel, PAWL_COUNTER_OCCUPANCY),
                   pawl_gpu_words(kernel, PAWL_COUNTER_OCCUPANCY_MOST));
  say_limit(kernel, out);
  pawl_gpu_say_wait(kernel, worst, out);
  return true;
}

/* The share of the time that the tensor cores and the busiest pipe beside them would fill one after
 * the other. */
bool pawl_rule_async_overlap(profiled kernel, struct pawl_finding *out) {
  const enum pawl_stall worst = pawl_gpu_worst_stall(kernel);
  enum pawl_counter beside = PAWL_COUNTER_XU;
  if (!is_async(kernel) || !pawl_gpu_is_idle(kernel)) return false;
  if (gpu_value(kernel, PAWL_COUNTER_FMA) > pawl_gpu_known(kernel, beside))
    beside = PAWL_COUNTER_FMA;
  if (gpu_value(kernel, PAWL_COUNTER_ALU) > pawl_gpu_known(kernel, beside))
    beside = PAWL_COUNTER_ALU;
  out->cost = 1 - pawl_gpu_busiest(kernel) / 100;
  pawl_finding_say(out, "tensor pipe %s, %s %s", pawl_gpu_words(kernel, PAWL_COUNTER_TENSOR),
                   pawl_counter_infos[beside].label, pawl_gpu_words(kernel, beside));
  pawl_finding_say(out, ", schedulers issue in %s of the cycles",
                   pawl_gpu_words(kernel, PAWL_COUNTER_ISSUE));
  pawl_gpu_say_wait(kernel, worst, out);
  return true;
}

bool pawl_rule_waiting(profiled kernel, struct pawl_finding *out) {
  const enum pawl_stall worst = pawl_gpu_worst_stall(kernel);
  struct pawl_finding few = {0};
  if (!pawl_gpu_is_idle(kernel) || is_async(kernel) || is_symptom(kernel) ||
      pawl_rule_low_occupancy(kernel, &few))
    return false; /* that says the same, and why */
  out->cost = 1 - pawl_gpu_busiest(kernel) / 100;
  pawl_finding_say(out, "the busiest unit is at %.0f %%, schedulers issue in %s of the cycles",
                   pawl_gpu_busiest(kernel), pawl_gpu_words(kernel, PAWL_COUNTER_ISSUE));
  if (worst == PAWL_STALLS) return true;
  pawl_gpu_say_wait(kernel, worst, out);
  out->remedy = pawl_stall_infos[worst].remedy;
  return true;
}

/* The L2 carries what DRAM carries: it is the bound when DRAM is not. */
bool pawl_rule_bound(profiled kernel, struct pawl_finding *out) {
  const enum pawl_counter unit = out->rule->unit;
  if (!(gpu_value(kernel, unit) >= PAWL_UNIT_BUSY)) return false;
  if (unit == PAWL_COUNTER_L2 && gpu_value(kernel, PAWL_COUNTER_DRAM) >= PAWL_UNIT_BUSY)
    return false;
  out->cost = fmin(gpu_value(kernel, unit) / 100, 1);
  pawl_finding_say(out, "%s at %s of its peak", pawl_counter_infos[unit].label,
                   pawl_gpu_words(kernel, unit));
  if (unit == PAWL_COUNTER_DRAM)
    pawl_finding_say(out, ": %s read, %s written", pawl_gpu_words(kernel, PAWL_COUNTER_DRAM_READ),
                     pawl_gpu_words(kernel, PAWL_COUNTER_DRAM_WRITE));
  if (unit == PAWL_COUNTER_ISSUE)
    pawl_finding_say(out, ": %s instructions", pawl_gpu_words(kernel, PAWL_COUNTER_INSTRUCTIONS));
  return true;
}

bool pawl_rule_l2_misses(profiled kernel, struct pawl_finding *out) {
  const double hits = gpu_value(kernel, PAWL_COUNTER_L2_HIT),
               traffic = gpu_value(kernel, PAWL_COUNTER_DRAM);
  if (!(hits < HITTING) || !(traffic > DRAM_MATTERS)) return false;
  out->cost = (1 - hits / 100) * traffic / 100;
  pawl_finding_say(out, "%s of the sectors hit the L2; DRAM reads %s",
                   pawl_gpu_words(kernel, PAWL_COUNTER_L2_HIT),
                   pawl_gpu_words(kernel, PAWL_COUNTER_DRAM_READ));
  return true;
}

/* The operator knows the bytes that a call must move. */
bool pawl_rule_read_again(profiled kernel, struct pawl_finding *out) {
  const double bytes =
      gpu_value(kernel, PAWL_COUNTER_DRAM_READ) + gpu_value(kernel, PAWL_COUNTER_DRAM_WRITE);
  const double needed = gpu_value(kernel, PAWL_COUNTER_COMPULSORY);
  if (!(bytes > MOVED_AGAIN * needed) || !(bytes < MOVED_AT_MOST * needed) ||
      !(gpu_value(kernel, PAWL_COUNTER_DRAM) > DRAM_MATTERS))
    return false;
  /* A miss costs the L2 two accesses, and a hit one. */
  const double part = 1 - needed / bytes;
  const struct pawl_gpu_removal removals[] = {{PAWL_COUNTER_DRAM, part},
                                              {PAWL_COUNTER_L2, part / 2}};
  out->cost = pawl_gpu_gain(kernel, removals, PAWL_COUNT(removals));
  pawl_finding_say(out, "DRAM moves %.1f times the %s that a call needs: %s read, %s written",
                   bytes / needed, pawl_gpu_words(kernel, PAWL_COUNTER_COMPULSORY),
                   pawl_gpu_words(kernel, PAWL_COUNTER_DRAM_READ),
                   pawl_gpu_words(kernel, PAWL_COUNTER_DRAM_WRITE));
  pawl_finding_say(out, "; DRAM is %s busy", pawl_gpu_words(kernel, PAWL_COUNTER_DRAM));
  return true;
}

bool pawl_rule_low_clock(profiled kernel, struct pawl_finding *out) {
  const double most = gpu_value(kernel, PAWL_COUNTER_MOST_CLOCK) * 1e3;
  const double part = gpu_value(kernel, PAWL_COUNTER_SM_CLOCK) / most;
  char highest[PAWL_QUANTITY];
  if (!(part < LOW_CLOCK) || !(part > 0)) return false;
  out->cost = 1 - part;
  pawl_finding_say(out, "the SMs run at %s of %s", pawl_gpu_words(kernel, PAWL_COUNTER_SM_CLOCK),
                   pawl_quantity_text(most, PAWL_UNIT_HERTZ, highest));
  return true;
}
