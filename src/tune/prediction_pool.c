/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/prediction_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tune/wide.h"

#define MOST_CODES 256u
_Static_assert(PAWL_FEATURE_MOST_LEVELS <= MOST_CODES, "an axis of its own has a code");

void pawl_prediction_pool_init(struct pawl_prediction_pool *pool, const struct pawl_space *space,
                               size_t room) {
  *pool = (struct pawl_prediction_pool){.room = room};
  pawl_features_init(&pool->features, space);
  for (size_t axis = 0, codes = MOST_CODES; axis < pool->features.axis_count; axis++) {
    const size_t levels = pool->features.axes[axis].level_count;
    const bool joins = codes * levels <= MOST_CODES;
    codes = joins ? codes * levels : levels;
    if (!joins) pool->groups[pool->group_count++].first = axis;
    pool->groups[pool->group_count - 1].end = axis + 1;
  }
  pool->indices = pawl_alloc(room, sizeof *pool->indices);
  pool->codes = pawl_alloc(room * (pool->group_count + 1), sizeof *pool->codes);
}

void pawl_prediction_pool_release(struct pawl_prediction_pool *pool) {
  pawl_features_release(&pool->features);
  pawl_free(pool->indices);
  pawl_free(pool->codes);
}

void pawl_prediction_pool_encode(struct pawl_prediction_pool *pool) {
  uint8_t levels[PAWL_TUNE_MOST_DIMENSIONS];
  for (size_t i = 0; i < pool->count; i++) {
    pawl_features_levels(&pool->features, pool->indices[i], levels);
    for (size_t g = 0; g < pool->group_count; g++) {
      size_t code = 0;
      for (size_t axis = pool->groups[g].end; axis-- > pool->groups[g].first;)
        code = code * pool->features.axes[axis].level_count + levels[axis];
      pool->codes[g * pool->room + i] = (uint8_t)code;
    }
  }
}

static int prediction_pool_by_index(const void *a, const void *b) {
  const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  return left < right ? -1 : left > right;
}

bool pawl_prediction_pool_find(const struct pawl_prediction_pool *pool, size_t index,
                               size_t *place) {
  const uint32_t wanted = (uint32_t)index;
  const uint32_t *found =
      bsearch(&wanted, pool->indices, pool->count, sizeof wanted, prediction_pool_by_index);
  if (found) *place = (size_t)(found - pool->indices);
  return found;
}

/* Computes the values of the axes of a group for each of its codes. */
static void fill_group(const struct pawl_prediction_pool *pool,
                       const struct pawl_prediction_group *group,
                       const struct pawl_gaussian_tables *tables, const uint8_t *point,
                       float *product, float *sum) {
  size_t codes = 1;
  product[0] = 1;
  sum[0] = 0;
  for (size_t axis = group->first; axis < group->end; axis++) {
    const size_t levels = pool->features.axes[axis].level_count;
    const float *row = &tables->axis[axis][point[axis] * levels];
    for (size_t level = levels;
         level-- > 0;) { /* downwards, because level 0 overwrites a value that the others read */
      for (size_t i = 0; i < codes; i++) {
        product[level * codes + i] = product[i] * row[level];
        sum[level * codes + i] = sum[i] + row[level];
      }
    }
    codes *= levels;
  }
}

/* product *= products[code] and sum += sums[code], for each configuration. */
PAWL_WIDE static void look_up(const uint8_t *codes, size_t count, const float *products,
                              const float *sums, float *restrict product, float *restrict sum) {
  for (size_t i = 0; i < count; i++) {
    product[i] *= products[codes[i]];
    sum[i] += sums[codes[i]];
  }
}

void pawl_prediction_pool_correlate(const struct pawl_prediction_pool *pool,
                                    const struct pawl_gaussian_tables *tables, const uint8_t *point,
                                    float *product, float *sum) {
  float products[MOST_CODES], sums[MOST_CODES];
  for (size_t i = 0; i < pool->count; i++) product[i] = 1;
  memset(sum, 0, pool->count * sizeof *sum);
  for (size_t g = 0; g < pool->group_count; g++) {
    fill_group(pool, &pool->groups[g], tables, point, products, sums);
    look_up(&pool->codes[g * pool->room], pool->count, products, sums, product, sum);
  }
}
