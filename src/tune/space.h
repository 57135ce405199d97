/* SPDX-License-Identifier: Apache-2.0 */
/* The space that is searched: the configurations of a few parameters that satisfy the constraints,
 * listed. */
#ifndef PAWL_TUNE_SPACE_H
#define PAWL_TUNE_SPACE_H

#include <stdint.h>

#include "base/text.h"
#include "model/kernel_spec.h"
#include "tune/expression.h"

#define PAWL_TUNE_MOST_CONFIGURATIONS 1000000u
#define PAWL_TUNE_MOST_DIMENSIONS 32u

struct pawl_tune_axis {
  const char *name;
  struct pawl_tune_value
      *values; /* in the order written: what is near in the list is near for the search */
  size_t count;
  bool ordinal; /* all are numbers: their order means something; else any two are equally far apart
                 */
};

struct pawl_space {
  struct pawl_tune_axis *axes;
  size_t axis_count;
  uint16_t *configurations; /* [count][axis_count]: the index of each axis' value; ascending, no two
                               alike */
  size_t count;
};
#define PAWL_NO_CONFIGURATION SIZE_MAX

/* The space of a kernel's `tune`. Constraints may also name its params that are not tuned.
   PAWL_CONFIG with file:line: a constraint is wrong, no configuration satisfies them all, more than
   a million do, or a value would make two keys alike. */
pawl_status pawl_space_init(struct pawl_space *space, const struct pawl_kernel_spec *spec,
                            const char *path, struct pawl_arena *arena, struct pawl_error *err);

/* Whether the constraints and values of a kernel's `tune` can be read, without listing its space.
 * PAWL_CONFIG with file:line. */
pawl_status pawl_space_check(const struct pawl_kernel_spec *spec, const char *path,
                             struct pawl_arena *arena, struct pawl_error *err);

/* A space of just these `count` configurations, [count][axis_count] indices, in any order.
   PAWL_BAD_DATA: two are alike. */
pawl_status pawl_space_of_list(struct pawl_space *space, struct pawl_tune_axis *axes,
                               size_t axis_count, const uint16_t *configurations, size_t count,
                               struct pawl_arena *arena, struct pawl_error *err);

const uint16_t *pawl_space_at(const struct pawl_space *space, size_t index);
/* The index of a configuration; PAWL_NO_CONFIGURATION: the constraints exclude it. O(log n). */
size_t pawl_space_find(const struct pawl_space *space, const uint16_t *configuration);
/* The configurations that differ from one in a single parameter, by axis and value. */
struct pawl_neighbours {
  const struct pawl_space *space;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  uint16_t own;       /* value of the axis that changes */
  size_t axis, value; /* the next */
};
struct pawl_neighbours pawl_space_neighbours(const struct pawl_space *space, size_t index);
/* PAWL_NO_CONFIGURATION: that was the last. */
size_t pawl_space_next_neighbour(struct pawl_neighbours *neighbours);
/* The value of an axis in a configuration, as it is written. */
const char *pawl_space_value(const struct pawl_space *space, size_t index, size_t axis);
/* "BLOCK_M=16,BLOCK_N=64": identifies the configuration. */
void pawl_space_key(const struct pawl_space *space, size_t index, struct pawl_text *out);
/* The index of the configuration with this key; PAWL_NO_CONFIGURATION: there is none. */
size_t pawl_space_find_key(const struct pawl_space *space, const char *key);

#endif
