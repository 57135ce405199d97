/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NO_VALUE UINT16_MAX

/* The translation of a parameter's values from the record to the space. */
struct translation {
  bool is_new;    /* the record does not have the parameter: all its times belong to `value` */
  uint16_t value; /* an index of the space */
  size_t axis;    /* the axis of the record */
  uint16_t *into; /* [values of the axis]: the value's index in the space, or NO_VALUE */
};

static bool same_value(const struct pawl_tune_value *a, const struct pawl_tune_value *b) {
  if (!isnan(a->number) && !isnan(b->number)) return a->number == b->number;
  return !strcmp(a->word, b->word) ||
         pawl_tune_truth(a->word) == pawl_tune_truth(b->word); /* True equals true */
}

/* Returns axis_count if there is no such axis. */
static size_t find_axis(const struct pawl_space *space, const char *name) {
  size_t found = 0;
  while (found < space->axis_count && strcmp(space->axes[found].name, name) != 0) found++;
  return found;
}

/* The present value in the code; NO_VALUE: it is none of the axis' values. */
static uint16_t present_value(const struct pawl_tune_axis *axis,
                              const struct pawl_kernel_spec *spec) {
  const char *word = spec ? pawl_kernel_param(spec, axis->name) : NULL;
  for (size_t i = 0; word && i < axis->count; i++)
    if (!strcmp(axis->values[i].word, word)) return (uint16_t)i;
  return NO_VALUE;
}

/* The value in a record that does not list the parameter: the value with which its search began,
   else the present one. */
static uint16_t earlier_value(const struct pawl_tune_axis *axis, const char *began,
                              const struct pawl_kernel_spec *spec) {
  for (size_t i = 0; i < axis->count; i++)
    if (pawl_params_text_has(began, axis->name, axis->values[i].word)) return (uint16_t)i;
  return present_value(axis, spec);
}

/* For each parameter of a record that the space lacks: the value in the code now. Times of its
   other values do not count. NO_VALUE: all times count. */
static void find_fixed(const struct pawl_space *from, const struct pawl_space *space,
                       const struct pawl_kernel_spec *spec, uint16_t *out) {
  for (size_t axis = 0; axis < from->axis_count; axis++) {
    const bool gone = find_axis(space, from->axes[axis].name) == space->axis_count;
    out[axis] = gone ? present_value(&from->axes[axis], spec) : NO_VALUE;
  }
}

static bool is_as_fixed(const uint16_t *levels, const uint16_t *fixed, size_t count) {
  for (size_t axis = 0; axis < count; axis++)
    if (fixed[axis] != NO_VALUE && levels[axis] != fixed[axis]) return false;
  return true;
}

static pawl_status translate(const struct pawl_tune_record *record, const char *path,
                             const struct pawl_tune_axis *axis, const struct pawl_kernel_spec *spec,
                             struct pawl_arena *arena, struct translation *out,
                             struct pawl_error *err) {
  const struct pawl_space *from = &record->space;
  const size_t found = find_axis(from, axis->name);
  if (found == from->axis_count) {
    *out = (struct translation){.is_new = true, .value = NO_VALUE};
    if (spec) out->value = earlier_value(axis, record->current, spec);
    if (out->value != NO_VALUE) return PAWL_OK;
    return pawl_fail(err, PAWL_BAD_DATA, "%s: it has no parameter '%s' of this kernel's 'tune'",
                     path, axis->name);
  }
  const struct pawl_tune_axis *values = &from->axes[found];
  *out = (struct translation){.axis = found,
                              .into = pawl_arena_alloc(arena, values->count, sizeof *out->into)};
  for (size_t i = 0; i < values->count; i++) {
    out->into[i] = NO_VALUE;
    for (size_t j = 0; j < axis->count; j++)
      if (same_value(&values->values[i], &axis->values[j])) out->into[i] = (uint16_t)j;
  }
  return PAWL_OK;
}

static int prior_by_time(const void *a, const void *b) {
  const struct pawl_search_known *left = a, *right = b;
  if (left->time != right->time) return left->time < right->time ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

static int prior_by_index(const void *a, const void *b) {
  const struct pawl_search_known *left = a, *right = b;
  return left->index < right->index ? -1 : left->index > right->index;
}

/* Joins equal configurations into one time each, and returns their number. */
static size_t join_equal(struct pawl_search_known *known, size_t count) {
  size_t kept = 0;
  qsort(known, count, sizeof *known, prior_by_index);
  for (size_t i = 0; i < count;) {
    const size_t first = i, index = known[i].index;
    double sum = 0;
    for (; i < count && known[i].index == index; i++) sum += log(known[i].time);
    const size_t joined = i - first;
    known[kept++] = (struct pawl_search_known){
        index, joined > 1 ? exp(sum / (double)joined) : known[first].time};
  }
  return kept;
}

/* Returns whether it differs from each of the others in two parameters or more. */
static bool prior_is_apart(const struct pawl_space *space, size_t index, const size_t *others,
                           size_t count) {
  for (size_t i = 0; i < count; i++) {
    const uint16_t *a = pawl_space_at(space, index), *b = pawl_space_at(space, others[i]);
    size_t different = 0;
    for (size_t axis = 0; axis < space->axis_count; axis++) different += a[axis] != b[axis];
    if (different < 2) return false;
  }
  return true;
}

pawl_status pawl_tune_prior(const struct pawl_tune_record *record, const char *path,
                            const struct pawl_space *space, const struct pawl_kernel_spec *spec,
                            struct pawl_arena *arena, struct pawl_tune_prior *out,
                            struct pawl_error *err) {
  struct translation axes[PAWL_TUNE_MOST_DIMENSIONS];
  uint16_t fixed[PAWL_TUNE_MOST_DIMENSIONS];
  struct pawl_search_known *known = pawl_arena_alloc(arena, record->space.count + 1, sizeof *known);
  size_t known_count = 0;
  *out = (struct pawl_tune_prior){.known = known};
  for (size_t i = 0; i < space->axis_count; i++)
    PAWL_TRY(translate(record, path, &space->axes[i], spec, arena, &axes[i], err));
  find_fixed(&record->space, space, spec, fixed);
  for (size_t i = 0; i < record->space.count; i++) {
    const uint16_t *levels = pawl_space_at(&record->space, i);
    uint16_t here[PAWL_TUNE_MOST_DIMENSIONS];
    bool whole = record->times[i] > 0 && is_as_fixed(levels, fixed, record->space.axis_count);
    for (size_t axis = 0; axis < space->axis_count; axis++) {
      here[axis] = axes[axis].is_new ? axes[axis].value : axes[axis].into[levels[axes[axis].axis]];
      whole = whole && here[axis] != NO_VALUE;
    }
    const size_t index = whole ? pawl_space_find(space, here) : PAWL_NO_CONFIGURATION;
    if (index != PAWL_NO_CONFIGURATION)
      known[known_count++] = (struct pawl_search_known){index, record->times[i]};
  }
  known_count = join_equal(known, known_count);
  qsort(known, known_count, sizeof *known, prior_by_time);
  for (size_t i = 0; i < known_count && out->first_count < PAWL_PRIOR_MOST; i++)
    if (prior_is_apart(space, known[i].index, out->first, out->first_count))
      out->first[out->first_count++] = known[i].index;
  if (!known_count)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s: no configuration that works there is one of this kernel's 'tune'", path);
  out->known_count = known_count;
  return PAWL_OK;
}

pawl_status pawl_tune_prior_read(const char *path, const struct pawl_space *space,
                                 const struct pawl_kernel_spec *spec, struct pawl_arena *arena,
                                 struct pawl_tune_prior *out, struct pawl_error *err) {
  struct pawl_tune_record record;
  PAWL_TRY(pawl_tune_record_read(path, arena, &record, err));
  return pawl_tune_prior(&record, path, space, spec, arena, out, err);
}

void pawl_tune_prior_use(const struct pawl_tune_prior *prior, struct pawl_search *search) {
  const bool learns = search->strategy->transfers;
  pawl_search_suggest(search, prior->first, learns ? 1 : prior->first_count);
  if (learns) pawl_search_learn_known(search, prior->known, prior->known_count);
}
