/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations of a space that a surrogate predicts: the whole space, or a sample of a
   large space. */
#pragma once

#include "tune/gaussian.h"

/* Neighbouring axes with few levels share a code, which numbers the combinations of their levels
   and fits into a byte. */
struct pawl_prediction_group {
  size_t first, end; /* axes of the features */
};

struct pawl_prediction_pool {
  struct pawl_features features;
  struct pawl_prediction_group groups[PAWL_TUNE_MOST_DIMENSIONS];
  size_t group_count;
  uint32_t *indices; /* indices of the space, ascending */
  uint8_t *codes;    /* [group][room] */
  size_t count, room;
};

/* Makes a pool with room for `room` configurations. The caller keeps the space until the
   release. */
void pawl_prediction_pool_init(struct pawl_prediction_pool *pool, const struct pawl_space *space,
                               size_t room);
void pawl_prediction_pool_release(struct pawl_prediction_pool *pool);

/* Encodes the configurations in `indices`. */
void pawl_prediction_pool_encode(struct pawl_prediction_pool *pool);
/* Finds the place of a configuration in the pool. Returns false if it is not in the pool. */
bool pawl_prediction_pool_find(const struct pawl_prediction_pool *pool, size_t index,
                               size_t *place);

/* Computes for one point, given by its levels, and each configuration the product and the sum of
 * the tables' values over the axes, [count]. */
void pawl_prediction_pool_correlate(const struct pawl_prediction_pool *pool,
                                    const struct pawl_gaussian_tables *tables, const uint8_t *point,
                                    float *product, float *sum);
