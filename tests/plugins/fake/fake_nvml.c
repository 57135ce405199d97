/* SPDX-License-Identifier: Apache-2.0 */
/* NVML without a GPU, for tests. FAKE_NVML_LOG: a file that gets one line for each clock locked or
   freed. FAKE_NVML_REASONS: the mask of clock-event reasons. FAKE_NVML_THROTTLED: a file with the
   number of readings that still say that the clock is slowed down. FAKE_NVML_CONDITIONS: what is
   not as it should be, separated by spaces: no_persistence low_power ecc_pending ecc_errors mig
   mig_pending processes many_processes. FAKE_NVML_FAULT makes it fail: init unknown lost
   no_permission unlock */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_lost.h"

#define API __attribute__((visibility("default")))
#define NOT_SUPPORTED 3
#define GPU_IS_LOST 15

struct device {
  const char *uuid, *pci;
};
/* The last of CUDA is the first here. */
static struct device devices[] = {{"GPU-ab000000-0000-0000-0000-000000000003", "0000:04:00.0"},
                                  {"GPU-ab000000-0000-0000-0000-000000000002", "0000:03:00.0"},
                                  {"GPU-ab000000-0000-0000-0000-000000000001", "0000:02:00.0"},
                                  {"GPU-ab000000-0000-0000-0000-000000000000", "0000:01:00.0"}};

static int cuda_number(const struct device *device) { return 3 - (int)(device - devices); }

static bool fault(const char *name) {
  const char *wanted = getenv("FAKE_NVML_FAULT");
  return wanted && !strcmp(wanted, name);
}
static bool planted(const char *condition) {
  const char *list = getenv("FAKE_NVML_CONDITIONS");
  const size_t length = strlen(condition);
  for (const char *word = list; word && *word;
       word += strcspn(word, " "), word += strspn(word, " "))
    if (strcspn(word, " ") == length && !strncmp(word, condition, length)) return true;
  return false;
}
static int reading(void) {
  return fault("unknown") ? NOT_SUPPORTED : fault("lost") ? GPU_IS_LOST : 0;
}
static void note(const char *what, const struct device *device) {
  const char *path = getenv("FAKE_NVML_LOG");
  FILE *file = path ? fopen(path, "ae") : NULL;
  if (!file) return;
  fprintf(file, "%s %s\n", what, device->uuid);
  fclose(file);
}
static int find(const char *text, struct device **out) {
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    if (strcmp(devices[i].uuid, text) != 0 && strcmp(devices[i].pci, text) != 0) continue;
    if (cuda_number(&devices[i]) >= fake_gpu_count()) break;
    if (fake_is_lost(cuda_number(&devices[i]))) return GPU_IS_LOST;
    *out = &devices[i];
    return 0;
  }
  return 6;
}

API int nvmlInit_v2(void) { return fault("init") ? 9 : 0; }
API int nvmlShutdown(void) { return 0; }
API const char *nvmlErrorString(int result) {
  return result == 4    ? "Insufficient Permissions"
         : result == 9  ? "Driver Not Loaded"
         : result == 15 ? "GPU is lost"
                        : "Some Error";
}
API int nvmlDeviceGetHandleByUUID(const char *uuid, struct device **out) { return find(uuid, out); }
API int nvmlDeviceGetHandleByPciBusId_v2(const char *id, struct device **out) {
  return find(id, out);
}
API int nvmlSystemGetDriverVersion(char *text, unsigned size) {
  snprintf(text, size, "580.159.04");
  return reading();
}
/* Each GPU reads differently: device 0 of CUDA 1980 MHz, device 1 1981 MHz, and so on. */
API int nvmlDeviceGetClockInfo(struct device *device, int type, unsigned *mhz) {
  *mhz = type == 1 ? 1980 + (unsigned)cuda_number(device) : 3201;
  return reading();
}
API int nvmlDeviceGetMaxClockInfo(struct device *device, int type, unsigned *mhz) {
  (void)device;
  *mhz = type == 1 ? 1980 : 3201;
  return reading();
}
API int nvmlDeviceGetTemperature(struct device *device, int sensor, unsigned *celsius) {
  (void)device, (void)sensor;
  *celsius = 41;
  return reading();
}
API int nvmlDeviceGetPowerUsage(struct device *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 123456;
  return reading();
}
API int nvmlDeviceGetEnforcedPowerLimit(struct device *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = planted("low_power") ? 550000 : 700000;
  return reading();
}
API int nvmlDeviceGetPowerManagementDefaultLimit(struct device *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 700000;
  return reading();
}
API int nvmlDeviceGetPersistenceMode(struct device *device, int *mode) {
  (void)device;
  *mode = !planted("no_persistence");
  return reading();
}
API int nvmlDeviceGetEccMode(struct device *device, int *current, int *pending) {
  (void)device;
  *current = 1, *pending = !planted("ecc_pending");
  return reading();
}
API int nvmlDeviceGetTotalEccErrors(struct device *device, int type, int counter,
                                    unsigned long long *count) {
  (void)device;
  *count = type != 1 || counter != 0 ? 1000
           : planted("ecc_errors")   ? 3
                                     : 0; /* corrected ones do no harm */
  return reading();
}
API int nvmlDeviceGetMigMode(struct device *device, unsigned *current, unsigned *pending) {
  (void)device;
  *current = planted("mig");
  *pending = planted("mig") || planted("mig_pending");
  return reading();
}
struct process {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};
/* Process 1 and one that is not there. */
API int nvmlDeviceGetComputeRunningProcesses_v2(struct device *device, unsigned *count,
                                                struct process *processes) {
  const unsigned found = planted("many_processes") ? 65 : planted("processes") ? 2 : 0;
  const bool room = *count >= found;
  (void)device;
  *count = found;
  if (!room) return 7;
  for (unsigned i = 0; i < found; i++) processes[i] = (struct process){.pid = i ? 4000000000u : 1};
  return reading();
}
/* Whether this reading is one of those; one less to come. */
static bool throttled(void) {
  const char *path = getenv("FAKE_NVML_THROTTLED");
  FILE *file = path ? fopen(path, "r+e") : NULL;
  int left = 0;
  if (!file) return false;
  if (fscanf(file, "%d", &left) == 1 && left > 0) {
    rewind(file);
    fprintf(file, "%-8d", left - 1);
  }
  fclose(file);
  return left > 0;
}
/* Only the older name of this function: drivers before 535 have no other. */
API int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *device, unsigned long long *mask) {
  (void)device;
  const char *reasons = getenv("FAKE_NVML_REASONS");
  *mask = throttled() ? 0x8 : reasons ? strtoull(reasons, NULL, 0) : 0;
  return reading();
}
struct violation {
  unsigned long long reference_us, violation_ns;
};
API int nvmlDeviceGetViolationStatus(struct device *device, int policy, struct violation *out) {
  (void)device;
  *out = (struct violation){1, policy == 0 ? 2500000000u : 0};
  return reading();
}
API int nvmlDeviceSetGpuLockedClocks(struct device *device, unsigned low, unsigned high) {
  if (fault("no_permission")) return 4;
  if (low != 0xffffff01u || high != low) return 2;
  note("lock", device);
  return 0;
}
API int nvmlDeviceResetGpuLockedClocks(struct device *device) {
  if (fault("unlock")) return 999;
  note("unlock", device);
  return 0;
}
