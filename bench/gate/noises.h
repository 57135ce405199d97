/* SPDX-License-Identifier: Apache-2.0 */
/* Log-ratios of blocks of identical code on simulated machines: whatever the noise, their median is
 * 0. */
#pragma once

#include <stdbool.h>

#include "stats/variates.h"

struct noise {
  const char *name;
  double sd;          /* the deviation of the log-ratio of two processes */
  double mode_chance; /* the chance that a process lands in a slower mode */
  double mode_shift;  /* the log-ratio of that mode */
  double median;      /* the median of these draws, which is taken away */
  double place;       /* the arm that comes first is so much slower */
  double stick;       /* autoregression from block to block */
  bool skewed;        /* lognormal luck of the processes */
  bool one_sided;     /* skew or modes of the candidate alone: two binaries, not identical code */
  bool good; /* a machine whose verdicts should not suffer from what watches over the others */
};
#define NOISES 15
extern const struct noise noises[NOISES];

struct blocks {
  const struct noise *noise;
  struct pawl_random random;
  double luck; /* the state of an autoregression */
  int count;
  double place; /* the place in the pair's first block: +1 or -1 */
};
struct blocks blocks_of(const struct noise *noise, uint64_t seed, uint64_t trial);
/* The next block's log-ratio; the arms swap places within each pair of blocks. */
double next_block(struct blocks *blocks);
