/* SPDX-License-Identifier: Apache-2.0 */
/* The space of a search: a list of the configurations of a few parameters that satisfy the
   constraints. */
#pragma once

#include <stdint.h>

#include "base/text.h"
#include "model/kernel_spec.h"
#include "tune/expression.h"

#define PAWL_TUNE_MOST_CONFIGURATIONS 1000000u
#define PAWL_TUNE_MOST_DIMENSIONS 32u

struct pawl_tune_axis {
  const char *name;
  /* in the order of the suite: values near each other in the list are near for the search */
  struct pawl_tune_value *values;
  size_t count;
  /* all values are numbers, whose order matters; other values are equally far apart */
  bool ordinal;
};

struct pawl_space {
  struct pawl_tune_axis *axes;
  size_t axis_count;
  /* [count][axis_count]: the index of each axis' value; ascending and distinct */
  uint16_t *configurations;
  size_t count;
};
#define PAWL_NO_CONFIGURATION SIZE_MAX

/* Lists the space of a kernel's `tune`. Constraints may also use its fixed params. PAWL_CONFIG with
 * file:line says that a constraint is wrong, that no configuration or more than a million satisfy
 * all constraints, or that a value makes two keys equal. */
pawl_status pawl_space_init(struct pawl_space *space, const struct pawl_kernel_spec *spec,
                            const char *path, struct pawl_arena *arena, struct pawl_error *err);

/* Checks the constraints and values of a kernel's `tune` without listing its space. Fails with
 * PAWL_CONFIG and file:line. */
pawl_status pawl_space_check(const struct pawl_kernel_spec *spec, const char *path,
                             struct pawl_arena *arena, struct pawl_error *err);

/* Makes a space of these `count` configurations, [count][axis_count] indices, in any order. Fails
 * with PAWL_BAD_DATA if two are equal. */
pawl_status pawl_space_of_list(struct pawl_space *space, struct pawl_tune_axis *axes,
                               size_t axis_count, const uint16_t *configurations, size_t count,
                               struct pawl_arena *arena, struct pawl_error *err);

const uint16_t *pawl_space_at(const struct pawl_space *space, size_t index);
/* Returns the index of a configuration, in O(log n), or PAWL_NO_CONFIGURATION if the constraints
 * exclude it. */
size_t pawl_space_find(const struct pawl_space *space, const uint16_t *configuration);
/* Iterates over the configurations that differ in one parameter, by axis and value. */
struct pawl_neighbours {
  const struct pawl_space *space;
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  uint16_t own;       /* the value of the axis that changes */
  size_t axis, value; /* the next neighbour */
};
struct pawl_neighbours pawl_space_neighbours(const struct pawl_space *space, size_t index);
/* Returns PAWL_NO_CONFIGURATION after the last one. */
size_t pawl_space_next_neighbour(struct pawl_neighbours *neighbours);
/* Returns the value of an axis in a configuration, as the suite writes it. */
const char *pawl_space_value(const struct pawl_space *space, size_t index, size_t axis);
/* Appends "BLOCK_M=16,BLOCK_N=64", which identifies the configuration. */
void pawl_space_key(const struct pawl_space *space, size_t index, struct pawl_text *out);
/* Returns the index of the configuration with this key, or PAWL_NO_CONFIGURATION. */
size_t pawl_space_find_key(const struct pawl_space *space, const char *key);
