/* SPDX-License-Identifier: Apache-2.0 */
/* A profile holds the counters of the kernels of one call. An unknown counter is NAN, never 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum pawl_counter {
#define COUNTER(ID, ...) PAWL_COUNTER_##ID,
#include "profile/counters.inc"
#undef COUNTER
  PAWL_COUNTERS
};

enum pawl_unit {
  PAWL_UNIT_SECONDS,
  PAWL_UNIT_HERTZ,
  PAWL_UNIT_BYTES,
  PAWL_UNIT_PERCENT,
  PAWL_UNIT_COUNT
};

#define PAWL_COUNTER_NAMES 4
struct pawl_counter_info {
  const char *key;   /* in JSON */
  const char *label; /* for people */
  enum pawl_unit unit;
  const char *names[PAWL_COUNTER_NAMES]; /* Nsight Compute's; unused ones are NULL */
};
extern const struct pawl_counter_info pawl_counter_infos[PAWL_COUNTERS];

enum pawl_stall {
#define STALL(ID, WORD, FOR, REMEDY) PAWL_STALL_##ID,
#include "profile/stalls.inc"
#undef STALL
  PAWL_STALLS
};
struct pawl_stall_info {
  const char *word;     /* Nsight Compute's */
  const char *wait_for; /* It completes "a warp waits for". */
  const char *remedy;
};
extern const struct pawl_stall_info pawl_stall_infos[PAWL_STALLS];

/* The name of the metric in Nsight Compute: warps that wait for each issue. Returns `out`. */
#define PAWL_STALL_METRIC 128
const char *pawl_stall_metric(enum pawl_stall stall, char out[PAWL_STALL_METRIC]);

/* One kernel of the call. */
struct pawl_profile_kernel {
  const char *name;
  double values[PAWL_COUNTERS];
  double
      stalls[PAWL_STALLS]; /* shares of all warp time, 0..1; they add up to 1 when they are known */
};

struct pawl_profile {
  const char *source;   /* where it was read from */
  const char *profiler; /* its name and version; NULL: unknown, the profile was read from a file */
  const char *gpu, *capability; /* "NVIDIA H200", "9.0"; NULL: unknown */
  const char
      *missing; /* why counters of the processor are unknown; NULL: they are known, or a GPU's */
  struct pawl_profile_kernel *kernels; /* in the order of their launches */
  size_t count;
};

/* Whether a kernel is pawl's own, such as the one that covers the host's work: no part of a
 * profile. */
bool pawl_is_own_kernel(const char *name);

/* The kernel that takes the most time; NULL: there is none. */
const struct pawl_profile_kernel *pawl_profile_longest(const struct pawl_profile *profile);

/* The stalls of a kernel, the largest share first; 0 where it is unknown. */
struct pawl_stall_share {
  enum pawl_stall stall;
  double share;
};
void pawl_profile_stalls(const struct pawl_profile_kernel *kernel,
                         struct pawl_stall_share out[PAWL_STALLS]);
