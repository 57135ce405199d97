/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations of a space that a surrogate predicts: all, or of a large space a sample. */
#ifndef PAWL_TUNE_PREDICTION_POOL_H
#define PAWL_TUNE_PREDICTION_POOL_H

#include "tune/gaussian.h"

/* Neighbouring axes of few levels share a code, which numbers the combinations of their levels. It
 * fits into a byte. */
struct pawl_prediction_group {
  size_t first, end; /* axes of the features */
};

struct pawl_prediction_pool {
  struct pawl_features features;
  struct pawl_prediction_group groups[PAWL_TUNE_MOST_DIMENSIONS];
  size_t group_count;
  uint32_t *indices; /* in the space; ascending */
  uint8_t *codes;    /* [group][room] */
  size_t count, room;
};

/* Room for so many configurations of the space, which is borrowed. */
void pawl_prediction_pool_init(struct pawl_prediction_pool *pool, const struct pawl_space *space,
                               size_t room);
void pawl_prediction_pool_release(struct pawl_prediction_pool *pool);

/* Takes the configurations that `indices` names now. */
void pawl_prediction_pool_encode(struct pawl_prediction_pool *pool);
/* The place of a configuration; false: it is not in the pool. */
bool pawl_prediction_pool_find(const struct pawl_prediction_pool *pool, size_t index,
                               size_t *place);

/* For one point, given by its levels, and each configuration: the product and the sum over the axes
   of the tables' values, [count]. */
void pawl_prediction_pool_correlate(const struct pawl_prediction_pool *pool,
                                    const struct pawl_gaussian_tables *tables, const uint8_t *point,
                                    float *product, float *sum);

#endif
