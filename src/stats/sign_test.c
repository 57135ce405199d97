/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/sign_test.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define MODERATE_BET 0.5 /* a share of the current wealth */

/* Returns the logarithm of the wealth that a stake of 1 has become. */
static double log_wealth(int blocks, int successes) {
  const double moderate =
      successes * log1p(MODERATE_BET) + (blocks - successes) * log1p(-MODERATE_BET);
  if (successes < blocks) return moderate - M_LN2;
  const double all_in = blocks * M_LN2;
  return all_in + log1p(exp(moderate - all_in)) - M_LN2;
}

/* Computes needed[] for a limit on wealth. One more block moves it by 0 or 1, because a failure
   costs wealth and a success adds some. */
static void draw_boundary(double log_limit, int max_blocks, int *needed) {
  needed[0] = 1;
  for (int blocks = 1; blocks <= max_blocks; blocks++) {
    int successes = needed[blocks - 1];
    while (successes <= blocks && !(log_wealth(blocks, successes) >= log_limit)) successes++;
    needed[blocks] = successes;
  }
}

/* Returns the chance to meet needed[] at a look within `blocks` blocks. `chance` is scratch for
   [blocks + 1]: the chance of that many successes without having met it yet. */
static double chance_to_meet(const int *needed, int look_every, int blocks, double p,
                             double *chance) {
  double met = 0;
  int most = 0; /* no more successes have a chance without having met it */
  memset(chance, 0, (size_t)(blocks + 1) * sizeof *chance);
  chance[0] = 1;
  for (int block = 1; block <= blocks; block++) {
    for (int k = ++most; k > 0; k--) chance[k] = chance[k] * (1 - p) + chance[k - 1] * p;
    chance[0] *= 1 - p;
    if (block % look_every != 0) continue;
    for (int k = needed[block]; k <= most; k++) {
      met += chance[k];
      chance[k] = 0;
    }
    if (needed[block] <= most) most = needed[block] - 1;
  }
  return met;
}

/* The limits of the last boundaries. All rows of a run have the same few, and a document has
   thousands of rows. */
#define KNOWN_LIMITS 8
static _Thread_local struct known_limit {
  double level;
  int max_blocks, look_every;
  double limit, spent;
} known_limits[KNOWN_LIMITS];
static _Thread_local size_t next_known;

int pawl_sign_fewest_blocks(double level, int look_every) {
  const int blocks = (int)ceil(-log2(level));
  return (blocks + look_every - 1) / look_every * look_every;
}

double pawl_sign_wealth(int blocks, int successes) { return exp(log_wealth(blocks, successes)); }

int pawl_sign_fewest_blocks_to(double wealth, int look_every) {
  int blocks = look_every;
  while (log_wealth(blocks, blocks) < log(wealth)) blocks += look_every;
  return blocks;
}

static pawl_status sign_boundary_check(double level, int max_blocks, int look_every,
                                       struct pawl_error *err) {
  PAWL_ASSERT(look_every == 1 || look_every == 2);
  if (!(level > 0 && level <= 0.5))
    return pawl_fail(err, PAWL_CONFIG,
                     "cannot test at level '%g': it must be above 0 and at most 0.5", level);
  if (max_blocks < 1 || max_blocks > PAWL_SIGN_MAX_BLOCKS)
    return pawl_fail(err, PAWL_CONFIG, "cannot test with at most %d blocks: choose 1 to %d",
                     max_blocks, PAWL_SIGN_MAX_BLOCKS);
  return PAWL_OK;
}

pawl_status pawl_sign_boundary_by_wealth(struct pawl_sign_boundary *boundary, double level,
                                         int max_blocks, int look_every, struct pawl_error *err) {
  PAWL_TRY(sign_boundary_check(level, max_blocks, look_every, err));
  int *needed = pawl_alloc((size_t)max_blocks + 1, sizeof *needed);
  draw_boundary(-log(level), max_blocks, needed);
  *boundary = (struct pawl_sign_boundary){max_blocks, look_every, level, level, needed};
  return PAWL_OK;
}

pawl_status pawl_sign_boundary_init(struct pawl_sign_boundary *boundary, double level,
                                    int max_blocks, int look_every, struct pawl_error *err) {
  PAWL_TRY(sign_boundary_check(level, max_blocks, look_every, err));
  if (max_blocks < pawl_sign_fewest_blocks(level, look_every))
    return pawl_fail(err, PAWL_CONFIG,
                     "%d blocks cannot prove anything at level %g: allow %d or more", max_blocks,
                     level, pawl_sign_fewest_blocks(level, look_every));
  int *needed = pawl_alloc((size_t)max_blocks + 1, sizeof *needed);
  for (size_t i = 0; i < KNOWN_LIMITS; i++) {
    const struct known_limit *known = &known_limits[i];
    if (known->level != level || known->max_blocks != max_blocks || known->look_every != look_every)
      continue;
    draw_boundary(known->limit, max_blocks, needed);
    *boundary = (struct pawl_sign_boundary){max_blocks, look_every, level, known->spent, needed};
    return PAWL_OK;
  }
  double *scratch = pawl_alloc((size_t)max_blocks + 1, sizeof *scratch);
  /* bisects between limits that a fair coin meets too often and limits that it does not; Ville's
     inequality guarantees 1/level */
  double too_low = 0, limit = -log(level);
  for (int step = 0; step < 48; step++) {
    const double middle = (too_low + limit) / 2;
    draw_boundary(middle, max_blocks, needed);
    if (chance_to_meet(needed, look_every, max_blocks, 0.5, scratch) <= level)
      limit = middle;
    else
      too_low = middle;
  }
  draw_boundary(limit, max_blocks, needed);
  const double spent = chance_to_meet(needed, look_every, max_blocks, 0.5, scratch);
  pawl_free(scratch);
  known_limits[next_known++ % KNOWN_LIMITS] =
      (struct known_limit){level, max_blocks, look_every, limit, spent};
  *boundary = (struct pawl_sign_boundary){max_blocks, look_every, level, spent, needed};
  return PAWL_OK;
}

void pawl_sign_boundary_release(struct pawl_sign_boundary *boundary) {
  if (!boundary) return;
  pawl_free(boundary->needed);
  *boundary = (struct pawl_sign_boundary){0};
}

bool pawl_sign_rejects(const struct pawl_sign_boundary *boundary, int blocks, int successes) {
  return blocks <= boundary->max_blocks && blocks % boundary->look_every == 0 &&
         successes >= boundary->needed[blocks];
}

bool pawl_sign_can_reject(const struct pawl_sign_boundary *boundary, int blocks, int successes) {
  for (int later = blocks; later <= boundary->max_blocks; later++)
    if (pawl_sign_rejects(boundary, later, successes + later - blocks)) return true;
  return false;
}

double pawl_sign_power(const struct pawl_sign_boundary *boundary, double p, int blocks) {
  if (!(p >= 0 && p <= 1)) return NAN;
  if (blocks > boundary->max_blocks) blocks = boundary->max_blocks;
  double *scratch = pawl_alloc((size_t)blocks + 1, sizeof *scratch);
  const double power = chance_to_meet(boundary->needed, boundary->look_every, blocks, p, scratch);
  pawl_free(scratch);
  return power;
}

double pawl_sign_p(const struct pawl_sign_boundary *boundary, const int *successes, int blocks) {
  double richest = 0; /* a logarithm; the stake is there from the start */
  for (int block = boundary->look_every; block <= blocks && block <= boundary->max_blocks;
       block += boundary->look_every)
    richest = fmax(richest, log_wealth(block, successes[block]));
  if (!(richest > 0)) return 1;
  const size_t room = (size_t)boundary->max_blocks + 1;
  int *needed = pawl_alloc(room, sizeof *needed);
  double *scratch = pawl_alloc(room, sizeof *scratch);
  draw_boundary(richest, boundary->max_blocks, needed);
  const double p = chance_to_meet(needed, boundary->look_every, boundary->max_blocks, 0.5, scratch);
  pawl_free(scratch);
  pawl_free(needed);
  return fmin(p, 1);
}

/* The test rejects "the median is at most m" if at least needed[] values lie above m: so for every
   m below the value that has needed[] - 1 above it. The upper limit mirrors it. */
void pawl_sign_limits(const struct pawl_sign_boundary *boundary, const double *sorted, int blocks,
                      double *low, double *high) {
  const int needed = boundary->needed[blocks];
  *low = needed <= blocks ? sorted[blocks - needed] : -INFINITY;
  *high = needed <= blocks ? sorted[needed - 1] : INFINITY;
}

void pawl_sign_fixed_limits(const double *sorted, int blocks, double confidence, double *low,
                            double *high) {
  double term = ldexp(1, -blocks),
         /* C(blocks, k) / 2^blocks, and the sum of those so far. */
      below = 0;
  int outside = 0; /* values on either side that the interval may leave out */
  while (below + term <= (1 - confidence) / 2 && 2 * (outside + 1) <= blocks) {
    below += term;
    outside++;
    term *= (double)(blocks - outside + 1) / outside;
  }
  *low = outside > 0 ? sorted[outside - 1] : -INFINITY;
  *high = outside > 0 ? sorted[blocks - outside] : INFINITY;
}
