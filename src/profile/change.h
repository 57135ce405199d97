/* SPDX-License-Identifier: Apache-2.0 */
/* Why one profile takes longer than another: their kernels aligned, and what changed, ranked by the
   time that it can explain. */
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

/* One thing that changed. Seconds are positive where the candidate takes longer; NAN: no estimate.
 */
struct pawl_change {
  enum pawl_change_kind kind;
  char text[PAWL_CHANGE_TEXT]; /* "DRAM read 50.4 MB -> 71.2 MB (+41 %)" */
  double seconds;              /* It alone can explain at most this part of the time change. */
};

/* Two kernels that do the same work; one of them is NULL where the other has no partner. */
struct pawl_kernel_change {
  const struct pawl_profile_kernel *base, *candidate;
  double base_seconds, candidate_seconds; /* NAN: unknown; 0: there is no such kernel */
  struct pawl_change
      *changes; /* findings, times, facts; in each the largest share of the time change first */
  size_t count;
};

struct pawl_profile_change {
  double base_seconds, candidate_seconds; /* the sums over all kernels */
  struct pawl_kernel_change *kernels;     /* the largest time change first */
  size_t count;
  struct pawl_slowdown
      paired; /* the slow-down that the verdict's blocks measured; NAN: the caller has none */
};

/* Times that differ by less are noise: one launch of each, and clocks that are not locked. */
#define PAWL_PROFILE_NOISE 0.02

/* Kernels align by name and order; where the names differ (templates, versions) and both have as
   many kernels, by order. */
void pawl_profile_compare(const struct pawl_profile *base, const struct pawl_profile *candidate,
                          struct pawl_arena *arena, struct pawl_profile_change *out);

/* Whether the profile shows the change that the blocks measured, so that its counters can explain
   shares of it: the two differ by at most a third, or by no more than noise, or the profile's lies
   inside the interval. True without blocks.
 */
bool pawl_profile_reproduces(const struct pawl_profile_change *change);
