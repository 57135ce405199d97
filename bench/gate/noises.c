/* SPDX-License-Identifier: Apache-2.0 */
#include "noises.h"

#include <math.h>

/* Standard deviations between processes of .32, .7 and 1.5 %, times the square root of 2: two
   processes a block. The median of N(0, sd) of which a share p is moved far up is sd times the
   normal quantile of 1 / (2 (1 - p)). */
const struct noise noises[NOISES] = {
    {.name = "quiet", .sd = 0.0045, .good = true},
    {.name = "typical", .sd = 0.011, .good = true},
    {.name = "noisy", .sd = 0.022, .good = true},
    {.name = "busy CPU", .sd = 0.05},
    {.name = "very busy CPU", .sd = 0.1},
    {.name = "lognormal", .sd = 0.011, .skewed = true, .good = true},
    {.name = "spikes", .sd = 0.0045, .mode_chance = 0.1, .mode_shift = 0.2, .good = true},
    {.name = "bimodal", .sd = 0.0045, .mode_chance = 0.2, .mode_shift = 0.2, .good = true},
    {.name = "place of 0.9 %", .sd = 0.0045, .place = 0.009, .good = true},
    {.name = "place of 3 %", .sd = 0.0045, .place = 0.03},
    {.name = "candidate lognormal", .sd = 0.022, .skewed = true, .one_sided = true},
    {.name = "candidate spiky",
     .sd = 0.0045,
     .mode_chance = 0.1,
     .mode_shift = 0.2,
     .median = 0.000629,
     .one_sided = true},
    {.name = "candidate in two modes",
     .sd = 0.0045,
     .mode_chance = 0.4,
     .mode_shift = 0.05,
     .median = 0.004354,
     .one_sided = true},
    {.name = "sticks (AR .9)", .sd = 0.022, .stick = 0.9},
    {.name = "sticks (AR .9), busy", .sd = 0.1, .stick = 0.9},
};

struct blocks blocks_of(const struct noise *noise, uint64_t seed, uint64_t trial) {
  struct blocks blocks = {
      .noise = noise, .random = pawl_random_init(seed, (uint64_t)(noise - noises) << 48 | trial)};
  blocks.luck = pawl_draw_normal(&blocks.random);
  return blocks;
}

/* Has the standard deviation 1 (normal), or is lognormal with median 0 and about as wide. */
static double draw_luck(struct blocks *blocks, bool skewed) {
  const double normal = pawl_draw_normal(&blocks->random);
  return skewed ? exp(normal) - 1 : normal;
}

static double draw_process(struct blocks *blocks, bool odd) {
  const struct noise *noise = blocks->noise;
  double luck = noise->sd * M_SQRT1_2 * draw_luck(blocks, noise->skewed && odd);
  if (odd && pawl_random_double(&blocks->random) < noise->mode_chance) luck += noise->mode_shift;
  return luck;
}

/* One-sided noise: the candidate's alone, which moves no median. */
static double draw_ratio(struct blocks *blocks) {
  const struct noise *noise = blocks->noise;
  if (noise->stick > 0) {
    blocks->luck = noise->stick * blocks->luck +
                   sqrt(1 - noise->stick * noise->stick) * pawl_draw_normal(&blocks->random);
    return noise->sd * blocks->luck;
  }
  if (noise->one_sided && noise->skewed) return noise->sd * draw_luck(blocks, true);
  return draw_process(blocks, true) - draw_process(blocks, !noise->one_sided) - noise->median;
}

double next_block(struct blocks *blocks) {
  if (blocks->count++ % 2 == 0)
    blocks->place = pawl_random_below(&blocks->random, 2) ? 1 : -1;
  else
    blocks->place = -blocks->place;
  return draw_ratio(blocks) + blocks->place * blocks->noise->place;
}
