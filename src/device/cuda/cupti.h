/* SPDX-License-Identifier: Apache-2.0 */
/* The part of CUPTI with which pawl counts a GPU's events: the range profiler, the host side that
 * knows a chip's metrics, and callbacks at launches. pawl opens it
 * at run time with its own declarations, so it builds without CUDA headers and runs without CUPTI.
 * Layouts and numbers are those of the CUPTI reference; tests/contract/cupti_declarations.cpp
 * compares them with the headers if they are there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/cuda/cuda_driver.h"

typedef int pawl_cupti_result;
typedef void *pawl_cupti_subscriber;

enum {
  PAWL_CUPTI_SUCCESS = 0,
  PAWL_CUPTI_HARDWARE_BUSY = 26,
  PAWL_CUPTI_NOT_PRIVILEGED = 35,
  PAWL_CUPTI_GUEST_NOT_PRIVILEGED = 40, /* a virtual machine's vGPU */
  /* CUpti_ProfilerType, CUpti_ProfilerRange, CUpti_ProfilerReplayMode */
  PAWL_CUPTI_RANGE_PROFILER = 0,
  PAWL_CUPTI_AUTO_RANGE = 1,  /* each kernel is a range */
  PAWL_CUPTI_USER_REPLAY = 3, /* the caller repeats the kernels for each pass */
  /* callbacks of the driver API: CUpti_CallbackDomain, CUpti_ApiCallbackSite,
     CUpti_driver_api_trace_cbid */
  PAWL_CUPTI_DRIVER_API = 1,
  PAWL_CUPTI_ENTER = 0,
  PAWL_CUPTI_LAUNCH = 307,
  PAWL_CUPTI_LAUNCH_PTSZ = 442,
  PAWL_CUPTI_LAUNCH_COOPERATIVE = 477,
  PAWL_CUPTI_LAUNCH_COOPERATIVE_PTSZ = 478,
  PAWL_CUPTI_LAUNCH_EX = 652,
  PAWL_CUPTI_LAUNCH_EX_PTSZ = 653
};

/* Every parameter block begins with its size, from which CUPTI knows its version, and a pointer
 * that stays NULL. */
#define PAWL_CUPTI_BLOCK \
  size_t size;           \
  void *reserved

struct pawl_cupti_empty {
  PAWL_CUPTI_BLOCK;
};
struct pawl_cupti_chip {
  PAWL_CUPTI_BLOCK;
  size_t device;
  const char *name; /* out */
};
struct pawl_cupti_availability {
  PAWL_CUPTI_BLOCK;
  pawl_cu_context context;
  size_t bytes; /* out if image is NULL */
  uint8_t *image;
};
struct pawl_cupti_host_init {
  PAWL_CUPTI_BLOCK;
  int type;
  const char *chip;
  const uint8_t *availability;
  void *host; /* out */
};
struct pawl_cupti_host {
  PAWL_CUPTI_BLOCK;
  void *host;
};
struct pawl_cupti_host_metrics {
  PAWL_CUPTI_BLOCK;
  void *host;
  const char **names;
  size_t count;
};
struct pawl_cupti_image_size {
  PAWL_CUPTI_BLOCK;
  void *host;
  size_t bytes; /* out */
};
struct pawl_cupti_image {
  PAWL_CUPTI_BLOCK;
  void *host;
  size_t bytes;
  uint8_t *image;
};
struct pawl_cupti_values {
  PAWL_CUPTI_BLOCK;
  void *host;
  const uint8_t *counters;
  size_t counter_bytes;
  size_t range;
  const char **names;
  size_t count;
  double *values; /* out */
};
struct pawl_cupti_enable {
  PAWL_CUPTI_BLOCK;
  pawl_cu_context context;
  void *ranges; /* out */
};
struct pawl_cupti_ranges {
  PAWL_CUPTI_BLOCK;
  void *ranges;
};
struct pawl_cupti_counter_size {
  PAWL_CUPTI_BLOCK;
  void *ranges;
  const char **names;
  size_t count;
  size_t most_ranges;
  uint32_t most_nodes;
  size_t bytes; /* out */
};
struct pawl_cupti_counter_init {
  PAWL_CUPTI_BLOCK;
  void *ranges;
  size_t bytes;
  uint8_t *counters;
};
struct pawl_cupti_config {
  PAWL_CUPTI_BLOCK;
  void *ranges;
  size_t image_bytes;
  const uint8_t *image;
  size_t counter_bytes;
  uint8_t *counters;
  int range, replay;
  size_t most_ranges;
  uint16_t levels, first_level;
  size_t pass;
  uint16_t target_level;
};
struct pawl_cupti_stop {
  PAWL_CUPTI_BLOCK;
  void *ranges;
  size_t pass, target_level; /* out */
  uint8_t all_passes;        /* out: no pass is left */
};
struct pawl_cupti_decode {
  PAWL_CUPTI_BLOCK;
  void *ranges;
  size_t dropped; /* out */
};
struct pawl_cupti_info {
  PAWL_CUPTI_BLOCK;
  const uint8_t *counters;
  size_t counter_bytes;
  size_t count; /* out: ranges */
};

/* The first members of CUpti_CallbackData; valid during the callback. */
struct pawl_cupti_callback_data {
  int site;
  const char *function;
  const void *parameters; /* pawl_cupti_launch or pawl_cupti_launch_ex, by the function */
  void *result;
  const char *symbol; /* the kernel's mangled name */
};
struct pawl_cupti_geometry { /* the first members of CUlaunchConfig */
  unsigned grid[3], block[3], shared_bytes;
};
struct pawl_cupti_launch { /* cuLaunchKernel_params, cuLaunchCooperativeKernel_params */
  pawl_cu_function function;
  struct pawl_cupti_geometry geometry;
};
struct pawl_cupti_launch_ex { /* cuLaunchKernelEx_params */
  const struct pawl_cupti_geometry *geometry;
  pawl_cu_function function;
};
typedef void (*pawl_cupti_callback)(void *user, int domain, uint32_t function,
                                    const struct pawl_cupti_callback_data *data);

/* The size of a block up to its last member, without padding at the end, as CUPTI's own macros
 * compute it. */
#define PAWL_CUPTI_SIZE(TYPE, LAST) (offsetof(TYPE, LAST) + sizeof(((TYPE *)0)->LAST))

/* The functions: member, symbol, parameters. */
#define PAWL_CUPTI_FUNCTIONS(F)                                                               \
  F(version, "cuptiGetVersion", (uint32_t * version))                                         \
  F(result_string, "cuptiGetResultString", (pawl_cupti_result result, const char **text))     \
  F(subscribe, "cuptiSubscribe",                                                              \
    (pawl_cupti_subscriber * out, pawl_cupti_callback callback, void *user))                  \
  F(unsubscribe, "cuptiUnsubscribe", (pawl_cupti_subscriber subscriber))                      \
  F(enable_callback, "cuptiEnableCallback",                                                   \
    (uint32_t enable, pawl_cupti_subscriber subscriber, int domain, uint32_t function))       \
  F(initialize, "cuptiProfilerInitialize", (struct pawl_cupti_empty *))                       \
  F(chip, "cuptiDeviceGetChipName", (struct pawl_cupti_chip *))                               \
  F(availability, "cuptiProfilerGetCounterAvailability", (struct pawl_cupti_availability *))  \
  F(host_initialize, "cuptiProfilerHostInitialize", (struct pawl_cupti_host_init *))          \
  F(host_deinitialize, "cuptiProfilerHostDeinitialize", (struct pawl_cupti_host *))           \
  F(host_add, "cuptiProfilerHostConfigAddMetrics", (struct pawl_cupti_host_metrics *))        \
  F(image_size, "cuptiProfilerHostGetConfigImageSize", (struct pawl_cupti_image_size *))      \
  F(image, "cuptiProfilerHostGetConfigImage", (struct pawl_cupti_image *))                    \
  F(evaluate, "cuptiProfilerHostEvaluateToGpuValues", (struct pawl_cupti_values *))           \
  F(enable, "cuptiRangeProfilerEnable", (struct pawl_cupti_enable *))                         \
  F(disable, "cuptiRangeProfilerDisable", (struct pawl_cupti_ranges *))                       \
  F(counter_size, "cuptiRangeProfilerGetCounterDataSize", (struct pawl_cupti_counter_size *)) \
  F(counter_initialize, "cuptiRangeProfilerCounterDataImageInitialize",                       \
    (struct pawl_cupti_counter_init *))                                                       \
  F(configure, "cuptiRangeProfilerSetConfig", (struct pawl_cupti_config *))                   \
  F(start, "cuptiRangeProfilerStart", (struct pawl_cupti_ranges *))                           \
  F(stop, "cuptiRangeProfilerStop", (struct pawl_cupti_stop *))                               \
  F(decode, "cuptiRangeProfilerDecodeData", (struct pawl_cupti_decode *))                     \
  F(info, "cuptiRangeProfilerGetCounterDataInfo", (struct pawl_cupti_info *))

#define PAWL_CUPTI_MEMBER(NAME, SYMBOL, PARAMETERS) pawl_cupti_result(*NAME) PARAMETERS;
struct pawl_cupti {
  void *library;        /* never closed: CUPTI does not survive it */
  uint32_t api_version; /* 130001; before CUDA 13 a counter of its own: 28 is CUDA 12.9 */
  PAWL_CUPTI_FUNCTIONS(PAWL_CUPTI_MEMBER)
};
#undef PAWL_CUPTI_MEMBER

/* Opens $PAWL_CUPTI_LIBRARY, else libcupti.so of the loader or of a CUDA toolkit. Fails with
 * PAWL_UNAVAILABLE and advice if there is none or it lacks a function. */
pawl_status pawl_cupti_open(struct pawl_cupti *out, struct pawl_error *err);

/* Returns PAWL_OK for 0, and PAWL_NOT_PERMITTED if the driver gives this user no counters. Else it
 * fails with PAWL_UNAVAILABLE, "cuptiRangeProfilerStart: CUPTI_ERROR_..." and any advice. */
pawl_status pawl_cupti_check(const struct pawl_cupti *cupti, pawl_cupti_result result,
                             const char *function, struct pawl_error *err);
