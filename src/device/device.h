/* SPDX-License-Identifier: Apache-2.0 */
/* A device of this machine, and the interface that its back end offers. */
#ifndef PAWL_DEVICE_DEVICE_H
#define PAWL_DEVICE_DEVICE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "pawl/tensor.h"

/* What a device is. Unknown numbers are NaN or -1, unknown strings NULL. */
struct pawl_device {
  int32_t kind; /* enum pawl_device_kind */
  int index;
  const char *name; /* "Intel(R) Xeon(R) Processor @ 2.80GHz", "NVIDIA H200" */
  const char *uuid; /* GPU */
  int units;        /* CPUs this process may use, or SMs */
  int64_t memory_bytes, last_level_cache_bytes;
  const char *arch; /* "sm_90a"; "x86-64 avx512f avx2 fma" */
  const char *driver;
  /* GPU only */
  const char *mig; /* the slice, "1g.18gb"; NULL: the whole GPU */
  int ecc;         /* 0, 1; -1: unknown */
  int bus_bits;    /* width of the memory bus; -1: unknown */
  double power_limit_w, max_frequency_mhz, max_memory_frequency_mhz;
};

/* A device of which nothing is known but its kind. */
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

/* Identity for baselines: what must be the same for two numbers to be comparable, stable over
   reboots: "cpu Intel(R) Xeon(R) Processor @ 2.80GHz, 2 CPUs, 23 GiB"; a GPU adds SMs, memory, MIG
   and power limit. */
void pawl_device_identity(const struct pawl_device *device, struct pawl_text *out);

/* One reading of what disturbs a measurement; a field that cannot be read stays NaN. */
struct pawl_device_state {
  double frequency_mhz, memory_frequency_mhz, temperature_c, power_w;
  double load_1m;    /* CPU: load average of the last minute */
  double other_busy; /* CPU: CPUs' worth of time that other processes used over a moment (20 ms)
                        just now */
  const char
      *event_reasons; /* GPU: clock-event reasons that slow work down; NULL: unknown, "": none */
  double power_capped_s, heat_capped_s; /* GPU: seconds so far in which power or heat held the
                                           clocks down: the difference of two readings tells whether
                                           a block between them was throttled */
};

static inline struct pawl_device_state pawl_device_state_unknown(void) {
  return (struct pawl_device_state){NAN, NAN, NAN, NAN, NAN, NAN, NULL, NAN, NAN};
}

/* The peaks that bound a kernel: a CPU's are measured; a GPU's are computed from its units, clocks
   and bus, because none of its kernels may be timed beyond them. NaN: unknown. */
struct pawl_device_limits {
  double gflops; /* FMA peak over all units for the dtype asked */
  double bandwidth_gb_s;
  const char *source; /* how the numbers came about, for reports */
};

/* A search for devices that goes on beside other work; zero: none has begun. */
struct pawl_device_search {
  bool begun;
  pid_t pid; /* the child that looks */
  int fd;    /* its answer */
  bool answered;
};

struct pawl_device_backend {
  int32_t kind;
  const char *name;
  /* Begins to look for devices, where that takes long; `search` is released in the end. NULL: it
   * does not. */
  void (*begin)(struct pawl_device_search *search);
  /* It may end beside what the caller does before it releases the search. */
  void (*dismiss)(struct pawl_device_search *search);
  void (*release)(struct pawl_device_search *search);
  /* Lists the devices; none is no error: *count = 0 and `reason` says why ("no NVIDIA driver:
     libcuda.so.1: ..."). With some, `reason` is NULL or says what cannot be read of them ("no NVML:
     ..."). `search`: begun before; NULL: the list has its own. */
  pawl_status (*list)(struct pawl_device_search *search, struct pawl_arena *arena,
                      struct pawl_device **devices, int *count, const char **reason,
                      struct pawl_error *err);
  pawl_status (*state)(const struct pawl_device *device, struct pawl_arena *arena,
                       struct pawl_device_state *out, struct pawl_error *err);
  /* Measures in well under a second; cached in `cache_folder` when it is not NULL. */
  pawl_status (*limits)(const struct pawl_device *device, int32_t dtype, const char *cache_folder,
                        struct pawl_arena *arena, struct pawl_device_limits *out,
                        struct pawl_error *err);
  /* Why a device that was listed does not work any more, so that what failed on it is nobody else's
     fault; NULL: it works, as far as can be told. NULL for devices that cannot be lost. */
  const char *(*lost)(const struct pawl_device *device, struct pawl_arena *arena);
};

json_t *pawl_device_to_json(const struct pawl_device *device);
json_t *pawl_device_state_to_json(const struct pawl_device_state *state);

#endif
