/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cuda_peak.h"

#include <stdio.h>

#include "base/count.h"

/* FLOP per clock and SM. */
struct rates {
  int capability; /* 10 x major + minor */
  int f64, f32, f16, e4m3;
};

/* e4m3 0: the chip has none. */
static const struct rates table[] = {
    {70, 64, 128, 1024, 0},       /* V100: 7.8 / 15.7 / 125 TFLOP/s at 1530 MHz, 80 SMs */
    {75, 4, 128, 1024, 0},        /* T4 */
    {80, 128, 128, 2048, 0},      /* A100: 19.5 / 19.5 / 312 at 1410 MHz, 108 SMs */
    {86, 4, 256, 1024, 0},        /* A10, GA102 */
    {87, 4, 256, 1024, 0},        /* Orin */
    {89, 4, 256, 1024, 2048},     /* L4, L40, AD102 */
    {90, 256, 256, 4096, 8192},   /* H100, H200: 67 / 67 / 989 / 1979 at 1830..1980 MHz, 132 SMs */
    {100, 128, 256, 8192, 16384}, /* B200 */
    {103, 4, 256, 8192, 16384},   /* B300 */
    {120, 4, 256, 1024, 2048},    /* RTX 50, RTX PRO Blackwell */
};

static const struct rates *find_rates(const char *arch) {
  int capability = 0;
  if (!arch || sscanf(arch, "sm_%d", &capability) != 1) return NULL;
  for (size_t i = 0; i < PAWL_COUNT(table); i++) {
    if (table[i].capability == capability) return &table[i];
  }
  return NULL;
}

static int rate_of(const struct rates *rates, int32_t dtype) {
  switch (dtype) {
    case PAWL_F64: return rates->f64;
    case PAWL_F32: return rates->f32;
    case PAWL_F16:
    case PAWL_BF16: return rates->f16;
    case PAWL_E4M3: return rates->e4m3;
    default: return 0;
  }
}

pawl_status pawl_cuda_limits(const struct pawl_device *device, int32_t dtype,
                             struct pawl_arena *arena, struct pawl_device_limits *out,
                             struct pawl_error *err) {
  const struct rates *rates = find_rates(device->arch);
  const int rate = rates ? rate_of(rates, dtype) : 0;
  const double mhz = device->max_frequency_mhz, memory_mhz = device->max_memory_frequency_mhz;
  if (!rate || device->units <= 0 || !(mhz > 0))
    return pawl_fail(err, PAWL_UNAVAILABLE, "the peak of '%s' (%s) for this dtype is not known",
                     device->name ? device->name : "(unknown)",
                     device->arch ? device->arch : "unknown architecture");
  const bool bus_known = device->bus_bits > 0 && memory_mhz > 0;
  *out = (struct pawl_device_limits){
      .gflops = device->units * (double)rate * mhz * 1e-3,
      .bandwidth_gb_s = bus_known ? device->bus_bits / 8.0 * 2.0 * memory_mhz * 1e-3 : NAN,
      .source = pawl_arena_printf(arena, "%d SMs x %d FLOP/clock x %.0f MHz; %d bit x 2 x %.0f MHz",
                                  device->units, rate, mhz, device->bus_bits, memory_mhz)};
  return PAWL_OK;
}
