/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fields.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static bool number_fits(enum pawl_field_rule rule, double value) {
  if (!isfinite(value)) return false;
  if (rule == PAWL_FIELD_TIME) return value > 0;
  return rule != PAWL_FIELD_AMOUNT || value >= 0;
}

static const char *wanted(enum pawl_field_rule rule) {
  switch (rule) {
    case PAWL_FIELD_TIME: return "a number greater than 0";
    case PAWL_FIELD_AMOUNT: return "a number, 0 or greater";
    case PAWL_FIELD_NUMBER: return "a number";
    case PAWL_FIELD_COUNT: return "an integer, 0 or greater";
    case PAWL_FIELD_INTEGER: return "an integer";
    case PAWL_FIELD_SIZE:
    case PAWL_FIELD_INT: return "an integer from 0 to 1000000000";
    case PAWL_FIELD_SEED: return "an integer of 64 bits";
    case PAWL_FIELD_STRING:
    case PAWL_FIELD_NAME:
    case PAWL_FIELD_CHOICE: return "a text";
    case PAWL_FIELD_COMMIT: return PAWL_COMMIT_ID_WANTED;
    case PAWL_FIELD_FLAG:
    case PAWL_FIELD_MAYBE: return "true or false";
    case PAWL_FIELD_TIMES: return "a list of at least one number greater than 0";
    case PAWL_FIELD_NUMBERS: return "a list of numbers";
    case PAWL_FIELD_STRINGS: return "a list of texts";
    case PAWL_FIELD_LIST: return "a list of objects";
    case PAWL_FIELD_STRUCT:
    case PAWL_FIELD_OBJECT: return "an object";
    case PAWL_FIELD_INSIDE:
    case PAWL_FIELD_BESIDE:
    case PAWL_FIELD_VERSION:
    case PAWL_FIELD_OWN: break;
  }
  return "there";
}

static void *fields_field_at(void *target, size_t offset) { return (char *)target + offset; }

/* --- values --- */

static pawl_status read_numbers(enum pawl_field_rule rule, const json_t *value,
                                const struct pawl_json_path *path, struct pawl_arena *arena,
                                double **out, size_t *out_count, struct pawl_error *err) {
  const size_t count = json_array_size(value);
  double *numbers = pawl_arena_alloc(arena, count, sizeof *numbers);
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(value, i);
    numbers[i] = json_number_value(item);
    if (!json_is_number(item) || !number_fits(rule, numbers[i])) {
      const struct pawl_json_path place = PAWL_JSON_INDEX(path, i);
      return pawl_json_value_fail(&place, NULL, item, wanted(rule), PAWL_BAD_DATA, err);
    }
  }
  *out = numbers;
  *out_count = count;
  return PAWL_OK;
}

static pawl_status read_strings(const json_t *value, const struct pawl_json_path *path,
                                struct pawl_arena *arena, const char ***out, size_t *out_count,
                                struct pawl_error *err) {
  const size_t count = json_array_size(value);
  const char **strings = count ? pawl_arena_alloc(arena, count, sizeof *strings) : NULL;
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(value, i);
    if (!json_is_string(item)) {
      const struct pawl_json_path place = PAWL_JSON_INDEX(path, i);
      return pawl_json_value_fail(&place, NULL, item, wanted(PAWL_FIELD_STRING), PAWL_BAD_DATA,
                                  err);
    }
    strings[i] = pawl_arena_copy(arena, json_string_value(item));
  }
  *out = strings;
  *out_count = count;
  return PAWL_OK;
}

bool pawl_seed_from_json(const json_t *value, uint64_t *out) {
  if (!json_is_integer(value))
    return json_is_string(value) && pawl_parse_u64(json_string_value(value), out);
  *out = (uint64_t)json_integer_value(
      value); /* older files hold those above 63 bits as negative numbers */
  return true;
}

static pawl_status read_choice(const struct pawl_field *field, const json_t *value,
                               const struct pawl_json_path *path, int *out,
                               struct pawl_error *err) {
  for (int i = 0; i < field->names; i++) {
    const char *name = field->name_of(i);
    if (!name || strcmp(json_string_value(value), name) != 0) continue;
    *out = i;
    return PAWL_OK;
  }
  if (field->lenient) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text names = {0};
  const char *list[PAWL_FIELD_CHOICES];
  size_t count = 0;
  for (int i = 0; i < field->names; i++) {
    list[count] = field->name_of(i);
    if (list[count]) count++;
  }
  return pawl_json_value_fail(path, field->key, value, pawl_text_add_names(&names, list, count),
                              PAWL_BAD_DATA, err);
}

bool pawl_is_commit_id(const char *text) {
  const size_t length = strspn(text, "0123456789abcdef");
  return length >= 4 && length <= 64 && !text[length];
}

static bool is_up_to_most(const json_t *value) {
  return json_is_integer(value) && json_integer_value(value) >= 0 &&
         json_integer_value(value) <= PAWL_FIELD_MOST;
}

static bool kind_fits(enum pawl_field_rule rule, const json_t *value) {
  uint64_t seed;
  switch (rule) {
    case PAWL_FIELD_NUMBER:
    case PAWL_FIELD_AMOUNT:
    case PAWL_FIELD_TIME:
      return json_is_number(value) && number_fits(rule, json_number_value(value));
    case PAWL_FIELD_INTEGER: return json_is_integer(value);
    case PAWL_FIELD_COUNT: return json_is_integer(value) && json_integer_value(value) >= 0;
    case PAWL_FIELD_SIZE:
    case PAWL_FIELD_INT: return is_up_to_most(value);
    case PAWL_FIELD_SEED: return pawl_seed_from_json(value, &seed);
    case PAWL_FIELD_STRING:
    case PAWL_FIELD_NAME:
    case PAWL_FIELD_CHOICE: return json_is_string(value);
    case PAWL_FIELD_COMMIT:
      return json_is_string(value) && pawl_is_commit_id(json_string_value(value));
    case PAWL_FIELD_FLAG:
    case PAWL_FIELD_MAYBE: return json_is_boolean(value);
    case PAWL_FIELD_TIMES: return json_array_size(value) > 0;
    case PAWL_FIELD_NUMBERS:
    case PAWL_FIELD_STRINGS:
    case PAWL_FIELD_LIST: return json_is_array(value);
    case PAWL_FIELD_STRUCT:
    case PAWL_FIELD_OBJECT: return json_is_object(value);
    case PAWL_FIELD_INSIDE:
    case PAWL_FIELD_BESIDE:
    case PAWL_FIELD_VERSION:
    case PAWL_FIELD_OWN: break;
  }
  return true;
}

static pawl_status check_length(const struct pawl_field *field, const json_t *value,
                                const struct pawl_json_path *path, struct pawl_error *err) {
  if (field->rule == PAWL_FIELD_NAME && strlen(json_string_value(value)) > PAWL_FIELD_NAME_BYTES)
    return pawl_json_path_fail(path, field->key, PAWL_BAD_DATA, err, "is longer than %d bytes",
                               PAWL_FIELD_NAME_BYTES);
  if (field->max && json_integer_value(value) > field->max)
    return pawl_json_path_fail(path, field->key, PAWL_BAD_DATA, err, "must be at most %d",
                               field->max);
  if (field->max && json_array_size(value) > (size_t)field->max)
    return pawl_json_path_fail(path, field->key, PAWL_BAD_DATA, err, "has more than %d elements",
                               field->max);
  return PAWL_OK;
}

static pawl_status fields_read_object(const struct pawl_fields *table, const json_t *object,
                                      const struct pawl_json_path *path, struct pawl_arena *arena,
                                      void **out, struct pawl_error *err) {
  void *target = *out; /* another row of the same pointer may have made it */
  if (!target) {
    target = pawl_arena_alloc(arena, 1, table->size);
    pawl_struct_init(table, target);
  }
  PAWL_TRY(pawl_struct_read(table, object, path, arena, target, err));
  *out = target;
  return PAWL_OK;
}

static pawl_status read_field(const struct pawl_field *field, const json_t *value,
                              const struct pawl_json_path *path, struct pawl_arena *arena,
                              void *target, struct pawl_error *err) {
  if (!kind_fits(field->rule, value))
    return pawl_json_value_fail(path, field->key, value, wanted(field->rule), PAWL_BAD_DATA, err);
  PAWL_TRY(check_length(field, value, path, err));
  void *member = fields_field_at(target, field->offset),
       *beside = fields_field_at(target, field->count_offset);
  const struct pawl_json_path here = PAWL_JSON_KEY(path, field->key);
  switch (field->rule) {
    case PAWL_FIELD_NUMBER:
    case PAWL_FIELD_AMOUNT:
    case PAWL_FIELD_TIME:
      *(double *)member = json_number_value(value) / (field->scale > 0 ? field->scale : 1);
      break;
    case PAWL_FIELD_INTEGER: *(int64_t *)member = json_integer_value(value); break;
    case PAWL_FIELD_COUNT: *(long long *)member = json_integer_value(value); break;
    case PAWL_FIELD_SIZE: *(size_t *)member = (size_t)json_integer_value(value); break;
    case PAWL_FIELD_INT: *(int *)member = (int)json_integer_value(value); break;
    case PAWL_FIELD_SEED: pawl_seed_from_json(value, member); break;
    case PAWL_FIELD_STRING:
    case PAWL_FIELD_COMMIT:
    case PAWL_FIELD_NAME:
      *(const char **)member = pawl_arena_copy(arena, json_string_value(value));
      break;
    case PAWL_FIELD_MAYBE: *(bool *)beside = true; /* fall through */
    case PAWL_FIELD_FLAG: *(bool *)member = json_is_true(value); break;
    case PAWL_FIELD_CHOICE: return read_choice(field, value, path, member, err);
    case PAWL_FIELD_TIMES:
      return read_numbers(PAWL_FIELD_TIME, value, &here, arena, member, beside, err);
    case PAWL_FIELD_NUMBERS:
      return read_numbers(PAWL_FIELD_NUMBER, value, &here, arena, member, beside, err);
    case PAWL_FIELD_STRINGS: return read_strings(value, &here, arena, member, beside, err);
    case PAWL_FIELD_LIST:
      return pawl_list_read(field->table, field->max, value, &here, arena, member, beside, err);
    case PAWL_FIELD_STRUCT:
      pawl_struct_init(field->table, member);
      return pawl_struct_read(field->table, value, &here, arena, member, err);
    case PAWL_FIELD_OBJECT:
      return fields_read_object(field->table, value, &here, arena, member, err);
    case PAWL_FIELD_OWN: return field->read(value, &here, arena, target, err);
    case PAWL_FIELD_INSIDE:
    case PAWL_FIELD_VERSION:
    case PAWL_FIELD_BESIDE: break;
  }
  return PAWL_OK;
}

/* --- tables --- */

void pawl_fields_init(const struct pawl_field *fields, size_t count, void *target) {
  for (size_t i = 0; i < count; i++) {
    void *member = fields_field_at(target, fields[i].offset),
         *beside = fields_field_at(target, fields[i].count_offset);
    switch (fields[i].rule) {
      case PAWL_FIELD_NUMBER:
      case PAWL_FIELD_AMOUNT:
      case PAWL_FIELD_TIME: *(double *)member = (double)NAN; break;
      case PAWL_FIELD_COUNT: *(long long *)member = -1; break;
      case PAWL_FIELD_INTEGER: *(int64_t *)member = 0; break;
      case PAWL_FIELD_INT: *(int *)member = -1; break;
      case PAWL_FIELD_SIZE: *(size_t *)member = 0; break;
      case PAWL_FIELD_SEED: *(uint64_t *)member = 0; break;
      case PAWL_FIELD_CHOICE: *(int *)member = 0; break;
      case PAWL_FIELD_MAYBE: *(bool *)beside = false; /* fall through */
      case PAWL_FIELD_FLAG: *(bool *)member = false; break;
      case PAWL_FIELD_STRING:
      case PAWL_FIELD_NAME:
      case PAWL_FIELD_COMMIT:
      case PAWL_FIELD_OBJECT:
      case PAWL_FIELD_BESIDE: *(void **)member = NULL; break;
      case PAWL_FIELD_TIMES:
      case PAWL_FIELD_NUMBERS:
      case PAWL_FIELD_STRINGS:
      case PAWL_FIELD_LIST:
        *(void **)member = NULL;
        *(size_t *)beside = 0;
        break;
      case PAWL_FIELD_STRUCT:
      case PAWL_FIELD_INSIDE:
        pawl_fields_init(fields[i].table->rows, fields[i].table->count, member);
        break;
      case PAWL_FIELD_VERSION:
      case PAWL_FIELD_OWN: break;
    }
  }
}

void pawl_struct_init(const struct pawl_fields *table, void *target) {
  pawl_fields_init(table->rows, table->count, target);
  if (table->init) table->init(target);
}

static bool fields_is_there(const json_t *value) { return value && !json_is_null(value); }

pawl_status pawl_fields_read(const struct pawl_field *fields, size_t count, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena,
                             void *target, struct pawl_error *err) {
  if (!json_is_object(object))
    return pawl_json_value_fail(path, NULL, object, "an object", PAWL_BAD_DATA, err);
  for (size_t i = 0; i < count; i++) {
    const struct pawl_field *field = &fields[i];
    const json_t *value = field->key ? json_object_get(object, field->key) : NULL;
    void *member = fields_field_at(target, field->offset);
    if (field->rule == PAWL_FIELD_VERSION || field->written ||
        (field->rule == PAWL_FIELD_OWN && !field->read))
      continue;
    if (field->rule == PAWL_FIELD_INSIDE) {
      PAWL_TRY(pawl_struct_read(field->table, object, path, arena, member, err));
    } else if (field->rule == PAWL_FIELD_BESIDE && fields_is_there(value)) {
      PAWL_TRY(fields_read_object(field->table, object, path, arena, member, err));
    } else if (fields_is_there(value)) {
      PAWL_TRY(read_field(field, value, path, arena, target, err));
    } else if (field->required) {
      return pawl_json_value_fail(path, field->key, NULL, wanted(field->rule), PAWL_BAD_DATA, err);
    }
  }
  return PAWL_OK;
}

pawl_status pawl_struct_read(const struct pawl_fields *table, const json_t *object,
                             const struct pawl_json_path *path, struct pawl_arena *arena,
                             void *target, struct pawl_error *err) {
  PAWL_TRY(pawl_fields_read(table->rows, table->count, object, path, arena, target, err));
  return table->check ? table->check(target, path, err) : PAWL_OK;
}

pawl_status pawl_list_read(const struct pawl_fields *table, int max, const json_t *value,
                           const struct pawl_json_path *path, struct pawl_arena *arena, void **out,
                           size_t *count, struct pawl_error *err) {
  const size_t size = json_array_size(value);
  if (!json_is_array(value))
    return pawl_json_value_fail(path, NULL, value, wanted(PAWL_FIELD_LIST), PAWL_BAD_DATA, err);
  if (max && size > (size_t)max)
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err, "has more than %d elements", max);
  char *items = pawl_arena_alloc(arena, size + 1, table->size);
  for (size_t i = 0; i < size; i++) {
    const struct pawl_json_path place = PAWL_JSON_INDEX(path, i);
    pawl_struct_init(table, items + i * table->size);
    PAWL_TRY(pawl_struct_read(table, json_array_get(value, i), &place, arena,
                              items + i * table->size, err));
  }
  *out = items;
  *count = size;
  return PAWL_OK;
}
