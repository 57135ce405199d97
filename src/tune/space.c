/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

/* assignments to try during the listing; this takes a few seconds \ */
#define MOST_STEPS 100000000u

/* The listing of a space goes depth first over the axes. It tests a constraint once all its
   names have values. */
struct listing {
  struct pawl_space *space;
  const char *owner, *path;
  const struct pawl_kernel_spec *spec;
  struct pawl_arena *arena;
  struct pawl_expression *constraints;
  size_t *ready; /* for each constraint: the number of axes that must have values before the test */
  size_t constraint_count;
  struct pawl_tune_value
      values[PAWL_TUNE_MOST_DIMENSIONS + 256]; /* first the axes, then the fixed params */
  uint16_t indices[PAWL_TUNE_MOST_DIMENSIONS];
  uint16_t *found; /* grows */
  size_t capacity;
  uint64_t steps;
  struct pawl_error *err;
};

/* A failure belongs to the line of its constraint, or to the condition of a file. */
static enum pawl_status_code blame(struct listing *listing, size_t constraint,
                                   enum pawl_status_code status) {
  const struct pawl_kernel_spec *spec = listing->spec;
  if (status == PAWL_OK) return status;
  if (spec->constraint_lines)
    listing->owner = pawl_arena_printf(listing->arena, "%s:%d: kernel '%s'", listing->path,
                                       spec->constraint_lines[constraint], spec->name);
  if (spec->constraint_file)
    listing->owner = pawl_arena_printf(listing->arena, "%s: condition %zu of '%s'", listing->owner,
                                       constraint + 1, spec->constraint_file);
  return status;
}

static pawl_status allowed(struct listing *listing, size_t set, bool *out) {
  *out = true;
  for (size_t i = 0; *out && i < listing->constraint_count; i++) {
    if (listing->ready[i] == set)
      PAWL_TRY(blame(
          listing, i,
          pawl_expression_holds(&listing->constraints[i], listing->values, out, listing->err)));
  }
  return PAWL_OK;
}

static pawl_status keep(struct listing *listing) {
  struct pawl_space *space = listing->space;
  const size_t axes = space->axis_count;
  if (space->count == PAWL_TUNE_MOST_CONFIGURATIONS)
    return pawl_fail(listing->err, PAWL_CONFIG,
                     "%s has more than %u configurations; add constraints or list fewer values",
                     listing->owner, PAWL_TUNE_MOST_CONFIGURATIONS);
  if (space->count == listing->capacity) {
    listing->capacity = listing->capacity ? listing->capacity * 2 : 256;
    listing->found = pawl_realloc(listing->found, listing->capacity * axes, sizeof *listing->found);
  }
  memcpy(&listing->found[space->count * axes], listing->indices, axes * sizeof *listing->found);
  space->count++;
  return PAWL_OK;
}

static pawl_status list_from(struct listing *listing, size_t axis) {
  if (axis == listing->space->axis_count) return keep(listing);
  const struct pawl_tune_axis *values = &listing->space->axes[axis];
  for (size_t i = 0; i < values->count; i++) {
    bool go_on;
    if (++listing->steps > MOST_STEPS)
      return pawl_fail(listing->err, PAWL_CONFIG,
                       "%s is too large; add constraints on its first parameters", listing->owner);
    listing->indices[axis] = (uint16_t)i;
    listing->values[axis] = values->values[i];
    PAWL_TRY(allowed(listing, axis + 1, &go_on));
    if (go_on) PAWL_TRY(list_from(listing, axis + 1));
  }
  return PAWL_OK;
}

static void make_axis(const struct pawl_tune_dimension *dimension, struct pawl_arena *arena,
                      struct pawl_tune_axis *out) {
  *out = (struct pawl_tune_axis){
      .name = dimension->name, .count = dimension->values.count, .ordinal = true};
  out->values = pawl_arena_alloc(arena, out->count, sizeof *out->values);
  for (size_t i = 0; i < out->count; i++) {
    out->values[i] = pawl_tune_value_of(dimension->values.items[i]);
    if (isnan(out->values[i].number)) out->ordinal = false;
  }
}

static bool is_tuned(const struct pawl_kernel_spec *spec, const char *name) {
  for (size_t i = 0; i < spec->tune_count; i++) {
    if (!strcmp(spec->tune[i].name, name)) return true;
  }
  return false;
}

/* Collects the names that constraints may use, and the values of fixed params. */
static size_t collect_names(const struct pawl_kernel_spec *spec, struct listing *listing,
                            const char **names) {
  const size_t room = PAWL_COUNT(listing->values);
  size_t count = 0;
  for (; count < spec->tune_count; count++) names[count] = spec->tune[count].name;
  for (size_t i = 0; i < spec->param_count && count < room; i++) {
    if (is_tuned(spec, spec->params[i].name)) continue;
    names[count] = spec->params[i].name;
    listing->values[count++] = pawl_tune_value_of(spec->params[i].value);
  }
  return count;
}

/* The key of a configuration, "A=1,B=2", must identify it. */
static pawl_status check_values(const struct listing *listing, struct pawl_arena *arena) {
  const struct pawl_kernel_spec *spec = listing->spec;
  for (size_t i = 0; i + 1 < spec->tune_count; i++) {
    const char *next = pawl_arena_printf(arena, ",%s=", spec->tune[i + 1].name);
    for (size_t j = 0; j < spec->tune[i].values.count; j++) {
      const char *value = spec->tune[i].values.items[j];
      if (strstr(value, next))
        return pawl_fail(listing->err, PAWL_CONFIG,
                         "%s: the value '%.100s' of %s contains '%s'; write it otherwise",
                         listing->owner, value, spec->tune[i].name, next);
    }
  }
  return PAWL_OK;
}

static pawl_status parse_constraints(const struct pawl_kernel_spec *spec, struct listing *listing,
                                     struct pawl_arena *arena) {
  if (spec->tune_count > PAWL_TUNE_MOST_DIMENSIONS)
    return pawl_fail(listing->err, PAWL_CONFIG, "%s tunes more than %u parameters", listing->owner,
                     PAWL_TUNE_MOST_DIMENSIONS);
  PAWL_TRY(check_values(listing, arena));
  const char **names = pawl_arena_alloc(arena, PAWL_COUNT(listing->values), sizeof *names);
  const size_t name_count = collect_names(spec, listing, names), count = spec->constraints.count;
  listing->constraints = pawl_arena_alloc(arena, count + 1, sizeof *listing->constraints);
  listing->ready = pawl_arena_alloc(arena, count + 1, sizeof *listing->ready);
  for (size_t i = 0; i < count; i++) {
    struct pawl_expression *constraint = &listing->constraints[i];
    PAWL_TRY(blame(listing, i,
                   pawl_expression_parse(spec->constraints.items[i], names, name_count, arena,
                                         constraint, listing->err)));
    const size_t last = constraint->last_name;
    listing->ready[i] = last == SIZE_MAX          ? 1
                        : last < spec->tune_count ? last + 1
                                                  : spec->tune_count;
  }
  listing->constraint_count = count;
  return PAWL_OK;
}

static const char *space_owner_of(const struct pawl_kernel_spec *spec, const char *path,
                                  struct pawl_arena *arena) {
  return pawl_arena_printf(arena, "%s:%d: kernel '%s'", path, spec->line, spec->name);
}

/* A mistake without a line of its own gets the line of the kernel. */
static enum pawl_status_code name_owner(const struct listing *listing,
                                        enum pawl_status_code status) {
  if (status == PAWL_CONFIG && !pawl_starts_with(listing->err->message, listing->path))
    pawl_prefix(listing->err, "%s", listing->owner);
  return status;
}

pawl_status pawl_space_check(const struct pawl_kernel_spec *spec, const char *path,
                             struct pawl_arena *arena, struct pawl_error *err) {
  struct listing listing = {.path = path, .spec = spec, .arena = arena, .err = err};
  listing.owner = space_owner_of(spec, path, arena);
  return name_owner(&listing, parse_constraints(spec, &listing, arena));
}

pawl_status pawl_space_init(struct pawl_space *space, const struct pawl_kernel_spec *spec,
                            const char *path, struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_space made = {.axis_count = spec->tune_count};
  struct listing listing = {.space = &made, .path = path, .spec = spec, .arena = arena, .err = err};
  listing.owner = space_owner_of(spec, path, arena);
  if (!spec->tune_count)
    return pawl_fail(err, PAWL_CONFIG,
                     "%s has no 'tune'; list the parameters to try, such as {BLOCK_M: [16, 32]}",
                     listing.owner);
  made.axes = pawl_arena_alloc(arena, made.axis_count, sizeof *made.axes);
  for (size_t i = 0; i < made.axis_count; i++) make_axis(&spec->tune[i], arena, &made.axes[i]);
  enum pawl_status_code status = parse_constraints(spec, &listing, arena);
  if (status == PAWL_OK) status = list_from(&listing, 0);
  if (status == PAWL_OK && !made.count)
    status = pawl_fail(err, PAWL_CONFIG, "%s: no configuration satisfies all constraints",
                       listing.owner);
  status = name_owner(&listing, status);
  if (status == PAWL_OK) {
    made.configurations =
        pawl_arena_alloc(arena, made.count * made.axis_count, sizeof *made.configurations);
    memcpy(made.configurations, listing.found,
           made.count * made.axis_count * sizeof *made.configurations);
    *space = made;
  }
  pawl_free(listing.found);
  return status;
}

static int compare(const void *a, const void *b, void *axis_count) {
  const uint16_t *left = a, *right = b;
  for (size_t i = 0; i < *(const size_t *)axis_count; i++) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}

pawl_status pawl_space_of_list(struct pawl_space *space, struct pawl_tune_axis *axes,
                               size_t axis_count, const uint16_t *configurations, size_t count,
                               struct pawl_arena *arena, struct pawl_error *err) {
  const size_t size = axis_count * sizeof *configurations;
  struct pawl_space made = {.axes = axes, .axis_count = axis_count, .count = count};
  made.configurations = pawl_arena_alloc(arena, count * axis_count, sizeof *configurations);
  memcpy(made.configurations, configurations, count * size);
  qsort_r(made.configurations, count, size, compare, &made.axis_count);
  for (size_t i = 1; i < count; i++) {
    if (!compare(pawl_space_at(&made, i - 1), pawl_space_at(&made, i), &made.axis_count))
      return pawl_fail(err, PAWL_BAD_DATA, "two configurations of the space are equal");
  }
  *space = made;
  return PAWL_OK;
}

const uint16_t *pawl_space_at(const struct pawl_space *space, size_t index) {
  return &space->configurations[index * space->axis_count];
}

size_t pawl_space_find(const struct pawl_space *space, const uint16_t *configuration) {
  size_t low = 0, high = space->count, axes = space->axis_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = compare(pawl_space_at(space, middle), configuration, &axes);
    if (!order) return middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return PAWL_NO_CONFIGURATION;
}

struct pawl_neighbours pawl_space_neighbours(const struct pawl_space *space, size_t index) {
  struct pawl_neighbours out = {.space = space};
  memcpy(out.at, pawl_space_at(space, index), space->axis_count * sizeof *out.at);
  out.own = out.at[0];
  return out;
}

size_t pawl_space_next_neighbour(struct pawl_neighbours *neighbours) {
  const struct pawl_space *space = neighbours->space;
  while (neighbours->axis < space->axis_count) {
    uint16_t *changed = &neighbours->at[neighbours->axis];
    if (neighbours->value == space->axes[neighbours->axis].count) {
      *changed = neighbours->own;
      neighbours->axis++;
      neighbours->value = 0;
      if (neighbours->axis < space->axis_count) neighbours->own = neighbours->at[neighbours->axis];
      continue;
    }
    *changed = (uint16_t)neighbours->value++;
    const size_t index = *changed == neighbours->own ? PAWL_NO_CONFIGURATION
                                                     : pawl_space_find(space, neighbours->at);
    if (index != PAWL_NO_CONFIGURATION) return index;
  }
  return PAWL_NO_CONFIGURATION;
}

const char *pawl_space_value(const struct pawl_space *space, size_t index, size_t axis) {
  return space->axes[axis].values[pawl_space_at(space, index)[axis]].word;
}

void pawl_space_key(const struct pawl_space *space, size_t index, struct pawl_text *out) {
  for (size_t i = 0; i < space->axis_count; i++)
    pawl_text_printf(out, "%s%s=%s", i ? "," : "", space->axes[i].name,
                     pawl_space_value(space, index, i));
}

/* Returns whether the value of an axis ends here in a key, before the next axis or at the end. A
 * value may contain commas. */
static bool value_ends(const char *key, const struct pawl_tune_axis *next) {
  if (!next) return !*key;
  return *key == ',' && pawl_starts_with(key + 1, next->name) && key[1 + strlen(next->name)] == '=';
}

/* Matches "NAME=WORD" of an axis at the beginning of a key. Returns its end, or NULL. */
static const char *match_value(const char *key, const struct pawl_tune_axis *axis,
                               const struct pawl_tune_axis *next, uint16_t *value) {
  const size_t length = strlen(axis->name);
  if (!pawl_starts_with(key, axis->name) || key[length] != '=') return NULL;
  for (size_t i = 0; i < axis->count; i++) {
    const char *word = axis->values[i].word, *end = key + length + 1 + strlen(word);
    if (!pawl_starts_with(key + length + 1, word) || !value_ends(end, next)) continue;
    *value = (uint16_t)i;
    return end;
  }
  return NULL;
}

size_t pawl_space_find_key(const struct pawl_space *space, const char *key) {
  uint16_t at[PAWL_TUNE_MOST_DIMENSIONS];
  for (size_t axis = 0; axis < space->axis_count; axis++) {
    const bool last = axis + 1 == space->axis_count;
    key = match_value(key, &space->axes[axis], last ? NULL : &space->axes[axis + 1], &at[axis]);
    if (!key) return PAWL_NO_CONFIGURATION;
    key += !last;
  }
  return pawl_space_find(space, at);
}
