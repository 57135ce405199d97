/* SPDX-License-Identifier: Apache-2.0 */
/* The rules about GPU kernels, and the table of all. */

#include <math.h>

#include "base/count.h"
#include "profile/processor_rules.h"
#include "profile/quantity.h"

/* percent: below that no unit is a limit (Nsight Compute's rule, and the mission's for SMs) */
#define BUSY 60.0
#define COALESCED 80.0
#define CONFLICTING 0.10
#define FULL_WARP 32.0
#define DIVERGENT 28.0 /* threads of 32 */
#define IDLE_SMS 0.05
#define FEW_WARPS 25.0 /* percent of the warps that an SM holds */
#define HITTING 80.0
#define DRAM_MATTERS 20.0
#define LSU_SLOTS 4.0 /* an SM issues four instructions a cycle, and one of them to memory */

typedef const struct pawl_profile_kernel *profiled;

static double value(profiled kernel, enum pawl_counter counter) { return kernel->values[counter]; }

static double known_or_0(double number) { return isnan(number) ? 0 : number; }

/* The value as people read it, in one of a few buffers: for one printf. */
static const char *words(profiled kernel, enum pawl_counter counter) {
  static _Thread_local char buffers[8][PAWL_QUANTITY];
  static _Thread_local unsigned next;
  char *out = buffers[next++ % 8];
  return pawl_quantity_text(value(kernel, counter), pawl_counter_infos[counter].unit, out);
}

/* The busiest unit, in percent; NAN: none is known. */
static double busiest(profiled kernel) {
  static const enum pawl_counter units[] = {
      PAWL_COUNTER_SM,  PAWL_COUNTER_MEMORY, PAWL_COUNTER_DRAM, PAWL_COUNTER_L2,
      PAWL_COUNTER_L1,  PAWL_COUNTER_TENSOR, PAWL_COUNTER_XU,   PAWL_COUNTER_FMA,
      PAWL_COUNTER_ALU, PAWL_COUNTER_FP64,   PAWL_COUNTER_ISSUE};
  double largest = NAN;
  for (size_t i = 0; i < PAWL_COUNT(units); i++) largest = fmax(largest, value(kernel, units[i]));
  return largest;
}

static enum pawl_stall worst_stall(profiled kernel) {
  int worst = -1;
  for (int i = 0; i < PAWL_STALLS; i++) {
    if (i == PAWL_STALL_SELECTED || i == PAWL_STALL_NOT_SELECTED || isnan(kernel->stalls[i]))
      continue;
    if (worst < 0 || kernel->stalls[i] > kernel->stalls[worst]) worst = i;
  }
  return worst < 0 ? PAWL_STALLS : (enum pawl_stall)worst;
}

/* One kind of access wastes the share of its bytes that nothing uses. Its share of all sectors is
 * the weight. */
static double wasted(profiled kernel, enum pawl_counter coalesced, enum pawl_counter sectors,
                     double all) {
  const double used = value(kernel, coalesced);
  if (isnan(used) || used >= COALESCED || !(all > 0)) return 0;
  return (1 - used / 100) * known_or_0(value(kernel, sectors)) / all;
}

static bool uncoalesced(profiled kernel, struct pawl_finding *out) {
  const double loaded = known_or_0(value(kernel, PAWL_COUNTER_LOAD_SECTORS));
  const double stored = known_or_0(value(kernel, PAWL_COUNTER_STORE_SECTORS));
  const double loads =
      wasted(kernel, PAWL_COUNTER_COALESCED_LOADS, PAWL_COUNTER_LOAD_SECTORS, loaded + stored);
  const double stores =
      wasted(kernel, PAWL_COUNTER_COALESCED_STORES, PAWL_COUNTER_STORE_SECTORS, loaded + stored);
  const double memory =
      fmax(fmax(value(kernel, PAWL_COUNTER_DRAM), value(kernel, PAWL_COUNTER_L2)),
           fmax(value(kernel, PAWL_COUNTER_L1), value(kernel, PAWL_COUNTER_MEMORY)));
  if (!(loads + stores > 0) || isnan(memory)) return false;
  out->cost = (loads + stores) * memory / 100;
  if (loads > 0)
    pawl_finding_say(out, "loads use %s of the bytes that they move (%s sectors)",
                     words(kernel, PAWL_COUNTER_COALESCED_LOADS),
                     words(kernel, PAWL_COUNTER_LOAD_SECTORS));
  if (stores > 0)
    pawl_finding_say(out, "%sstores use %s of the bytes that they move (%s sectors)",
                     loads > 0 ? ", " : "", words(kernel, PAWL_COUNTER_COALESCED_STORES),
                     words(kernel, PAWL_COUNTER_STORE_SECTORS));
  pawl_finding_say(out, "; the memory system is %.0f %% busy", memory);
  return true;
}

static bool bank_conflicts(profiled kernel, struct pawl_finding *out) {
  const double share =
      value(kernel, PAWL_COUNTER_CONFLICTS) / value(kernel, PAWL_COUNTER_WAVEFRONTS);
  const double waiting =
      known_or_0(kernel->stalls[PAWL_STALL_MIO]) + known_or_0(kernel->stalls[PAWL_STALL_SHORT]);
  const double busy = fmax(known_or_0(value(kernel, PAWL_COUNTER_SHARED_PIPE)) / 100, waiting);
  if (!(share > CONFLICTING) || !isfinite(share)) return false;
  out->cost = fmin(share, 1) * busy;
  pawl_finding_say(out, "%s of %s wavefronts repeat an access (%.0f %%)",
                   words(kernel, PAWL_COUNTER_CONFLICTS), words(kernel, PAWL_COUNTER_WAVEFRONTS),
                   fmin(share, 1) * 100);
  pawl_finding_say(out, "; the shared-memory pipe is %s busy",
                   words(kernel, PAWL_COUNTER_SHARED_PIPE));
  return true;
}

static bool spills(profiled kernel, struct pawl_finding *out) {
  const double requests = value(kernel, PAWL_COUNTER_SPILLS);
  const double local = known_or_0(value(kernel, PAWL_COUNTER_LOCAL_LOADS)) +
                       known_or_0(value(kernel, PAWL_COUNTER_LOCAL_STORES));
  const double all = value(kernel, PAWL_COUNTER_INSTRUCTIONS),
               share = fmax(local, known_or_0(requests)) / all;
  if (!(share > 0)) return false;
  out->cost = fmin(1, share * LSU_SLOTS);
  if (isnan(requests) || requests == 0) {
    char text[PAWL_QUANTITY];
    pawl_finding_say(out, "%s instructions access local memory%s",
                     pawl_quantity_text(local, PAWL_UNIT_COUNT, text),
                     requests == 0
                         ? " (none by spills: arrays with indices that the compiler does not know)"
                         : "");
  } else {
    pawl_finding_say(out, "%s spill requests", words(kernel, PAWL_COUNTER_SPILLS));
  }
  pawl_finding_say(out, ", %.1f %% of all instructions, with %s registers a thread", share * 100,
                   words(kernel, PAWL_COUNTER_REGISTERS));
  return true;
}

static bool divergence(profiled kernel, struct pawl_finding *out) {
  const double lanes = value(kernel, PAWL_COUNTER_LANES);
  if (!(lanes < DIVERGENT)) return false;
  out->cost = 1 - lanes / FULL_WARP;
  pawl_finding_say(out, "an instruction has %s of 32 threads active",
                   words(kernel, PAWL_COUNTER_LANES));
  return true;
}

static bool tail(profiled kernel, struct pawl_finding *out) {
  const double active =
      value(kernel, PAWL_COUNTER_CYCLES_ACTIVE) / value(kernel, PAWL_COUNTER_CYCLES);
  if (!(active < 1 - IDLE_SMS) || !(active >= 0)) return false;
  out->cost = 1 - active;
  pawl_finding_say(out, "an SM has no block for %.0f %% of the time: %s blocks, %s waves",
                   out->cost * 100, words(kernel, PAWL_COUNTER_GRID),
                   words(kernel, PAWL_COUNTER_WAVES));
  if (value(kernel, PAWL_COUNTER_GRID) < value(kernel, PAWL_COUNTER_SM_COUNT))
    pawl_finding_say(out, ", on %s SMs", words(kernel, PAWL_COUNTER_SM_COUNT));
  return true;
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
  for (size_t i = 0; i < 4; i++) least = fmin(least, value(kernel, limits[i].blocks));
  for (size_t i = 0; i < 4; i++) {
    if (!(value(kernel, limits[i].blocks) <= least)) continue;
    pawl_finding_say(out, "%s%s (%s %s)", first ? "; limited by " : " and ", limits[i].name,
                     words(kernel, limits[i].need), limits[i].of);
    first = false;
  }
  if (!isnan(least)) pawl_finding_say(out, " to %.0f block%s an SM", least, least == 1 ? "" : "s");
}

static bool is_idle(profiled kernel) {
  return busiest(kernel) < BUSY && value(kernel, PAWL_COUNTER_ISSUE) < BUSY;
}

/* Products of warpgroups (wgmma) run beside the warps that start them: a few warps keep the tensor
 * cores busy. */
static bool is_async(profiled kernel) { return value(kernel, PAWL_COUNTER_WGMMA) > 0; }

static bool low_occupancy(profiled kernel, struct pawl_finding *out) {
  const enum pawl_stall worst = worst_stall(kernel);
  if (is_async(kernel) || !is_idle(kernel) || !(value(kernel, PAWL_COUNTER_OCCUPANCY) <= FEW_WARPS))
    return false;
  if (worst != PAWL_STALL_LONG && worst != PAWL_STALL_SHORT && worst != PAWL_STALL_WAIT)
    return false;
  out->cost = 1 - busiest(kernel) / 100;
  pawl_finding_say(out, "%s of the warps that an SM holds (at most %s)",
                   words(kernel, PAWL_COUNTER_OCCUPANCY),
                   words(kernel, PAWL_COUNTER_OCCUPANCY_MOST));
  say_limit(kernel, out);
  pawl_finding_say(out, "; %.0f %% of the warp time waits for %s", kernel->stalls[worst] * 100,
                   pawl_stall_infos[worst].wait_for);
  return true;
}

/* The share of the time that the tensor cores and the busiest pipe beside them would fill one after
 * the other. */
static bool async_overlap(profiled kernel, struct pawl_finding *out) {
  const enum pawl_stall worst = worst_stall(kernel);
  enum pawl_counter beside = PAWL_COUNTER_XU;
  if (!is_async(kernel) || !is_idle(kernel)) return false;
  if (value(kernel, PAWL_COUNTER_FMA) > known_or_0(value(kernel, beside)))
    beside = PAWL_COUNTER_FMA;
  if (value(kernel, PAWL_COUNTER_ALU) > known_or_0(value(kernel, beside)))
    beside = PAWL_COUNTER_ALU;
  out->cost = 1 - busiest(kernel) / 100;
  pawl_finding_say(out, "tensor pipe %s, %s %s", words(kernel, PAWL_COUNTER_TENSOR),
                   pawl_counter_infos[beside].label, words(kernel, beside));
  pawl_finding_say(out, ", schedulers issue in %s of the cycles",
                   words(kernel, PAWL_COUNTER_ISSUE));
  if (worst != PAWL_STALLS)
    pawl_finding_say(out, "; %.0f %% of the warp time waits for %s", kernel->stalls[worst] * 100,
                     pawl_stall_infos[worst].wait_for);
  return true;
}

static bool waiting(profiled kernel, struct pawl_finding *out) {
  const enum pawl_stall worst = worst_stall(kernel);
  struct pawl_finding few = {0};
  if (!is_idle(kernel) || is_async(kernel) || low_occupancy(kernel, &few))
    return false; /* that says the same, and why */
  out->cost = 1 - busiest(kernel) / 100;
  pawl_finding_say(out, "the busiest unit is at %.0f %%, schedulers issue in %s of the cycles",
                   busiest(kernel), words(kernel, PAWL_COUNTER_ISSUE));
  if (worst == PAWL_STALLS) return true;
  pawl_finding_say(out, "; %.0f %% of the warp time waits for %s", kernel->stalls[worst] * 100,
                   pawl_stall_infos[worst].wait_for);
  out->remedy = pawl_stall_infos[worst].remedy;
  return true;
}

/* A unit that is busy. */
static bool bound(profiled kernel, enum pawl_counter unit, struct pawl_finding *out) {
  if (!(value(kernel, unit) >= BUSY)) return false;
  out->cost = fmin(value(kernel, unit) / 100, 1);
  pawl_finding_say(out, "%s at %s of its peak", pawl_counter_infos[unit].label,
                   words(kernel, unit));
  return true;
}

static bool dram(profiled kernel, struct pawl_finding *out) {
  if (!bound(kernel, PAWL_COUNTER_DRAM, out)) return false;
  pawl_finding_say(out, ": %s read, %s written", words(kernel, PAWL_COUNTER_DRAM_READ),
                   words(kernel, PAWL_COUNTER_DRAM_WRITE));
  return true;
}

/* The L2 carries what DRAM carries: it is the bound when DRAM is not. */
static bool l2(profiled kernel, struct pawl_finding *out) {
  return !(value(kernel, PAWL_COUNTER_DRAM) >= BUSY) && bound(kernel, PAWL_COUNTER_L2, out);
}

static bool l1(profiled kernel, struct pawl_finding *out) {
  return bound(kernel, PAWL_COUNTER_L1, out);
}

static bool tensor(profiled kernel, struct pawl_finding *out) {
  return bound(kernel, PAWL_COUNTER_TENSOR, out);
}

static bool xu(profiled kernel, struct pawl_finding *out) {
  return bound(kernel, PAWL_COUNTER_XU, out);
}

static bool fma_pipe(profiled kernel, struct pawl_finding *out) {
  return bound(kernel, PAWL_COUNTER_FMA, out);
}

static bool alu(profiled kernel, struct pawl_finding *out) {
  return bound(kernel, PAWL_COUNTER_ALU, out);
}

static bool fp64(profiled kernel, struct pawl_finding *out) {
  return bound(kernel, PAWL_COUNTER_FP64, out);
}

static bool issue(profiled kernel, struct pawl_finding *out) {
  if (!bound(kernel, PAWL_COUNTER_ISSUE, out)) return false;
  pawl_finding_say(out, ": %s instructions", words(kernel, PAWL_COUNTER_INSTRUCTIONS));
  return true;
}

static bool l2_misses(profiled kernel, struct pawl_finding *out) {
  const double hits = value(kernel, PAWL_COUNTER_L2_HIT),
               traffic = value(kernel, PAWL_COUNTER_DRAM);
  if (!(hits < HITTING) || !(traffic > DRAM_MATTERS)) return false;
  out->cost = (1 - hits / 100) * traffic / 100;
  pawl_finding_say(out, "%s of the sectors hit the L2; DRAM reads %s",
                   words(kernel, PAWL_COUNTER_L2_HIT), words(kernel, PAWL_COUNTER_DRAM_READ));
  return true;
}

const struct pawl_rule pawl_rules[] = {
#define RULE(FUNCTION, ID, KIND, TITLE, SOURCE, THRESHOLD, REMEDY) \
  {ID, PAWL_FINDING_##KIND, TITLE, SOURCE, THRESHOLD, REMEDY, FUNCTION},
#include "profile/rules.inc"
#undef RULE
};
const size_t pawl_rule_count = PAWL_COUNT(pawl_rules);
