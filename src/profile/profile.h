/* SPDX-License-Identifier: Apache-2.0 */
/* A profile holds the counters of the kernels of one call. An unknown counter is NAN, never 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "build/code_samples.h"

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
  const char *key;   /* its name in JSON */
  const char *label; /* its name in reports */
  enum pawl_unit unit;
  const char *names[PAWL_COUNTER_NAMES]; /* in Nsight Compute; unused entries are NULL */
};
extern const struct pawl_counter_info pawl_counter_infos[PAWL_COUNTERS];

/* Returns whether the GPU counts it. Nsight Compute computes the other names itself, or takes them
   from the launch. */
bool pawl_is_metric(const char *name);

enum pawl_stall {
#define STALL(ID, WORD, FOR, REMEDY) PAWL_STALL_##ID,
#include "profile/stalls.inc"
#undef STALL
  PAWL_STALLS
};
struct pawl_stall_info {
  const char *word;     /* its name in Nsight Compute */
  const char *wait_for; /* completes "a warp waits for" */
  const char *remedy;
};
extern const struct pawl_stall_info pawl_stall_infos[PAWL_STALLS];

/* Writes the name of Nsight Compute's metric for a stall: the number of waiting warps per issue.
   Returns `out`. */
#define PAWL_STALL_METRIC 128
const char *pawl_stall_metric(enum pawl_stall stall, char out[PAWL_STALL_METRIC]);

/* One kernel of the call. */
struct pawl_profile_kernel {
  const char *name;
  double values[PAWL_COUNTERS];
  /* shares of all warp time, 0..1; known shares add up to 1 */
  double stalls[PAWL_STALLS];
};

struct pawl_profile {
  const char *source; /* the origin of the profile */
  /* name and version; NULL: unknown, because pawl read the profile from a file */
  const char *profiler;
  const char *gpu, *capability; /* "NVIDIA H200", "9.0"; NULL: unknown */
  /* why counters of the processor are unknown; NULL: they are known, or the profile is of a GPU */
  const char *missing;
  struct pawl_code_samples samples; /* no items: nobody sampled the program counter */
  const char *no_samples;           /* why the profiler took no samples; NULL: it did, or cannot */
  struct pawl_profile_kernel *kernels; /* in the order of their launches */
  size_t count;
};

/* Returns whether a kernel is pawl's own, such as the spin of a cover. A profile leaves it out. */
bool pawl_is_own_kernel(const char *name);

/* Returns the kernel that takes the most time, or NULL if there is none. */
const struct pawl_profile_kernel *pawl_profile_longest(const struct pawl_profile *profile);

/* One stall of a kernel. The share is 0 if it is unknown. */
struct pawl_stall_share {
  enum pawl_stall stall;
  double share;
};
/* Lists the stalls of a kernel, the largest share first. */
void pawl_profile_stalls(const struct pawl_profile_kernel *kernel,
                         struct pawl_stall_share out[PAWL_STALLS]);
