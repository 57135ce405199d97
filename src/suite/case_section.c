/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `cases` and `check`: shapes, single and as matrices. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "model/dtype.h"
#include "model/names.h"
#include "suite/suite_sections.h"
#include "suite/tables.h"
#include "yaml/values.h"

#define MOST_AXIS_VALUES 1000
#define MOST_CHECKS 100
#define MOST_SHAPES 100000 /* in one matrix */
#define DTYPES "a dtype (f64 f32 f16 bf16 e4m3 i32 i64 u8)"

static int32_t dtype_of(const struct pawl_yaml *node) {
  return node->kind == PAWL_YAML_SCALAR ? pawl_dtype_parse(node->text) : PAWL_DTYPE_NONE;
}

static pawl_status read_dtype(const struct pawl_slot *slot, void *field) {
  const int32_t dtype = dtype_of(slot->node);
  if (dtype == PAWL_DTYPE_NONE) return pawl_slot_fail(slot, slot->node, DTYPES);
  *(int32_t *)field = dtype;
  return PAWL_OK;
}

/* Fails for a free name without an integer. If the name looks like a key, it is a misspelt key. */
static enum pawl_status_code fail_free_name(const struct pawl_slot *slot,
                                            const struct pawl_yaml *node, const char *wanted) {
  if (!pawl_is_identifier(slot->name->text) || pawl_keys_nearest(slot->table, slot->name->text))
    return pawl_slot_unknown(slot);
  return pawl_slot_fail(slot, node, wanted);
}

static pawl_status read_dim(const struct pawl_slot *slot, void *field) {
  struct pawl_case *config = field;
  int64_t value;
  if (!pawl_is_identifier(slot->name->text) || !pawl_yaml_integer(slot->node, &value))
    return fail_free_name(slot, slot->node, "an integer, true or false");
  config->dims[config->count] = (struct pawl_dim){slot->name->text, value};
  config->places[config->count++] = pawl_yaml_place(slot->reader, slot->name);
  return PAWL_OK;
}

static const struct pawl_key case_rows[] = {
    {"operator", pawl_read_operator_name, offsetof(struct pawl_case, operator_name)},
    {"dtype", read_dtype, offsetof(struct pawl_case, dtype)},
};
static const struct pawl_keys case_keys = PAWL_KEYS(case_rows, read_dim);

static pawl_status case_section_read_case(const struct pawl_slot *section, size_t i,
                                          struct pawl_case *out) {
  const struct pawl_yaml_reader *reader = section->reader;
  const struct pawl_yaml *name = section->node->keys[i], *map = section->node->items[i];
  if (!pawl_is_name(name->text))
    return pawl_yaml_fail(reader, name,
                          "'%.60s' in cases is not a valid name: use letters, digits, '_', '.' and "
                          "'-', and start with a letter, a digit or '_'",
                          name->text);
  const char *owner = pawl_arena_printf(reader->arena, "case '%s'", name->text);
  struct pawl_case config = {.name = name->text, .place = pawl_yaml_place(reader, name)};
  config.dims = pawl_arena_alloc(reader->arena, map->count + 1, sizeof *config.dims);
  config.places = pawl_arena_alloc(reader->arena, map->count + 1, sizeof *config.places);
  PAWL_TRY(pawl_keys_read(reader, &case_keys, owner, map, &config));
  if (!config.operator_name && (config.count || config.dtype != PAWL_DTYPE_NONE))
    return pawl_yaml_fail(reader, name,
                          "'operator' of %s is missing: name the operator of this shape", owner);
  if (config.operator_name)
    config.operator_place = pawl_yaml_place(reader, pawl_yaml_get(map, "operator"));
  *out = config;
  return PAWL_OK;
}

pawl_status pawl_read_cases(const struct pawl_slot *slot, void *field) {
  struct pawl_suite *suite = field;
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP) return pawl_slot_fail(slot, map, "a mapping of names to shapes");
  suite->cases = pawl_arena_alloc(slot->reader->arena, map->count + 1, sizeof *suite->cases);
  for (size_t i = 0; i < map->count; i++)
    PAWL_TRY(case_section_read_case(slot, i, &suite->cases[i]));
  suite->case_count = map->count;
  return PAWL_OK;
}

struct range {
  int64_t low, high, step;
};

/* Parses "448..640 step 96" or "1..8". Both ends are included. */
static bool parse_range(const struct pawl_yaml *node, struct range *out) {
  char text[96];
  if (node->kind != PAWL_YAML_SCALAR || strlen(node->text) >= sizeof text) return false;
  strcpy(text, node->text);
  char *dots = strstr(text, "..");
  if (!dots) return false;
  *dots = '\0';
  char *step = strstr(dots + 2, " step ");
  if (step) *step = '\0';
  out->step = 1;
  return pawl_parse_i64(text, &out->low) && pawl_parse_i64(dots + 2, &out->high) &&
         (!step || pawl_parse_i64(step + 6, &out->step)) && out->low <= out->high && out->step >= 1;
}

/* Parses a range, or an integer as a range of one. */
static bool parse_axis_value(const struct pawl_yaml *node, struct range *out) {
  out->step = 1;
  if (!pawl_yaml_integer(node, &out->low)) return parse_range(node, out);
  out->high = out->low;
  return true;
}

static pawl_status add_axis_value(const struct pawl_slot *slot, const struct pawl_yaml *node,
                                  struct pawl_axis *axis, size_t *capacity) {
  struct range range;
  if (!parse_axis_value(node, &range))
    return fail_free_name(slot, node, "integers or ranges such as 448..640 step 64");
  /* unsigned, because high - low may exceed INT64_MAX */
  const uint64_t steps = ((uint64_t)range.high - (uint64_t)range.low) / (uint64_t)range.step;
  if (steps >= MOST_AXIS_VALUES - axis->count)
    return pawl_yaml_fail(slot->reader, node, "'%s' of %s has more than %d values",
                          slot->name->text, slot->owner, MOST_AXIS_VALUES);
  for (uint64_t i = 0; i <= steps; i++) {
    const int64_t value = (int64_t)((uint64_t)range.low + i * (uint64_t)range.step);
    for (size_t j = 0; j < axis->count; j++) {
      if (axis->values[j] == value)
        return pawl_yaml_fail(slot->reader, node, "'%s' of %s lists %" PRId64 " twice",
                              slot->name->text, slot->owner, value);
    }
    axis->values = pawl_grow(axis->values, axis->count, capacity, sizeof *axis->values);
    axis->values[axis->count++] = value;
  }
  return PAWL_OK;
}

/* Collects the values in heap memory until their number is known, then moves them to the arena. */
static pawl_status add_axis_values(const struct pawl_slot *slot, struct pawl_axis *axis) {
  const struct pawl_yaml *node = slot->node;
  size_t capacity = 0;
  if (node->kind != PAWL_YAML_LIST) return add_axis_value(slot, node, axis, &capacity);
  for (size_t i = 0; i < node->count; i++)
    PAWL_TRY(add_axis_value(slot, node->items[i], axis, &capacity));
  return node->count ? PAWL_OK : pawl_slot_fail(slot, node, "at least one integer");
}

static pawl_status read_axis(const struct pawl_slot *slot, void *field) {
  struct pawl_check_spec *spec = field;
  if (!pawl_is_identifier(slot->name->text)) return pawl_slot_unknown(slot);
  struct pawl_axis axis = {.name = slot->name->text,
                           .place = pawl_yaml_place(slot->reader, slot->name)};
  const enum pawl_status_code status = add_axis_values(slot, &axis);
  if (status == PAWL_OK) {
    struct pawl_axis *out = &spec->axes[spec->axis_count++];
    *out = axis;
    out->values = pawl_arena_alloc(slot->reader->arena, axis.count, sizeof *out->values);
    memcpy(out->values, axis.values, axis.count * sizeof *out->values);
  }
  pawl_free(axis.values);
  return status;
}

static pawl_status read_dtypes(const struct pawl_slot *slot, void *field) {
  struct pawl_check_spec *spec = field;
  const struct pawl_yaml *node = slot->node;
  const bool list = node->kind == PAWL_YAML_LIST;
  const size_t count = list ? node->count : 1;
  int32_t *dtypes = pawl_arena_alloc(slot->reader->arena, count + 1, sizeof *dtypes);
  if (!count) return pawl_slot_fail(slot, node, DTYPES " or a list of them");
  for (size_t i = 0; i < count; i++) {
    const struct pawl_yaml *item = list ? node->items[i] : node;
    dtypes[i] = dtype_of(item);
    if (dtypes[i] == PAWL_DTYPE_NONE)
      return pawl_slot_fail(slot, item, DTYPES " or a list of them");
    for (size_t j = 0; j < i; j++) {
      if (dtypes[j] == dtypes[i])
        return pawl_yaml_fail(slot->reader, item, "'dtype' of %s lists %s twice", slot->owner,
                              pawl_dtype_name(dtypes[i]));
    }
  }
  spec->dtypes = dtypes;
  spec->dtype_count = count;
  return PAWL_OK;
}

static pawl_status read_oracle(const struct pawl_slot *slot, void *field) {
  const char *text = slot->node->kind == PAWL_YAML_SCALAR ? slot->node->text : "";
  const bool reference =
      pawl_starts_with(text, "reference ") && pawl_is_name(text + strlen("reference "));
  if (!reference && strcmp(text, "builtin") != 0 && strcmp(text, "cpu") != 0 &&
      strcmp(text, PAWL_ORACLE_BASE) != 0)
    return pawl_slot_fail(slot, slot->node, "builtin, cpu, base or 'reference NAME'");
  *(const char **)field = text;
  return PAWL_OK;
}

static bool same_dtypes(const void *a, const void *b) {
  const struct pawl_check_spec *x = a, *y = b;
  return x->dtype_count == y->dtype_count &&
         (!x->dtype_count || !memcmp(x->dtypes, y->dtypes, x->dtype_count * sizeof *x->dtypes));
}

static bool same_oracle(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b) == 0;
}

static bool same_axes(const void *a, const void *b) {
  const struct pawl_check_spec *x = a, *y = b;
  if (x->axis_count != y->axis_count) return false;
  for (size_t i = 0; i < x->axis_count; i++) {
    const struct pawl_axis *mine = &x->axes[i], *theirs = &y->axes[i];
    if (strcmp(mine->name, theirs->name) != 0 || mine->count != theirs->count ||
        (mine->count &&
         memcmp(mine->values, theirs->values, mine->count * sizeof *mine->values) != 0))
      return false;
  }
  return true;
}

static const struct pawl_key check_rows[] = {
    {"dtype", read_dtypes, 0, .equal = same_dtypes},
    {"atol", pawl_read_number, offsetof(struct pawl_check_spec, atol), 0, 1e30},
    {"rtol", pawl_read_number, offsetof(struct pawl_check_spec, rtol), 0, 1},
    {"rel_rms", pawl_read_number, offsetof(struct pawl_check_spec, rel_rms), 0, 1},
    {"oracle", read_oracle, offsetof(struct pawl_check_spec, oracle), .equal = same_oracle},
};
const struct pawl_keys pawl_check_keys = {check_rows, PAWL_COUNT(check_rows), read_axis, same_axes};

static const struct pawl_key sweep_rows[] = {
    {"dtype", read_dtypes, 0},
    {"where", pawl_read_strings, offsetof(struct pawl_check_spec, where), 1},
};
static const struct pawl_keys sweep_keys = PAWL_KEYS(sweep_rows, read_axis);

/* Reads the matrix of an operator in the section `check` or `sweep`. */
static pawl_status read_matrix(const struct pawl_slot *section, const struct pawl_keys *keys,
                               size_t i, struct pawl_check_spec *out) {
  const struct pawl_yaml_reader *reader = section->reader;
  const struct pawl_yaml *name = section->node->keys[i], *map = section->node->items[i];
  if (!pawl_is_operator_name(name->text))
    return pawl_yaml_fail(
        reader, name,
        "'%.60s' in %s is not a valid operator name: use small letters, digits and '_'", name->text,
        section->name->text);
  const char *owner =
      pawl_arena_printf(reader->arena, "%s of '%s'", section->name->text, name->text);
  struct pawl_check_spec spec = {.operator_name = name->text,
                                 .place = pawl_yaml_place(reader, name),
                                 .atol = (double)NAN,
                                 .rtol = (double)NAN,
                                 .rel_rms = (double)NAN,
                                 .oracle = "builtin"};
  spec.axes = pawl_arena_alloc(reader->arena, map->count + 1, sizeof *spec.axes);
  PAWL_TRY(pawl_keys_read(reader, keys, owner, map, &spec));
  size_t shapes = spec.dtype_count ? spec.dtype_count : 1;
  for (size_t j = 0; j < spec.axis_count; j++) {
    shapes *= spec.axes[j].count;
    if (shapes > MOST_SHAPES)
      return pawl_yaml_fail(reader, name, "%s is a matrix of more than %d shapes", owner,
                            MOST_SHAPES);
  }
  *out = spec;
  return PAWL_OK;
}

/* Reads a section of matrices. */
static pawl_status read_matrices(const struct pawl_slot *slot, const struct pawl_keys *keys,
                                 struct pawl_check_spec **out, size_t *count) {
  const struct pawl_yaml *map = slot->node;
  if (map->kind != PAWL_YAML_MAP)
    return pawl_slot_fail(slot, map, "a mapping of operators to shapes");
  if (map->count > MOST_CHECKS)
    return pawl_yaml_fail(slot->reader, map, "'%s' of pawl.yaml has more than %d operators",
                          slot->name->text, MOST_CHECKS);
  *out = pawl_arena_alloc(slot->reader->arena, map->count + 1, sizeof **out);
  for (size_t i = 0; i < map->count; i++) PAWL_TRY(read_matrix(slot, keys, i, &(*out)[i]));
  *count = map->count;
  return PAWL_OK;
}

pawl_status pawl_read_checks(const struct pawl_slot *slot, void *field) {
  struct pawl_suite *suite = field;
  return read_matrices(slot, &pawl_check_keys, &suite->checks, &suite->check_count);
}

pawl_status pawl_read_sweeps(const struct pawl_slot *slot, void *field) {
  struct pawl_suite *suite = field;
  return read_matrices(slot, &sweep_keys, &suite->sweeps, &suite->sweep_count);
}
