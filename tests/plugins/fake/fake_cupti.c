/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI without a GPU, for tests: three passes count what a table says, of each kernel that the
   fake driver launches. It is as strict as the real library: sizes of blocks, the order of calls, a
   host object that takes no more after an unknown metric. FAKE_CUPTI says how it behaves: honest
   counts refuses     the driver gives this user no counters busy        another profiler has them
     crashes     when it is started
     knows_none  of the metrics
     endless     asks for passes for ever
     misses      counts no kernel, though one is launched
     nothing     sees no launch
   FAKE_CUPTI_LOG: a file that gets a line for each pass, and each metric that is counted.
   FAKE_CUPTI_OLDER lacks a function. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

#define API __attribute__((visibility("default")))
#define INVALID_PARAMETER 1
#define INVALID_OPERATION 7
#define BUSY 26
#define REFUSED 35
#define PASSES 3
#define LAUNCH_EX 652

/* A kernel that the DRAM limits. */
static const struct {
  const char *name;
  double value;
} metrics[] = {{"gpu__time_duration.sum", 50000},
               {"gpu__time_duration.avg", 70000}, /* the second name of a counter */
               {"sm__cycles_elapsed.avg.per_second", 1.98e9},
               {"sm__cycles_elapsed.avg", 99000},
               {"sm__cycles_active.avg", 98000},
               {"smsp__inst_executed.sum", 1e7},
               {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 20},
               {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 91},
               {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 91},
               {"sm__warps_active.avg.pct_of_peak_sustained_active", 70},
               {"dram__bytes_read.sum", 2e8},
               {"dram__bytes_write.sum", 1e8},
               {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 32},
               {"smsp__sass_inst_executed_op_global_ld.sum", 1e6},
               {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 9},
               {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 1}};
#define METRICS (sizeof metrics / sizeof *metrics)

struct callback_data {
  int site;
  const char *function;
  const void *parameters;
  void *result;
  const char *symbol;
};
typedef void (*callback)(void *user, int domain, uint32_t function,
                         const struct callback_data *data);

/* The state of the one process that loads the library. */
static callback subscribed;
static void *subscribed_user;
static bool host_is_broken, is_configured, is_started, is_decoded;
static int passes;
static size_t counted; /* kernels of this pass */

static bool is(const char *name) {
  const char *behaviour = getenv("FAKE_CUPTI");
  return !strcmp(behaviour ? behaviour : "honest", name);
}

static void say(const char *words) {
  const char *path = getenv("FAKE_CUPTI_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "%s\n", words);
  fclose(file);
}

/* The words of a block, after its size. */
static uintptr_t *words(void *block, size_t size) {
  return *(size_t *)block == size ? block : NULL;
}

static long find(const char *name) {
  for (size_t i = 0; i < METRICS && !is("knows_none"); i++)
    if (!strcmp(metrics[i].name, name)) return (long)i;
  return -1;
}

static void launched(void) {
  static const struct {
    unsigned grid[3], block[3], shared;
  } geometry = {{1000, 2, 1}, {128, 2, 1}, 4096};
  const struct { const void *geometry, *function; } parameters = {&geometry, &passes};
  const struct callback_data data = {0, "cuLaunchKernelEx", &parameters, NULL, "_Z5scalePKfPf"};
  counted += is_started;
  if (subscribed && !is("nothing")) subscribed(subscribed_user, 1, LAUNCH_EX, &data);
}

/* Has the driver say when a kernel is launched. */
static bool listen_to_driver(void) {
  union {
    void *address;
    fake_cuda_at_launches_function at_launches;
  } driver = {
      dlsym(dlopen(getenv("PAWL_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD), "fake_cuda_at_launches")};
  if (driver.address) driver.at_launches(launched);
  return driver.address;
}

API int cuptiGetVersion(uint32_t *version) {
  *version = 130001;
  return 0;
}
API int cuptiGetResultString(int result, const char **text) {
  *text = result == REFUSED ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : result == BUSY  ? "CUPTI_ERROR_HARDWARE_BUSY"
                            : "CUPTI_ERROR_OF_THE_FAKE";
  return 0;
}
API int cuptiSubscribe(void **subscriber, callback called, void *user) {
  *subscriber = &subscribed;
  subscribed = called;
  subscribed_user = user;
  return listen_to_driver() ? 0 : INVALID_OPERATION;
}
API int cuptiUnsubscribe(void *subscriber) {
  (void)subscriber;
  subscribed = NULL;
  return 0;
}
API int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t function) {
  (void)function;
  return enable == 1 && subscriber == &subscribed && domain == 1 ? 0 : INVALID_PARAMETER;
}
API int cuptiProfilerInitialize(void *block) { return words(block, 16) ? 0 : INVALID_PARAMETER; }
API int cuptiDeviceGetChipName(void *block) {
  if (!words(block, 32)) return INVALID_PARAMETER;
  words(block, 32)[3] = (uintptr_t) "GH100";
  return 0;
}
API int cuptiProfilerGetCounterAvailability(void *block) {
  uintptr_t *w = words(block, 40);
  if (!w || !w[2]) return INVALID_PARAMETER;
  if (is("refuses")) return REFUSED;
  w[3] = 100;
  return 0;
}
API int cuptiProfilerHostInitialize(void *block) {
  uintptr_t *w = words(block, 48);
  if (!w || strcmp((const char *)w[3], "GH100") != 0) return INVALID_PARAMETER;
  host_is_broken = false;
  w[5] = (uintptr_t)&host_is_broken;
  return 0;
}
API int cuptiProfilerHostDeinitialize(void *block) {
  return words(block, 24) ? 0 : INVALID_PARAMETER;
}
API int cuptiProfilerHostConfigAddMetrics(void *block) {
  uintptr_t *w = words(block, 40);
  if (!w || w[2] != (uintptr_t)&host_is_broken) return INVALID_PARAMETER;
  for (size_t i = 0; i < w[4]; i++)
    host_is_broken = host_is_broken || find(((const char **)w[3])[i]) < 0;
  return host_is_broken ? INVALID_PARAMETER : 0;
}
API int cuptiProfilerHostGetConfigImageSize(void *block) {
  uintptr_t *w = words(block, 32);
  if (!w) return INVALID_PARAMETER;
  w[3] = 64;
  return 0;
}
API int cuptiProfilerHostGetConfigImage(void *block) {
  uintptr_t *w = words(block, 40);
  if (!w || w[3] != 64 || !w[4]) return INVALID_PARAMETER;
  memset((void *)w[4], 1, 64);
  say("schedule");
  return 0;
}
API int cuptiProfilerHostEvaluateToGpuValues(void *block) {
  uintptr_t *w = words(block, 72);
  if (!w) return INVALID_PARAMETER;
  if (!is_decoded) return INVALID_OPERATION;
  for (size_t i = 0; i < w[7]; i++) {
    const char *name = ((const char **)w[6])[i];
    if (find(name) < 0) return INVALID_PARAMETER;
    ((double *)w[8])[i] = metrics[find(name)].value;
    say(name);
  }
  return 0;
}

API int cuptiRangeProfilerEnable(void *block) {
  uintptr_t *w = words(block, 32);
  if (!w || !w[2]) return INVALID_PARAMETER;
  if (is("busy")) return BUSY;
  if (is("refuses")) return REFUSED;
  w[3] = (uintptr_t)&passes;
  return 0;
}
API int cuptiRangeProfilerDisable(void *block) { return words(block, 24) ? 0 : INVALID_PARAMETER; }
API int cuptiRangeProfilerGetCounterDataSize(void *block) {
  uintptr_t *w = words(block, 64);
  if (!w || w[2] != (uintptr_t)&passes || !w[3] || !w[4] || w[5] < 1 || (uint32_t)w[6] < w[5])
    return INVALID_PARAMETER;
  w[7] = 200;
  return 0;
}
API int cuptiRangeProfilerCounterDataImageInitialize(void *block) {
  uintptr_t *w = words(block, 40);
  if (!w || w[3] != 200 || !w[4]) return INVALID_PARAMETER;
  memset((void *)w[4], 0, 200);
  return 0;
}
API int cuptiRangeProfilerSetConfig(void *block) {
  uintptr_t *w = words(block, 90);
  if (!w || w[3] != 64 || w[5] != 200) return INVALID_PARAMETER;
  if ((uint32_t)w[7] != 1 || (uint32_t)(w[7] >> 32) != 3)
    return INVALID_PARAMETER; /* auto ranges, the user's replay */
  is_configured = true;
  passes = 0;
  return 0;
}
API int cuptiRangeProfilerStart(void *block) {
  if (!words(block, 24)) return INVALID_PARAMETER;
  if (!is_configured || is_started) return INVALID_OPERATION;
  if (is("crashes")) abort();
  is_started = true;
  counted = 0;
  return 0;
}
API int cuptiRangeProfilerStop(void *block) {
  uintptr_t *w = words(block, 41);
  if (!w) return INVALID_PARAMETER;
  if (!is_started) return INVALID_OPERATION;
  say("pass");
  is_started = false;
  ((uint8_t *)w)[40] = ++passes == PASSES && !is("endless");
  return 0;
}
API int cuptiRangeProfilerDecodeData(void *block) {
  uintptr_t *w = words(block, 32);
  if (!w) return INVALID_PARAMETER;
  if (passes != PASSES) return INVALID_OPERATION;
  w[3] = 0;
  is_decoded = true;
  return 0;
}
#ifndef FAKE_CUPTI_OLDER
API int cuptiRangeProfilerGetCounterDataInfo(void *block) {
  uintptr_t *w = words(block, 40);
  if (!w) return INVALID_PARAMETER;
  w[4] = is("misses") ? 0 : counted;
  return 0;
}
#endif
