/* SPDX-License-Identifier: Apache-2.0 */
/* The claims that follow from the blocks of a sweep: how much faster a kernel is than a reference.

   A block is one replicate: one process of each arm that measures no other block of the point, in
   interleaved rounds. It gives one ratio of two arms (measure/round_ratio.h). The speed-up of a
   kernel over a reference is the median of the ratios, reference's time over kernel's time. Its
   interval has order statistics as its ends (stats/process_interval.h). All intervals of the folder
   hold together: any of them misses its median with a probability of at most 5 %, whatever the
   distributions are and however they depend on each other. So each interval has the confidence 1 -
   5 % / intervals (Dunn, "Multiple comparisons among means", JASA 56, 1961). */
#pragma once

#include "sweep/sweep.h"

enum pawl_sweep_verdict {
  PAWL_SWEEP_UNDECIDED = 0, /* the interval includes 1, or there are too few blocks */
  PAWL_SWEEP_FASTER,
  PAWL_SWEEP_SLOWER,
  PAWL_SWEEP_FAILED /* an arm is wrong, crashes or refuses the shape */
};
#define PAWL_SWEEP_VERDICTS (PAWL_SWEEP_FAILED + 1)
const char *pawl_sweep_verdict_name(enum pawl_sweep_verdict verdict);

/* The power with which a claim detects its `detectable`. */
#define PAWL_SWEEP_POWER 0.9

/* One kernel beside one reference at one point. Unknown numbers are NaN. */
struct pawl_sweep_claim {
  const char *kernel, *reference, *case_name, *device;
  enum pawl_sweep_verdict verdict;
  const char *reason;             /* why it is UNDECIDED or FAILED; NULL else */
  size_t blocks;                  /* that count */
  double kernel_ms, reference_ms; /* the medians over the blocks */
  double speedup, low, high;      /* reference_ms / kernel_ms */
  double cliffs_delta;            /* over all samples; above 0: the kernel is faster */
  double block_sd;                /* the sd of the logarithms of the ratios */
  /* the least relative difference that these blocks detect with PAWL_SWEEP_POWER: (z + 1.282) *
     1.2533 * block_sd / sqrt(blocks), where z is the normal quantile of the interval, and 1.2533
     the standard error of a median over that of a mean */
  double detectable;
  /* the factor by which the kernel's times count longer, because its calls on new inputs take
     longer beside those of the reference; 1: they do not */
  double charged;
  /* [blocks] the logarithms of the speed-ups of the blocks, for pictures */
  const double *block_ratios;
};

/* One arm at one point. */
struct pawl_sweep_time {
  const struct pawl_sweep_point *point; /* not in claims.json */
  const char *arm, *case_name, *device;
  enum pawl_outcome outcome;
  const char *reason;
  size_t blocks;
  double median_ms, low_ms, high_ms; /* over the blocks */
  double gflops, gb_s;               /* the rates of the median, by the compulsory bytes */
  const char *limit;                 /* "compute", "memory"; NULL: unknown */
  double limit_pct;                  /* the share of the limit that binds */
  const char *warning;               /* why the share is an error: pawl_roofline_error() */
};

/* One kernel beside one reference over all points of a device that have a speed-up. */
struct pawl_sweep_mean {
  const char *kernel, *reference, *device;
  size_t points, faster, slower, undecided, failed;
  size_t blocks; /* the blocks of each point that the interval uses */
  /* the geometric mean of the speed-ups; the interval is that of the median over the blocks of the
     geometric mean of a block of each point */
  double speedup, low, high;
};

struct pawl_sweep_claims {
  struct pawl_sweep_claim *claims;
  size_t claim_count;
  struct pawl_sweep_time *times;
  size_t time_count;
  struct pawl_sweep_mean *means;
  size_t mean_count;
  size_t complete;   /* points whose claims have the wanted precision, or all their blocks */
  double confidence; /* each claim and each mean has an interval of this confidence */
};

/* Returns the number of claims and means that the plan leads to. */
size_t pawl_sweep_count_intervals(const struct pawl_sweep_plan *plan);
/* Returns the least number of blocks of a point with which its claims have intervals. */
size_t pawl_sweep_least_blocks(const struct pawl_sweep_plan *plan);

/* Computes everything from the plan and the blocks. The same sweep gives the same numbers. Strings
   and lists live in the arena. Fails with PAWL_BAD_DATA if a block contradicts the plan. */
pawl_status pawl_sweep_claim(const struct pawl_sweep *sweep, struct pawl_arena *arena,
                             struct pawl_sweep_claims *out, struct pawl_error *err);

/* Returns whether claims compare the kernel with the reference. Without a reference for its
   operator and kind of device, the first kernel there serves as one. */
bool pawl_sweep_compares(const struct pawl_sweep_plan *plan, const struct pawl_sweep_arm *kernel,
                         const struct pawl_sweep_arm *reference);

/* Estimates the blocks that a point still needs. 0: its claims have the wanted precision or failed,
   or it has as many blocks as the plan allows. */
pawl_status pawl_sweep_point_left(const struct pawl_sweep *sweep, size_t point, size_t *left,
                                  struct pawl_error *err);

struct pawl_fresh_calls; /* measure/integrity/fresh_pairs.h */
/* Adds the pairs on new inputs of one timing, in the arena. */
void pawl_sweep_add_fresh(struct pawl_fresh_calls *calls, const struct pawl_sweep_timing *timing,
                          struct pawl_arena *arena);

/* claims.json and its lists */
extern const struct pawl_fields pawl_sweep_claims_fields, pawl_sweep_claim_fields,
    pawl_sweep_time_fields, pawl_sweep_mean_fields;
