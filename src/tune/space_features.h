/* SPDX-License-Identifier: Apache-2.0 */
/* The features of a space for a model. Each axis with more than one value has levels (a level is
   a value; many values share one) and a few columns, which are functions of the value alone. A
   number has its place in 0..1, in log2 if all values are positive and the largest is at least 4
   times the smallest. Positive whole numbers that are not all powers of two have two more
   columns: whether the value is a power of two, and the number of its trailing zero bits. Two
   different words are 1 apart. */
#pragma once

#include "tune/space.h"

#define PAWL_FEATURE_MOST_LEVELS 256u
#define PAWL_FEATURE_MOST_COLUMNS 3u /* columns of an axis */

struct pawl_feature_column {
  const float *place; /* [level_count], 0 to 1 */
  bool word;          /* the distance of two levels is 0 or 1 */
  bool derived;       /* computed from the value: a model uses it only if it helps */
};

struct pawl_feature_axis {
  size_t axis; /* an index of the space */
  size_t level_count;
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

/* Writes the level of a configuration on each axis, [axis_count]. */
void pawl_features_levels(const struct pawl_features *features, size_t index, uint8_t *out);
/* Returns the share of axes on which a configuration is a power of two. It counts the axes with a
 * "power of two" column. Without such an axis the share is 1. */
double pawl_features_round(const struct pawl_features *features, const uint8_t *levels);
