/* SPDX-License-Identifier: Apache-2.0 */
/* A device of this machine, and the interface that its back end offers. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "pawl/tensor.h"

/* Unknown numbers are NaN or -1, unknown strings NULL. */
struct pawl_device {
  int32_t kind; /* enum pawl_device_kind */
  int index;
  const char *name; /* "Intel(R) Xeon(R) Processor @ 2.80GHz", "NVIDIA H200" */
  const char *uuid; /* GPU */
  int units;        /* CPUs that this process may use, or SMs */
  int64_t memory_bytes, last_level_cache_bytes;
  const char *arch; /* "sm_90a"; "x86-64 avx512f avx2 fma" */
  const char *driver;
  /* for a GPU only */
  const char *mig; /* the slice, "1g.18gb"; NULL: the whole GPU */
  int ecc;         /* 0, 1; -1: unknown */
  int bus_bits;    /* width of the memory bus; -1: unknown */
  double power_limit_w, max_frequency_mhz, max_memory_frequency_mhz;
};

/* Makes a device with its kind alone. */
static inline struct pawl_device pawl_device_unknown(int32_t kind) {
  return (struct pawl_device){.kind = kind,
                              .units = -1,
                              .memory_bytes = -1,
                              .last_level_cache_bytes = -1,
                              .ecc = -1,
                              .bus_bits = -1,
                              .power_limit_w = NAN,
                              .max_frequency_mhz = NAN,
                              .max_memory_frequency_mhz = NAN};
}

/* Writes the identity for baselines: "cpu Intel(R) Xeon(R) Processor @ 2.80GHz, 2 CPUs, 23 GiB". A
 * GPU adds SMs, memory, MIG and power limit. Two numbers with the same identity are comparable,
 * also after a reboot. */
void pawl_device_identity(const struct pawl_device *device, struct pawl_text *out);

/* One reading of everything that disturbs a measurement. An unreadable field stays NaN. */
struct pawl_device_state {
  double frequency_mhz, memory_frequency_mhz, temperature_c, power_w;
  double load_1m; /* CPU: load average of the last minute */
  /* CPU: the number of CPUs whose time other processes used in the last 20 ms */
  double other_busy;
  /* GPU: clock-event reasons that slow work down; NULL: unknown; "": none */
  const char *event_reasons;
  /* GPU: seconds so far in which power or heat held the clocks down; two readings tell whether a
   * block between them was throttled */
  double power_capped_s, heat_capped_s;
};

static inline struct pawl_device_state pawl_device_state_unknown(void) {
  return (struct pawl_device_state){NAN, NAN, NAN, NAN, NAN, NAN, NULL, NAN, NAN};
}

/* The peaks that bound a kernel; NaN: unknown. pawl measures a CPU's peaks. It computes a GPU's
 * peaks from units, clocks and bus, so no kernel can exceed them. */
struct pawl_device_limits {
  double gflops; /* FMA peak over all units for the requested dtype */
  double bandwidth_gb_s;
  const char *source; /* where the numbers come from, for reports */
};

/* A search for devices beside other work. Zero means that it has not begun. */
struct pawl_device_search {
  bool begun;
  pid_t pid; /* the child that searches */
  int fd;    /* the child's answer */
  bool answered;
};

struct pawl_device_backend {
  int32_t kind;
  const char *name;
  /* begins a search that takes long, which the caller releases; NULL: no search takes long */
  void (*begin)(struct pawl_device_search *search);
  /* lets the search end while the caller does other work before the release */
  void (*dismiss)(struct pawl_device_search *search);
  void (*release)(struct pawl_device_search *search);
  /* Lists the devices. Without a device, *count is 0 and `reason` says why ("no NVIDIA driver:
   * libcuda.so.1: ..."); that is no error. Else `reason` is NULL or names the unreadable part ("no
   * NVML: ..."). `search` began before; if it is NULL, the list makes its own. */
  pawl_status (*list)(struct pawl_device_search *search, struct pawl_arena *arena,
                      struct pawl_device **devices, int *count, const char **reason,
                      struct pawl_error *err);
  pawl_status (*state)(const struct pawl_device *device, struct pawl_arena *arena,
                       struct pawl_device_state *out, struct pawl_error *err);
  /* takes well under a second; keeps the result in `cache_folder`, which may be NULL. The peaks of
   * a CPU are those of `threads` threads. */
  pawl_status (*limits)(const struct pawl_device *device, int32_t dtype, int threads,
                        const char *cache_folder, struct pawl_arena *arena,
                        struct pawl_device_limits *out, struct pawl_error *err);
  /* returns why a listed device does not work any more, so pawl blames nothing else, or NULL; the
   * member is NULL for devices that cannot be lost */
  const char *(*lost)(const struct pawl_device *device, struct pawl_arena *arena);
};

json_t *pawl_device_to_json(const struct pawl_device *device);
json_t *pawl_device_state_to_json(const struct pawl_device_state *state);
