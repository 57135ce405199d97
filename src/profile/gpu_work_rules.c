/* SPDX-License-Identifier: Apache-2.0 */
/* The rules about the instructions of a GPU kernel: which it executes, and which wait for each
 * other. Each cost is the share of the time that the remedy is expected to save. */
#include <math.h>

#include "base/count.h"
#include "profile/gpu_reading.h"
#include "profile/rules.h"

#define LSU_SLOTS 4.0 /* an SM issues four instructions a cycle, and one of them to memory */
/* An integer division has three instructions on the XU, which the compiler takes out of a loop if
   the divisor stays. About nine instructions correct each high half of a product: 32 bits need two,
   or one in a loop, and 64 bits eight. */
#define DIVISION_XU 3.0
#define HIGH_INSTRUCTIONS 9.0
/* FP64 instructions for each conversion, from which on the code calls a function of double */
#define FUNCTION 4.0
#define PRODUCTS 15.0 /* percent of the instructions */
#define SOME_LOADS 3.0
#define OTHER_MATH 2.0         /* roots and exponentials: a sum over pairs is no matrix product */
#define REUSE 20.0             /* FLOP per byte of DRAM */
#define TENSOR_PART 0.9        /* tensor cores multiply ten times faster */
#define TENSOR_SHARED_PART 0.5 /* a fragment reads shared memory half as often */
#define ATOMICS_MATTER 20.0    /* percent; an FP32 sum takes several cycles of the unit */
#define CONCENTRATED 4.0       /* times the mean slice */
#define ATOMICS_GO 0.95        /* part of the atomics that sums in a block replace */
#define CONFLICTING 0.10
#define CHAINED 0.45
#define FEW_ACCESSES 0.02 /* accesses of shared memory for each instruction */
#define CHAIN_BUSY 80.0
#define BARRIER 0.30
#define ONE_BY_ONE 0.30

static double least_of_gain(profiled kernel, double waiting) {
  return fmin(waiting, 1 - pawl_gpu_busiest(kernel) / 100);
}

/* --- local memory --- */

/* Returns whether the local memory holds arrays, and not registers that did not fit. */
static bool holds_arrays(profiled kernel) {
  const double spills = gpu_value(kernel, PAWL_COUNTER_SPILLS);
  if (!isnan(spills)) return spills == 0;
  return gpu_value(kernel, PAWL_COUNTER_CODE_ARRAYS) >
         pawl_gpu_known(kernel, PAWL_COUNTER_CODE_SPILLS);
}

/* Returns the gain without local memory. A kernel that keeps no unit busy waits for it. */
static double local_gain(profiled kernel, double local, double share) {
  const double others = pawl_gpu_known(kernel, PAWL_COUNTER_LOADS) +
                        pawl_gpu_known(kernel, PAWL_COUNTER_STORES) +
                        pawl_gpu_known(kernel, PAWL_COUNTER_WAVEFRONTS);
  const double part = local / (local + others);
  const struct pawl_gpu_removal removals[] = {{PAWL_COUNTER_ISSUE, share},
                                              {PAWL_COUNTER_L1, part},
                                              {PAWL_COUNTER_SHARED_PIPE, part},
                                              {PAWL_COUNTER_L2, part},
                                              {PAWL_COUNTER_DRAM, part}};
  return pawl_gpu_is_idle(kernel) ? fmin(1, share * LSU_SLOTS)
                                  : pawl_gpu_gain(kernel, removals, PAWL_COUNT(removals));
}

static bool local_memory(profiled kernel, struct pawl_finding *out) {
  char text[PAWL_QUANTITY];
  const double requests = pawl_gpu_known(kernel, PAWL_COUNTER_SPILLS);
  const double instructions = pawl_gpu_known(kernel, PAWL_COUNTER_LOCAL_LOADS) +
                              pawl_gpu_known(kernel, PAWL_COUNTER_LOCAL_STORES);
  const double local = fmax(instructions, requests),
               share = local / gpu_value(kernel, PAWL_COUNTER_INSTRUCTIONS);
  if (!(share > 0)) return false;
  out->cost = local_gain(kernel, local, share);
  if (requests > 0)
    pawl_finding_say(out, "%s spill requests", pawl_gpu_words(kernel, PAWL_COUNTER_SPILLS));
  else
    pawl_finding_say(out, "%s instructions access local memory",
                     pawl_quantity_text(local, PAWL_UNIT_COUNT, text));
  pawl_finding_say(out, ", %.1f %% of all instructions, with %s registers a thread", share * 100,
                   pawl_gpu_words(kernel, PAWL_COUNTER_REGISTERS));
  return true;
}

bool pawl_rule_spills(profiled kernel, struct pawl_finding *out) {
  return !holds_arrays(kernel) && local_memory(kernel, out);
}

bool pawl_rule_local_array(profiled kernel, struct pawl_finding *out) {
  return holds_arrays(kernel) && local_memory(kernel, out);
}

/* --- kinds of instructions --- */

bool pawl_rule_fp64_for_fp32(profiled kernel, struct pawl_finding *out) {
  const double widened = gpu_value(kernel, PAWL_COUNTER_CODE_WIDENED),
               fp64 = gpu_value(kernel, PAWL_COUNTER_FP64);
  if (!(widened > 0) || !(gpu_value(kernel, PAWL_COUNTER_CODE_FP64) > 0) || !(fp64 > 0))
    return false;
  /* The FMA pipe does the same work in half the time. */
  const double more = fp64 / 2 / fmax(1, pawl_gpu_known(kernel, PAWL_COUNTER_FMA));
  /* Functions of float take less than half the instructions of functions of double. */
  const double code = gpu_value(kernel, PAWL_COUNTER_CODE_FP64),
               shorter = code > FUNCTION * widened ? code : 0;
  const struct pawl_gpu_removal removals[] = {
      {PAWL_COUNTER_FP64, 1},
      {PAWL_COUNTER_FMA, -more},
      {PAWL_COUNTER_XU, fmin(1, 2 * widened / gpu_value(kernel, PAWL_COUNTER_CODE_XU))},
      {PAWL_COUNTER_ISSUE, fmin(1, (2 * widened + shorter) / 100)}};
  out->cost = pawl_gpu_gain(kernel, removals, PAWL_COUNT(removals));
  pawl_finding_say(out, "FP64 pipe at %s of its peak; %s of the code is FP64, and %s converts FP32",
                   pawl_gpu_words(kernel, PAWL_COUNTER_FP64),
                   pawl_gpu_words(kernel, PAWL_COUNTER_CODE_FP64),
                   pawl_gpu_words(kernel, PAWL_COUNTER_CODE_WIDENED));
  return true;
}

bool pawl_rule_integer_division(profiled kernel, struct pawl_finding *out) {
  const double divisions = gpu_value(kernel, PAWL_COUNTER_CODE_DIVISIONS);
  if (!(divisions > 0)) return false;
  const double part =
      fmin(1, pawl_gpu_known(kernel, PAWL_COUNTER_CODE_HIGH) * HIGH_INSTRUCTIONS / 100);
  const struct pawl_gpu_removal removals[] = {
      {PAWL_COUNTER_XU, fmin(1, divisions * DIVISION_XU / gpu_value(kernel, PAWL_COUNTER_CODE_XU))},
      {PAWL_COUNTER_ISSUE, part},
      {PAWL_COUNTER_ALU, part},
      {PAWL_COUNTER_FMA, part}};
  out->cost = pawl_gpu_gain(kernel, removals, PAWL_COUNT(removals));
  pawl_finding_say(out, "about %.0f %% of the code divides integers; XU pipe %s, issue slots %s",
                   part * 100, pawl_gpu_words(kernel, PAWL_COUNTER_XU),
                   pawl_gpu_words(kernel, PAWL_COUNTER_ISSUE));
  return true;
}

/* Returns the FLOP of the plain instructions for each byte of DRAM. */
static double flop_per_byte(profiled kernel) {
  const double bytes =
      gpu_value(kernel, PAWL_COUNTER_DRAM_READ) + gpu_value(kernel, PAWL_COUNTER_DRAM_WRITE);
  const double products = gpu_value(kernel, PAWL_COUNTER_CODE_PRODUCTS) / 100 *
                          gpu_value(kernel, PAWL_COUNTER_INSTRUCTIONS);
  return products * 32 * 2 / bytes;
}

bool pawl_rule_tensor_unused(profiled kernel, struct pawl_finding *out) {
  const double products = gpu_value(kernel, PAWL_COUNTER_CODE_PRODUCTS),
               shared = gpu_value(kernel, PAWL_COUNTER_CODE_SHARED), reuse = flop_per_byte(kernel);
  const double loads = pawl_gpu_known(kernel, PAWL_COUNTER_LOADS) /
                       gpu_value(kernel, PAWL_COUNTER_INSTRUCTIONS) * 100;
  if (!(products >= PRODUCTS) || !(shared + loads >= SOME_LOADS) || !(reuse >= REUSE) ||
      pawl_gpu_known(kernel, PAWL_COUNTER_CODE_XU) > OTHER_MATH ||
      pawl_gpu_known(kernel, PAWL_COUNTER_TENSOR) > 0 ||
      pawl_gpu_known(kernel, PAWL_COUNTER_WGMMA) > 0)
    return false;
  const struct pawl_gpu_removal removals[] = {
      {PAWL_COUNTER_FMA, TENSOR_PART},
      {PAWL_COUNTER_ISSUE, (products * TENSOR_PART + shared * TENSOR_SHARED_PART) / 100},
      {PAWL_COUNTER_L1, TENSOR_SHARED_PART},
      {PAWL_COUNTER_SHARED_PIPE, TENSOR_SHARED_PART}};
  out->cost = pawl_gpu_gain(kernel, removals, PAWL_COUNT(removals));
  pawl_finding_say(out, "%s of the code is %s multiply-adds of loaded values",
                   pawl_gpu_words(kernel, PAWL_COUNTER_CODE_PRODUCTS),
                   gpu_value(kernel, PAWL_COUNTER_CODE_HALF) > PRODUCTS ? "FP16" : "FP32");
  pawl_finding_say(out, ", %.0f FLOP a byte of DRAM, and the tensor cores do nothing", reuse);
  return true;
}

/* --- atomics --- */

bool pawl_rule_atomics(profiled kernel, struct pawl_finding *out) {
  const double slice = gpu_value(kernel, PAWL_COUNTER_ATOMIC_SLICE);
  if (!(slice >= ATOMICS_MATTER) ||
      !(slice >= CONCENTRATED * pawl_gpu_known(kernel, PAWL_COUNTER_ATOMIC_MEAN)))
    return false;
  const struct pawl_gpu_removal removal = {PAWL_COUNTER_ATOMIC_SLICE, ATOMICS_GO};
  out->cost = pawl_gpu_gain(kernel, &removal, 1);
  pawl_finding_say(out,
                   "the busiest slice of the L2 does atomics %s of the time, and a mean one %s",
                   pawl_gpu_words(kernel, PAWL_COUNTER_ATOMIC_SLICE),
                   pawl_gpu_words(kernel, PAWL_COUNTER_ATOMIC_MEAN));
  return true;
}

bool pawl_rule_shared_atomics(profiled kernel, struct pawl_finding *out) {
  const double share =
      gpu_value(kernel, PAWL_COUNTER_ATOMIC_CONFLICTS) / gpu_value(kernel, PAWL_COUNTER_WAVEFRONTS);
  const double waiting =
      pawl_gpu_stall(kernel, PAWL_STALL_MIO) + pawl_gpu_stall(kernel, PAWL_STALL_SHORT);
  if (!(share > CONFLICTING) || !isfinite(share)) return false;
  const double busy = pawl_gpu_known(kernel, PAWL_COUNTER_SHARED_PIPE) / 100;
  out->cost = fmin(share, 1) * fmax(busy, waiting);
  pawl_finding_say(out, "%s wavefronts repeat an access of %s atomics",
                   pawl_gpu_words(kernel, PAWL_COUNTER_ATOMIC_CONFLICTS),
                   pawl_gpu_words(kernel, PAWL_COUNTER_SHARED_ATOMICS));
  pawl_finding_say(out, "; the shared-memory pipe is %s busy",
                   pawl_gpu_words(kernel, PAWL_COUNTER_SHARED_PIPE));
  return true;
}

/* --- waits --- */

/* Special functions have a latency too, which the stall of shared memory includes. */
static double chain_wait(profiled kernel) {
  const double accesses = pawl_gpu_known(kernel, PAWL_COUNTER_WAVEFRONTS) /
                          gpu_value(kernel, PAWL_COUNTER_INSTRUCTIONS);
  return pawl_gpu_stall(kernel, PAWL_STALL_WAIT) +
         (accesses < FEW_ACCESSES ? pawl_gpu_stall(kernel, PAWL_STALL_SHORT) : 0);
}

/* The time of a warp that is ready, but another one issues, is no wait. */
static bool is_chain(profiled kernel) {
  const double ready = pawl_gpu_stall(kernel, PAWL_STALL_NOT_SELECTED);
  return gpu_value(kernel, PAWL_COUNTER_ISSUE) < CHAIN_BUSY && ready < 1 &&
         pawl_gpu_busiest(kernel) < CHAIN_BUSY && chain_wait(kernel) / (1 - ready) >= CHAINED;
}

bool pawl_rule_dependency_chain(profiled kernel, struct pawl_finding *out) {
  if (!is_chain(kernel)) return false;
  out->cost = least_of_gain(kernel, chain_wait(kernel));
  pawl_finding_say(out, "schedulers issue in %s of the cycles, with %s warps an SM",
                   pawl_gpu_words(kernel, PAWL_COUNTER_ISSUE),
                   pawl_gpu_words(kernel, PAWL_COUNTER_WARPS));
  pawl_finding_say(out, "; %.0f %% of the warp time waits for the result of the last instruction",
                   chain_wait(kernel) * 100);
  return true;
}

bool pawl_rule_barrier_wait(profiled kernel, struct pawl_finding *out) {
  const double waiting = pawl_gpu_stall(kernel, PAWL_STALL_BARRIER);
  if (!(waiting > BARRIER) || !pawl_gpu_is_idle(kernel) ||
      pawl_gpu_known(kernel, PAWL_COUNTER_WGMMA) > 0)
    return false;
  out->cost = least_of_gain(kernel, waiting);
  pawl_finding_say(out, "schedulers issue in %s of the cycles",
                   pawl_gpu_words(kernel, PAWL_COUNTER_ISSUE));
  pawl_gpu_say_wait(kernel, PAWL_STALL_BARRIER, out);
  return true;
}

/* A warpgroup waits for its products with the counter of wgmma, and with that of barriers when its
 * warps meet before the next product. A warp waits for a bulk copy as for any load. */
bool pawl_rule_async_serial(profiled kernel, struct pawl_finding *out) {
  const bool products = pawl_gpu_known(kernel, PAWL_COUNTER_WGMMA) > 0,
             copies = pawl_gpu_known(kernel, PAWL_COUNTER_CODE_COPIES) > 0;
  const double waiting = products ? pawl_gpu_stall(kernel, PAWL_STALL_GMMA) +
                                        pawl_gpu_stall(kernel, PAWL_STALL_BARRIER)
                                  : pawl_gpu_stall(kernel, PAWL_STALL_LONG);
  if ((!products && !copies) || !(waiting > ONE_BY_ONE) || !pawl_gpu_is_idle(kernel)) return false;
  out->cost = least_of_gain(kernel, waiting);
  pawl_finding_say(out, "tensor pipe %s, DRAM %s; %.0f %% of the warp time waits for %s",
                   pawl_gpu_words(kernel, PAWL_COUNTER_TENSOR),
                   pawl_gpu_words(kernel, PAWL_COUNTER_DRAM), waiting * 100,
                   products ? "products (wgmma) and its warpgroup" : "bulk copies");
  return true;
}
