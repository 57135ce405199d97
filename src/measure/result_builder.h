/* SPDX-License-Identifier: Apache-2.0 */
/* From the blocks of one kernel and case to the numbers of its result. */
#ifndef PAWL_MEASURE_RESULT_BUILDER_H
#define PAWL_MEASURE_RESULT_BUILDER_H

#include "base/error.h"
#include "base/memory.h"
#include "measure/bench_options.h"
#include "model/result.h"
#include "oracle/oracle.h"

/* Of a result's environment: CPUs' worth of time that its processes used while calls were timed. */
#define PAWL_CPUS_USED "cpus_used"

struct pawl_result_builder {
  const struct pawl_problem *problem;
  const struct pawl_bench_options *options;
  struct pawl_arena *arena;
  struct pawl_result result;
  enum pawl_isolation isolation; /* the least of all blocks */
  unsigned bounds;               /* enum pawl_bounds: what all blocks had */
  bool early;     /* of some block: unseen inputs changed before the caches were flushed */
  bool unfrozen;  /* of some block: its threads ran on while its inputs changed */
  size_t charged; /* samples that pawl did not see begin: see pawl_arm_block */
  struct pawl_device_state first, last; /* of the blocks that count, or of all when none does */
  double hottest_c;
  int throttled; /* blocks left out because the device was throttled */
  const char *throttle_reason;
  bool late;             /* the deadline left processes out */
  int held_up;           /* blocks left out because other programs held up the calls */
  double fresh_times;    /* the times of some block count so many times as long; 0: of none */
  int fresh_pairs;       /* of calls on inputs as timed, and on ones that the kernel had not seen */
  double fresh_ratio[2]; /* how much longer the unseen took: the two least of all pairs; INFINITY:
                             none */
  double alone_seconds;  /* the least of the calls on inputs as timed, each taken alone; INFINITY:
                            none */
  size_t waited;         /* samples in which the device may have waited for the host */
  double other_busy;     /* most CPUs' worth that others used in a block; NaN: unknown */
  double own_busy; /* the sum over blocks of what this program and its worker used; NaN: unknown */
};

void pawl_result_builder_init(struct pawl_result_builder *builder,
                              const struct pawl_problem *problem,
                              const struct pawl_bench_options *options, struct pawl_arena *arena);
/* Adds what one arm of the block did, and takes its environment. False: the block was throttled, or
   other programs held up its calls, and it does not count; measure another in its place. */
bool pawl_result_builder_add(struct pawl_result_builder *builder, struct pawl_block *block,
                             int arm);
pawl_status pawl_result_builder_finish(struct pawl_result_builder *builder, struct pawl_result *out,
                                       struct pawl_error *err);
/* Of a builder that is not finished. */
void pawl_result_builder_release(struct pawl_result_builder *builder);

/* A sample as it is kept: to the nanosecond, which is free of binary noise, or, below 10 us, to the
 * picosecond. */
double pawl_sample_ms(double seconds);

/* Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009:
   attainable FLOP/s is the smaller of the compute peak and intensity x bandwidth. efficiency_pct is
   measured against the limit that binds. `cached`: the data are in a cache before each call, so
   that the bandwidth of memory limits nothing. Where no limit is known, both bottleneck and
   efficiency_pct stay unknown, and a recommendation gives the reason. */
void pawl_roofline_of(const struct pawl_work *work, double median_ms,
                      const struct pawl_device_limits *limits, bool cached,
                      struct pawl_arena *arena, struct pawl_roofline *out);

#endif
