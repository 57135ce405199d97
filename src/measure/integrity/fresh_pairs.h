/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of calls of a plug-in, on the usual inputs and on fresh ones. The second call takes longer
 * if the kernel stores results, computes ahead, or loads its inputs into a GPU's L2 from another
 * stream. On a GPU the fresh inputs are new (given_inputs.h), and some elements change places
 * behind the flush. pawl takes these pairs at a random sample and compares one output with the
 * oracle. If the second call certainly takes longer, the samples count that much longer. */
#pragma once

#include "measure/block_run.h"

/* Where the plan wants no pairs or no comparison, one block of this number has them, by chance. */
#define PAWL_PAIRS_EVERY 4
/* That many pairs on a CPU: the fewest that look suspicious if all new calls take longer. */
#define PAWL_PAIRS_BY_CHANCE 4

/* Draws when pawl takes the pairs of an arm, and whether it compares their outputs. `chance` is the
 * block's random number: it decides where the plan wants no pairs. */
pawl_status pawl_fresh_pairs_draw(const struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  uint32_t chance, struct pawl_error *err);
/* Takes the pairs, unless it has taken them. With `last` no samples follow. */
pawl_status pawl_fresh_pairs_take(struct pawl_block_run *run, struct pawl_arm_run *arm,
                                  int first_set, bool last, struct pawl_error *err);
/* Lengthens the samples if the pairs show that they are too short. Call it after all samples. */
void pawl_fresh_pairs_charge(const struct pawl_block_run *run, struct pawl_arm_run *arm);

/* Appends `more` pairs to `count` pairs, in the arena. */
double *pawl_fresh_pairs_join(struct pawl_arena *arena, const double *pairs, size_t count,
                              const double *added, size_t more);
/* The pairs of one arm, and the median of its samples. */
struct pawl_fresh_calls {
  const double *pairs;
  size_t count;
  double seconds;
};
/* Returns the pairs that the next block of an arm takes: all that are wanted. On a CPU no more
 * where the first ones show no difference, and further ones while they leave a doubt. `charged`:
 * there is no doubt left. */
int pawl_fresh_pairs_left(const struct pawl_fresh_calls *fresh, const struct pawl_device *device,
                          bool charged);
/* Returns the pairs that the next process of a bench takes, which is its share of these. */
int pawl_fresh_pairs_of_process(const struct pawl_fresh_calls *fresh,
                                const struct pawl_device *device, int processes);
/* Returns the factor for the samples, to which it adds the time that fresh calls certainly take
 * longer. The factor is 1 without a certain difference, of all pairs or of the last 32. */
double pawl_fresh_pairs_times(const struct pawl_fresh_calls *fresh);
/* Does the same beside another arm. Kernels whose times depend on their data alike do not
 * differ. */
double pawl_fresh_pairs_beyond(const struct pawl_fresh_calls *arm,
                               const struct pawl_fresh_calls *base);
/* Returns the certain ratio of fresh to usual calls; 1: no certain difference. If the time of an
 * honest kernel does not depend on its data, either call of a pair is equally likely to be longer,
 * and the probability of a ratio above 1 is below 2e-6. If it does, there are only as many usual
 * inputs as sets, and all of them may be quick ones: docs/adr/watched-calls.md has the numbers. */
double pawl_fresh_pairs_ratio(const double *pairs, size_t count);
