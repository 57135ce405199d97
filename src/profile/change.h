/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why one profile takes longer than another. It aligns their kernels and ranks what
   changed by the time that each change can explain. */
#pragma once

#include "base/memory.h"
#include "profile/profile.h"
#include "stats/sequential.h"

#define PAWL_CHANGE_TEXT 896

enum pawl_change_kind {
  PAWL_CHANGE_FINDING, /* a flaw (finding.h) that came, went, grew or shrank */
  PAWL_CHANGE_TIME,    /* a counter or a wait that costs time */
  PAWL_CHANGE_FACT     /* a counter without a time of its own: registers, hit rates, the launch */
};
const char *pawl_change_kind_name(enum pawl_change_kind kind);

/* One change. */
struct pawl_change {
  enum pawl_change_kind kind;
  char text[PAWL_CHANGE_TEXT]; /* "DRAM read 50.4 MB -> 71.2 MB (+41 %)" */
  /* the largest part of the time change that it alone can explain; positive if the candidate takes
     longer; NAN: no estimate */
  double seconds;
};

/* Two kernels that do the same work. One is NULL if the other has no partner. */
struct pawl_kernel_change {
  const struct pawl_profile_kernel *base, *candidate;
  double base_seconds, candidate_seconds; /* NAN: unknown; 0: no such kernel */
  /* findings, then times, then facts; each group has the largest share of the time change first */
  struct pawl_change *changes;
  size_t count;
};

struct pawl_profile_change {
  double base_seconds, candidate_seconds; /* the sums over all kernels */
  struct pawl_kernel_change *kernels;     /* the largest time change first */
  size_t count;
  /* the slow-down that the verdict's blocks measured; NAN: the caller has none */
  struct pawl_slowdown paired;
};

/* Two times that differ by a smaller share differ by noise, because a profile has one launch of
   each kernel, and its clocks are not locked. */
#define PAWL_PROFILE_NOISE 0.02

/* Aligns kernels by name and order. If names differ (templates, versions) and both profiles have
   the same number of kernels, it aligns the rest by order. */
void pawl_profile_compare(const struct pawl_profile *base, const struct pawl_profile *candidate,
                          struct pawl_arena *arena, struct pawl_profile_change *out);

/* Returns whether the profiles show the change that the blocks measured, so that the counters can
   explain shares of it. Both changes must differ by at most a third of the blocks' or by noise, or
   the profiles' change must be inside the interval. Returns true if there are no blocks. */
bool pawl_profile_reproduces(const struct pawl_profile_change *change);
