/* SPDX-License-Identifier: Apache-2.0 */
/* A one-sided sign test that may stop after any block. Each block is a success or not; the
   hypothesis tested says that, whatever happened before, the next one is a success with probability
   at most 1/2.

   The boundary `needed` is where the wealth of a gambler who bets on successes at even odds passes
   a limit. Half of the stake bets all on every block, which pays as long as all blocks agree; the
   other half bets half of what it has, which is best when 3 of 4 agree. Under the hypothesis wealth
   is a supermartingale, so it passes 1/level with probability at most `level` (Ville, 1939; Shafer,
   "Testing by betting", JRSS A 184, 2021). Since max_blocks is known, that is needlessly strict:
   the limit used is the lowest at which a fair coin passes with probability at most `level` within
   max_blocks, computed exactly. A block sequence of the hypothesis can be coupled below a fair
   coin's, success by success, and needed[] grows with successes only: so the bound holds for all of
   the hypothesis.

   The test may look after every block, or after every second one (`look_every`): then an odd block
   answers nothing, and the limit is lower, since a coin has fewer chances to pass it.
   docs/adr/places.md says what that is good for. */
#ifndef PAWL_STATS_SIGN_TEST_H
#define PAWL_STATS_SIGN_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define PAWL_SIGN_MAX_BLOCKS 1000

struct pawl_sign_boundary {
  int max_blocks;
  int look_every; /* 1 or 2: the test rejects after a multiple of so many blocks alone */
  double level;   /* the chance allowed to a wrong rejection */
  double spent;   /* the exact chance under a fair coin, <= level */
  int *needed; /* [0..max_blocks]: successes among the first t blocks that reject; t + 1 where none
                  can */
};

/* The fewest blocks, a multiple of look_every, that could ever reject at that level: all of them
 * successes. */
int pawl_sign_fewest_blocks(double level, int look_every);

/* PAWL_CONFIG when level is not in (0, 1/2], max_blocks not in 1..PAWL_SIGN_MAX_BLOCKS, or below
   pawl_sign_fewest_blocks(); the message says how many blocks it takes. */
pawl_status pawl_sign_boundary_init(struct pawl_sign_boundary *boundary, double level,
                                    int max_blocks, int look_every, struct pawl_error *err);
void pawl_sign_boundary_release(struct pawl_sign_boundary *boundary);

bool pawl_sign_rejects(const struct pawl_sign_boundary *boundary, int blocks, int successes);
/* Whether rejection is still possible, now or by later blocks. */
bool pawl_sign_can_reject(const struct pawl_sign_boundary *boundary, int blocks, int successes);

/* The chance to reject within the first `blocks` blocks when each is a success with probability p,
   independently: the power of the test. NaN unless 0 <= p <= 1. */
double pawl_sign_power(const struct pawl_sign_boundary *boundary, double p, int blocks);

/* The p-value of the successes seen: the chance that a fair coin makes a gambler as rich, at some
   look within max_blocks, as the richest that these successes have made him so far. successes[t]
   are those of the first t blocks, t from 0 to `blocks`. At most `level` just where a test of that
   level has rejected by now; 1 before the first look. It holds wherever the measurement stops. */
double pawl_sign_p(const struct pawl_sign_boundary *boundary, const int *successes, int blocks);

/* Confidence limits of the median of the blocks' values, by inverting two sign tests: `sorted`
   holds `blocks` values, ascending. The limits hold at whatever block the measurement stopped, each
   with error at most boundary->level; a limit that so few blocks cannot give is an infinity. */
void pawl_sign_limits(const struct pawl_sign_boundary *boundary, const double *sorted, int blocks,
                      double *low, double *high);

/* The same limits for a number of blocks fixed beforehand: order statistics by the binomial
   distribution, two-sided `confidence` (David and Nagaraja, "Order Statistics", 2003, section 7.1).
 */
void pawl_sign_fixed_limits(const double *sorted, int blocks, double confidence, double *low,
                            double *high);

#endif
