/* SPDX-License-Identifier: Apache-2.0 */
/* How a model sees a space. Each axis with more than one value has levels (a level is a value; many
   values share one) and a few columns, which are functions of the value alone:
   - a number: its place in 0..1, in log2 if all are positive and the largest is at least 4 times
   the smallest;
   - positive whole numbers of which some are no powers of two: is it a power of two, how many
   trailing zero bits has it;
   - a word: two different words are 1 apart. */
#ifndef PAWL_TUNE_SPACE_FEATURES_H
#define PAWL_TUNE_SPACE_FEATURES_H

#include "tune/space.h"

#define PAWL_FEATURE_MOST_LEVELS 256u
#define PAWL_FEATURE_MOST_COLUMNS 3u /* of an axis */

struct pawl_feature_column {
  const float *place; /* [level_count], in 0..1 */
  bool word;          /* the distance of two levels is 0 or 1 */
  bool derived;       /* not the value itself: a model takes it only where it helps */
};

struct pawl_feature_axis {
  size_t axis; /* in the space */
  size_t level_count;
  double largest;                /* of its numbers */
  const uint8_t *level_of_value; /* [values of the axis] */
  struct pawl_feature_column columns[PAWL_FEATURE_MOST_COLUMNS];
  size_t column_count;
};

struct pawl_features {
  const struct pawl_space *space;
  struct pawl_feature_axis axes[PAWL_TUNE_MOST_DIMENSIONS];
  size_t axis_count;
  struct pawl_arena arena;
};

void pawl_features_init(struct pawl_features *features, const struct pawl_space *space);
void pawl_features_release(struct pawl_features *features);

/* The level of a configuration on each axis, [axis_count]. */
void pawl_features_levels(const struct pawl_features *features, size_t index, uint8_t *out);
/* The share of the axes with a "power of two" column on which a configuration is one, of those
   whose largest value is at least `reach`; 1: there is no such axis. */
double pawl_features_round(const struct pawl_features *features, const uint8_t *levels,
                           double reach);

#endif
