/* SPDX-License-Identifier: Apache-2.0 */
/* A one-sided sign test that may stop after any block. Each block is a success or not. The
   hypothesis is that the next one is a success with probability at most 1/2, whatever happened
   before.

   A gambler bets on successes at even odds, and the boundary `needed` is where his wealth passes a
   limit. Half of the stake bets all on every block, which pays while all blocks agree. The other
   half bets half of its wealth, which is best when 3 of 4 agree. Under the hypothesis wealth is a
   supermartingale, so it passes 1/level with probability at most `level` (Ville, 1939; Shafer,
   "Testing by betting", JRSS A 184, 2021). Since max_blocks is known, that is needlessly strict.
   The limit is therefore the lowest one that a fair coin passes with probability at most `level`
   within max_blocks, computed exactly. A block sequence of the hypothesis can be coupled below a
   fair coin's, success by success, and needed[] grows with successes only. So the bound holds for
   all of the hypothesis.

   The test may look after every block, or after every second one (`look_every`). Then an odd block
   answers nothing, and the limit is lower, because a coin has fewer chances to pass it.
   docs/adr/places.md has the reasons. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define PAWL_SIGN_MAX_BLOCKS 1000

struct pawl_sign_boundary {
  int max_blocks;
  int look_every; /* 1 or 2: the test rejects only after a multiple of this many blocks */
  double level;   /* the chance allowed to a wrong rejection */
  double spent;   /* the exact chance under a fair coin, <= level */
  /* [0..max_blocks]: the successes among the first t blocks that reject, or t + 1 if none can */
  int *needed;
};

/* Returns the fewest blocks, a multiple of look_every, that can reject at that level if all are
   successes. */
int pawl_sign_fewest_blocks(double level, int look_every);

/* Fails with PAWL_CONFIG if level is not in (0, 1/2], or max_blocks not in 1..PAWL_SIGN_MAX_BLOCKS
   or below pawl_sign_fewest_blocks(). The message names the blocks that it takes. */
pawl_status pawl_sign_boundary_init(struct pawl_sign_boundary *boundary, double level,
                                    int max_blocks, int look_every, struct pawl_error *err);
/* Draws the boundary at a wealth of 1/level (Ville), without the correction for max_blocks. It may
   lie beyond what max_blocks agreeing blocks can earn. Fails like pawl_sign_boundary_init
   otherwise. */
pawl_status pawl_sign_boundary_by_wealth(struct pawl_sign_boundary *boundary, double level,
                                         int max_blocks, int look_every, struct pawl_error *err);
/* Returns the gambler's wealth after these blocks, from a stake of 1. Under the hypothesis its mean
   is at most 1 wherever the measurement stops: an e-value. */
double pawl_sign_wealth(int blocks, int successes);
/* Returns the fewest blocks, a multiple of look_every, that can earn that wealth. */
int pawl_sign_fewest_blocks_to(double wealth, int look_every);
void pawl_sign_boundary_release(struct pawl_sign_boundary *boundary);

bool pawl_sign_rejects(const struct pawl_sign_boundary *boundary, int blocks, int successes);
/* Returns whether rejection is possible, now or after later blocks. */
bool pawl_sign_can_reject(const struct pawl_sign_boundary *boundary, int blocks, int successes);

/* Returns the power of the test: the chance to reject within the first `blocks` blocks if each is a
   success with probability p, independently. NaN unless 0 <= p <= 1. */
double pawl_sign_power(const struct pawl_sign_boundary *boundary, double p, int blocks);

/* Returns the p-value of the successes: the chance that a fair coin makes a gambler as rich, at
   some look within max_blocks, as the richest that these successes have made him so far.
   successes[t] are those of the first t blocks, t from 0 to `blocks`. It is at most `level` exactly
   if a test of that level has rejected by now, and 1 before the first look. It holds wherever the
   measurement stops. */
double pawl_sign_p(const struct pawl_sign_boundary *boundary, const int *successes, int blocks);

/* Computes confidence limits of the median of the blocks' values by inverting two sign tests.
   `sorted` has `blocks` values, ascending. The limits hold wherever the measurement stopped, each
   with error at most boundary->level. A limit that needs more blocks is an infinity. */
void pawl_sign_limits(const struct pawl_sign_boundary *boundary, const double *sorted, int blocks,
                      double *low, double *high);

/* Computes the limits for a number of blocks fixed beforehand: order statistics by the binomial
 * distribution, two-sided `confidence` (David and Nagaraja, "Order Statistics", 2003, section
 * 7.1). */
void pawl_sign_fixed_limits(const double *sorted, int blocks, double confidence, double *low,
                            double *high);
