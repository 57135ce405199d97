/* SPDX-License-Identifier: Apache-2.0 */
/* The part of NVML, NVIDIA's management library, that pawl opens at run time. Numbers and
 * prototypes are those of the NVML API reference. Most functions may be absent or refuse; their
 * values are then unknown. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "device/device.h"

typedef struct pawl_nvml_device_object *pawl_nvml_device;

enum {
  PAWL_NVML_SUCCESS = 0,
  PAWL_NVML_NOT_SUPPORTED = 3,
  PAWL_NVML_NO_PERMISSION = 4,
  PAWL_NVML_INSUFFICIENT_SIZE = 7,
  PAWL_NVML_GPU_IS_LOST = 15,
  PAWL_NVML_CLOCK_SM = 1,
  PAWL_NVML_CLOCK_MEMORY = 2,
  PAWL_NVML_TEMPERATURE_GPU = 0,
  PAWL_NVML_POLICY_POWER = 0,
  PAWL_NVML_POLICY_THERMAL = 1,
  PAWL_NVML_UNCORRECTED = 1, /* memory errors that ECC could not correct */
  PAWL_NVML_SINCE_START = 0  /* since the driver started ("volatile") */
};

/* The reasons for a clock: a setting holds it, or it is lower than requested. */
enum {
  PAWL_NVML_CLOCK_SETTING = 0x2,
  PAWL_NVML_SW_POWER_CAP = 0x4,
  PAWL_NVML_HW_SLOWDOWN = 0x8,
  PAWL_NVML_SYNC_BOOST = 0x10,
  PAWL_NVML_SW_THERMAL_SLOWDOWN = 0x20,
  PAWL_NVML_HW_THERMAL_SLOWDOWN = 0x40,
  PAWL_NVML_HW_POWER_BRAKE = 0x80
};

struct pawl_nvml_violation {
  unsigned long long reference_us, violation_ns;
};

/* A process with a context on the GPU: nvmlProcessInfo_v2_t. Some drivers have another layout in
 * version 3. */
struct pawl_nvml_process {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

/* The functions: member, symbol, older symbol with the same prototype, whether pawl needs it,
 * parameters. */
#define PAWL_NVML_FUNCTIONS(F)                                                                    \
  F(init, "nvmlInit_v2", "nvmlInit", true, (void))                                                \
  F(shutdown, "nvmlShutdown", NULL, true, (void))                                                 \
  F(by_uuid, "nvmlDeviceGetHandleByUUID", NULL, true,                                             \
    (const char *uuid, pawl_nvml_device *device))                                                 \
  F(by_pci, "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId", true,            \
    (const char *id, pawl_nvml_device *device))                                                   \
  F(driver_version, "nvmlSystemGetDriverVersion", NULL, false, (char *text, unsigned size))       \
  F(clock, "nvmlDeviceGetClockInfo", NULL, false,                                                 \
    (pawl_nvml_device device, int type, unsigned *mhz))                                           \
  F(max_clock, "nvmlDeviceGetMaxClockInfo", NULL, false,                                          \
    (pawl_nvml_device device, int type, unsigned *mhz))                                           \
  F(temperature, "nvmlDeviceGetTemperature", NULL, false,                                         \
    (pawl_nvml_device device, int sensor, unsigned *celsius))                                     \
  F(power, "nvmlDeviceGetPowerUsage", NULL, false,                                                \
    (pawl_nvml_device device, unsigned *milliwatts))                                              \
  F(power_limit, "nvmlDeviceGetEnforcedPowerLimit", NULL, false,                                  \
    (pawl_nvml_device device, unsigned *milliwatts))                                              \
  F(event_reasons, "nvmlDeviceGetCurrentClocksEventReasons",                                      \
    "nvmlDeviceGetCurrentClocksThrottleReasons", false,                                           \
    (pawl_nvml_device device, unsigned long long *mask))                                          \
  F(violation, "nvmlDeviceGetViolationStatus", NULL, false,                                       \
    (pawl_nvml_device device, int policy, struct pawl_nvml_violation *out))                       \
  F(ecc, "nvmlDeviceGetEccMode", NULL, false,                                                     \
    (pawl_nvml_device device, int *current, int *pending))                                        \
  F(ecc_errors, "nvmlDeviceGetTotalEccErrors", NULL, false,                                       \
    (pawl_nvml_device device, int type, int counter, unsigned long long *count))                  \
  F(persistence, "nvmlDeviceGetPersistenceMode", NULL, false,                                     \
    (pawl_nvml_device device, int *mode))                                                         \
  F(default_power_limit, "nvmlDeviceGetPowerManagementDefaultLimit", NULL, false,                 \
    (pawl_nvml_device device, unsigned *milliwatts))                                              \
  F(mig_mode, "nvmlDeviceGetMigMode", NULL, false,                                                \
    (pawl_nvml_device device, unsigned *current, unsigned *pending))                              \
  F(processes, "nvmlDeviceGetComputeRunningProcesses_v2", NULL, false,                            \
    (pawl_nvml_device device, unsigned *count, struct pawl_nvml_process *processes))              \
  F(is_mig, "nvmlDeviceIsMigDeviceHandle", NULL, false, (pawl_nvml_device device, unsigned *yes)) \
  F(name, "nvmlDeviceGetName", NULL, false, (pawl_nvml_device device, char *text, unsigned size)) \
  F(mig_parent, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", NULL, false,                      \
    (pawl_nvml_device mig, pawl_nvml_device * device))                                            \
  F(lock_clock, "nvmlDeviceSetGpuLockedClocks", NULL, false,                                      \
    (pawl_nvml_device device, unsigned low, unsigned high))                                       \
  F(unlock_clock, "nvmlDeviceResetGpuLockedClocks", NULL, false, (pawl_nvml_device device))       \
  F(lock_memory, "nvmlDeviceSetMemoryLockedClocks", NULL, false,                                  \
    (pawl_nvml_device device, unsigned low, unsigned high))                                       \
  F(unlock_memory, "nvmlDeviceResetMemoryLockedClocks", NULL, false, (pawl_nvml_device device))

#define PAWL_NVML_MEMBER(NAME, SYMBOL, OLDER, NEEDED, PARAMETERS) int(*NAME) PARAMETERS;
struct pawl_nvml {
  void *library;                           /* NULL: not open */
  const char *(*error_string)(int result); /* NULL: absent */
  PAWL_NVML_FUNCTIONS(PAWL_NVML_MEMBER)
};
#undef PAWL_NVML_MEMBER

/* Opens and starts NVML: $PAWL_NVML_LIBRARY, else libnvidia-ml.so.1. PAWL_UNAVAILABLE says why
 * not. */
pawl_status pawl_nvml_open(struct pawl_nvml *out, struct pawl_error *err);
void pawl_nvml_release(struct pawl_nvml *nvml);

/* Finds a device by its UUID ("GPU-..." or "MIG-..."), else by its PCI address ("0000:1b:00.0").
 * Either may be NULL. *whole is the device itself. For a MIG slice it is the GPU, which alone has
 * clocks and power. */
pawl_status pawl_nvml_find(const struct pawl_nvml *nvml, const char *uuid, const char *pci,
                           pawl_nvml_device *device, pawl_nvml_device *whole,
                           struct pawl_error *err);

/* Reads the current clocks, temperature, power and reasons. Never fails: an unreadable value is
 * unknown. */
void pawl_nvml_read_state(const struct pawl_nvml *nvml, pawl_nvml_device device,
                          struct pawl_arena *arena, struct pawl_device_state *out);
/* Returns the reasons in a mask that slow work down, "sw_power_cap,hw_slowdown", or "". The low
 * clock of an idle GPU does not count. */
const char *pawl_nvml_slow_reasons(unsigned long long mask, struct pawl_arena *arena);
/* Returns why NVML lost the GPU of this UUID or cannot reach it, or NULL if it can. */
const char *pawl_nvml_lost(const struct pawl_nvml *nvml, const char *uuid,
                           struct pawl_arena *arena);
/* Adds driver, limits, ECC and MIG to a device that CUDA has described. */
void pawl_nvml_describe(const struct pawl_nvml *nvml, pawl_nvml_device device,
                        pawl_nvml_device whole, struct pawl_arena *arena, struct pawl_device *out);

/* Returns NVML's words for a result. */
const char *pawl_nvml_words(const struct pawl_nvml *nvml, int result);
