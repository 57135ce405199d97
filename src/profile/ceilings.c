/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/ceilings.h"

#include <math.h>

#include "base/count.h"

#define XU_MATTERS 5.0 /* percent; with less use the pipe is no limit */

typedef const struct pawl_profile_kernel *profiled;

static double known_or_0(double number) { return isnan(number) ? 0 : number; }

/* Returns FLOP per second of plain instructions. A fused multiply-add counts as two. */
static double plain(profiled kernel, enum pawl_counter fma, enum pawl_counter add,
                    enum pawl_counter mul) {
  const double *v = kernel->values;
  return (2 * known_or_0(v[fma]) + known_or_0(v[add]) + known_or_0(v[mul])) *
         v[PAWL_COUNTER_SM_CLOCK];
}

static void add(struct pawl_ceilings *out, const char *name, double flop_s) {
  if (flop_s > 0 && isfinite(flop_s)) out->rows[out->count++] = (struct pawl_ceiling){name, flop_s};
}

static double tensor(profiled kernel, struct pawl_ceilings *out) {
  static const struct {
    enum pawl_counter rate, peak;
    const char *name;
  } types[] = {{PAWL_COUNTER_TENSOR_FP16, PAWL_COUNTER_TENSOR_FP16_PEAK, "tensor cores, FP16"},
               {PAWL_COUNTER_TENSOR_BF16, PAWL_COUNTER_TENSOR_BF16_PEAK, "tensor cores, BF16"},
               {PAWL_COUNTER_TENSOR_TF32, PAWL_COUNTER_TENSOR_TF32_PEAK, "tensor cores, TF32"},
               {PAWL_COUNTER_TENSOR_FP8, PAWL_COUNTER_TENSOR_FP8_PEAK, "tensor cores, FP8"},
               {PAWL_COUNTER_TENSOR_INT8, PAWL_COUNTER_TENSOR_INT8_PEAK, "tensor cores, INT8"},
               {PAWL_COUNTER_TENSOR_FP64, PAWL_COUNTER_TENSOR_FP64_PEAK, "tensor cores, FP64"}};
  double sum = 0;
  for (size_t i = 0; i < PAWL_COUNT(types); i++) {
    if (!(kernel->values[types[i].rate] > 0)) continue; /* the kernel does not use this type */
    sum += kernel->values[types[i].rate];
    add(out, types[i].name, kernel->values[types[i].peak]);
  }
  return sum;
}

/* Estimates the peak of a unit that works at `rate`, which is `percent` of the peak. Below 1 % the
   estimate would be too rough. */
static double peak(double rate, double percent) {
  return percent >= 1 ? rate / percent * 100 : NAN;
}

bool pawl_profile_ceilings(profiled kernel, struct pawl_ceilings *out) {
  const double *v = kernel->values, time = v[PAWL_COUNTER_DURATION],
               clock = v[PAWL_COUNTER_SM_CLOCK];
  struct pawl_ceilings found = {0};
  const double fp64 =
      plain(kernel, PAWL_COUNTER_FP64_FMA, PAWL_COUNTER_FP64_ADD, PAWL_COUNTER_FP64_MUL);
  found.flop_s =
      tensor(kernel, &found) +
      plain(kernel, PAWL_COUNTER_FP32_FMA, PAWL_COUNTER_FP32_ADD, PAWL_COUNTER_FP32_MUL) + fp64;
  found.dram_s = (v[PAWL_COUNTER_DRAM_READ] + v[PAWL_COUNTER_DRAM_WRITE]) / time;
  found.dram_peak = peak(found.dram_s, v[PAWL_COUNTER_DRAM]);
  found.l2_s = (v[PAWL_COUNTER_L2_TO_L1] + v[PAWL_COUNTER_L1_TO_L2]) / time;
  found.l2_peak = peak(v[PAWL_COUNTER_L2_RATE], v[PAWL_COUNTER_L2_RATE_PCT]);
  if (!(found.flop_s > 0) || !(found.dram_s > 0)) return false;
  add(&found, "FP32", 2 * v[PAWL_COUNTER_FP32_FMA_PEAK] * clock);
  if (fp64 > 0) add(&found, "FP64", 2 * v[PAWL_COUNTER_FP64_FMA_PEAK] * clock);
  if (v[PAWL_COUNTER_XU] >= XU_MATTERS)
    add(&found, "special functions (XU)", peak(found.flop_s, v[PAWL_COUNTER_XU]));
  *out = found;
  return true;
}
