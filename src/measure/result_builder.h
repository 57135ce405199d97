/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the result of one kernel and case from its blocks. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "measure/bench_options.h"
#include "model/result.h"
#include "oracle/oracle.h"

/* The key in a result's environment of the CPUs that its processes used while calls were timed. */
#define PAWL_CPUS_USED "cpus_used"

struct pawl_result_builder {
  const struct pawl_problem *problem;
  const struct pawl_bench_options *options;
  struct pawl_device_limits limits; /* the peaks; NaN: unknown */
  struct pawl_arena *arena;
  struct pawl_result result;
  enum pawl_isolation isolation; /* the weakest of all blocks */
  unsigned bounds;               /* enum pawl_bounds that all blocks had */
  /* in some block, the GPU could not exchange elements behind the flush */
  bool early;
  bool ahead; /* its inputs were in place before its timed calls */
  /* in some block, threads of the kernel ran while its inputs changed */
  bool unfrozen;
  size_t charged; /* samples whose beginning pawl missed: struct pawl_arm_block */
  /* the states around the blocks that count, or around all if none does */
  struct pawl_device_state first, last;
  double hottest_c;
  int throttled; /* blocks that do not count because the device was throttled */
  const char *throttle_reason;
  bool late;   /* the deadline prevented some processes */
  int held_up; /* blocks that do not count because other programs delayed the calls */
  /* those blocks, in case too few others come; then `held_up_count` of them count */
  struct pawl_block *held;
  int held_up_count;
  bool counts_held_up;
  /* the medians of the processes' shortest possible times, in milliseconds */
  double *least_ms;
  /* the largest factor by which pawl lengthened the times of a block; 0: none */
  double fresh_times;
  int fresh_pairs;       /* pairs of calls on usual and fresh inputs */
  double *fresh_seconds; /* their times, first those on usual inputs */
  /* the two least ratios of fresh to usual calls; INFINITY: none */
  double fresh_ratio[2];
  /* the least time of a single call on usual inputs; INFINITY: none */
  double alone_seconds;
  size_t waited;     /* samples in which the device may have waited for the host */
  double other_busy; /* the most CPUs that others used in a block; NaN: unknown */
  /* the sum over blocks of the CPUs that this program and its worker used; NaN: unknown */
  double own_busy;
};

void pawl_result_builder_init(struct pawl_result_builder *builder,
                              const struct pawl_problem *problem,
                              const struct pawl_bench_options *options, struct pawl_arena *arena);
/* Adds one arm of the block, and takes its environment. Returns false if the block does not count,
 * because it was throttled or other programs delayed its calls. Then measure another block. */
bool pawl_result_builder_add(struct pawl_result_builder *builder, struct pawl_block *block,
                             int arm);
/* Lets blocks that other programs held up count from now on, also at most `most` earlier ones.
 * Returns how many earlier ones count now, and adds their samples to *samples. */
int pawl_result_builder_take_held_up(struct pawl_result_builder *builder, int most, int *samples);
pawl_status pawl_result_builder_finish(struct pawl_result_builder *builder, struct pawl_result *out,
                                       struct pawl_error *err);
/* Releases a builder that is not finished. */
void pawl_result_builder_release(struct pawl_result_builder *builder);

/* Rounds a sample to the nanosecond, so that it is free of binary noise; below 10 us to the
 * picosecond. */
double pawl_sample_ms(double seconds);
