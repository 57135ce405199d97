/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model/fields.h"

static const void *fields_write_field_at(const void *source, size_t offset) {
  return (const char *)source + offset;
}

static json_t *numbers_to_json(const double *numbers, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    PAWL_ASSERT(!json_array_append_new(list, json_real(numbers[i])));
  return list;
}

static json_t *strings_to_json(const char *const *strings, size_t count) {
  json_t *list = json_array(),
         *holder = json_object(); /* setting a member is what mends bad UTF-8 */
  for (size_t i = 0; i < count; i++) {
    pawl_json_set_string(holder, "text", strings[i]);
    json_array_append(list, json_object_get(holder, "text"));
  }
  json_decref(holder);
  return list;
}

json_t *pawl_seed_to_json(uint64_t seed, bool text) {
  char digits[24];
  if (!text && seed <= INT64_MAX) return json_integer((json_int_t)seed);
  snprintf(digits, sizeof digits, "%" PRIu64, seed);
  return json_string(digits);
}

static json_t *list_to_json(const struct pawl_fields *table, const char *items, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, pawl_struct_write(table, items + i * table->size));
  return list;
}

/* Sets the key of one row. `beside` is the count of a list, or says whether a PAWL_FIELD_MAYBE is
 * known. */
static void write_field(const struct pawl_field *field, const void *source, json_t *object) {
  const char *key = field->key;
  const void *member = fields_write_field_at(source, field->offset),
             *beside = fields_write_field_at(source, field->count_offset);
  switch (field->rule) {
    case PAWL_FIELD_NUMBER:
    case PAWL_FIELD_AMOUNT:
    case PAWL_FIELD_TIME:
      pawl_json_set_number(object, key,
                           *(const double *)member * (field->scale > 0 ? field->scale : 1));
      break;
    case PAWL_FIELD_VERSION: pawl_json_set_int(object, key, field->max); break;
    case PAWL_FIELD_INTEGER: pawl_json_set_int(object, key, *(const int64_t *)member); break;
    case PAWL_FIELD_COUNT: {
      const long long number = *(const long long *)member;
      pawl_json_set(object, key, number >= 0 ? json_integer(number) : NULL);
      break;
    }
    case PAWL_FIELD_INT: {
      const int number = *(const int *)member;
      pawl_json_set(object, key, number >= 0 ? json_integer(number) : NULL);
      break;
    }
    case PAWL_FIELD_SIZE: {
      const size_t number = *(const size_t *)member;
      pawl_json_set(object, key,
                    number || !field->zero_is_null ? json_integer((json_int_t)number) : NULL);
      break;
    }
    case PAWL_FIELD_CHOICE: {
      const int number = *(const int *)member;
      if (!number && field->left_out) break;
      pawl_json_set_string(object, key,
                           number || !field->zero_is_null ? field->name_of(number) : NULL);
      break;
    }
    case PAWL_FIELD_SEED:
      pawl_json_set(object, key, pawl_seed_to_json(*(const uint64_t *)member, field->text));
      break;
    case PAWL_FIELD_STRING:
    case PAWL_FIELD_COMMIT:
    case PAWL_FIELD_NAME: pawl_json_set_string(object, key, *(const char *const *)member); break;
    case PAWL_FIELD_FLAG:
      if (*(const bool *)member || !field->left_out)
        pawl_json_set_bool(object, key, *(const bool *)member);
      break;
    case PAWL_FIELD_MAYBE:
      pawl_json_set(object, key,
                    *(const bool *)beside ? json_boolean(*(const bool *)member) : NULL);
      break;
    case PAWL_FIELD_TIMES: {
      const size_t count = *(const size_t *)beside;
      pawl_json_set(object, key,
                    count ? numbers_to_json(*(const double *const *)member, count) : NULL);
      break;
    }
    case PAWL_FIELD_NUMBERS:
      pawl_json_set(object, key,
                    numbers_to_json(*(const double *const *)member, *(const size_t *)beside));
      break;
    case PAWL_FIELD_STRINGS:
      pawl_json_set(object, key,
                    strings_to_json(*(const char *const *const *)member, *(const size_t *)beside));
      break;
    case PAWL_FIELD_LIST:
      pawl_json_set(
          object, key,
          list_to_json(field->table, *(const char *const *)member, *(const size_t *)beside));
      break;
    case PAWL_FIELD_STRUCT:
      pawl_json_set(
          object, key,
          !field->known || field->known(source) ? pawl_struct_write(field->table, member) : NULL);
      break;
    case PAWL_FIELD_OBJECT: {
      const void *pointer = *(const void *const *)member;
      pawl_json_set(object, key, pointer ? pawl_struct_write(field->table, pointer) : NULL);
      break;
    }
    case PAWL_FIELD_OWN: {
      json_t *value = field->write(source);
      if (value || !field->left_out) pawl_json_set(object, key, value);
      break;
    }
    case PAWL_FIELD_INSIDE:
    case PAWL_FIELD_BESIDE: break;
  }
}

/* The members of a struct that is not there. */
static void write_nothing(const struct pawl_fields *table, json_t *object) {
  for (size_t i = 0; i < table->count; i++) {
    const enum pawl_field_rule rule = table->rows[i].rule;
    const bool list =
        rule == PAWL_FIELD_LIST || rule == PAWL_FIELD_NUMBERS || rule == PAWL_FIELD_STRINGS;
    pawl_json_set(object, table->rows[i].key, list ? json_array() : NULL);
  }
}

void pawl_fields_write(const struct pawl_field *fields, size_t count, const void *source,
                       json_t *object) {
  for (size_t i = 0; i < count; i++) {
    const struct pawl_fields *table = fields[i].table;
    const void *member = fields_write_field_at(source, fields[i].offset);
    if (fields[i].rule == PAWL_FIELD_BESIDE) member = *(const void *const *)member;
    if (fields[i].rule != PAWL_FIELD_INSIDE && fields[i].rule != PAWL_FIELD_BESIDE)
      write_field(&fields[i], source, object);
    else if (member)
      pawl_fields_write(table->rows, table->count, member, object);
    else
      write_nothing(table, object);
  }
}

json_t *pawl_struct_write(const struct pawl_fields *table, const void *source) {
  json_t *object = json_object();
  pawl_fields_write(table->rows, table->count, source, object);
  return object;
}

bool pawl_fields_unknown(const struct pawl_field *fields, size_t count, const void *source) {
  json_t *object = json_object(), *value;
  const char *key;
  bool unknown = true;
  pawl_fields_write(fields, count, source, object);
  json_object_foreach(object, key, value) unknown =
      unknown && (json_is_null(value) || (json_is_array(value) && !json_array_size(value)));
  json_decref(object);
  return unknown;
}

void pawl_struct_add(const struct pawl_fields *table, void *into, const void *from) {
  for (size_t i = 0; i < table->count; i++) {
    const struct pawl_field *field = &table->rows[i];
    void *member = (char *)into + field->offset;
    const void *other = fields_write_field_at(from, field->offset);
    if (!field->sum) continue;
    if (field->rule == PAWL_FIELD_OBJECT) {
      void **pointer = member;
      const void *part = *(const void *const *)other;
      if (*pointer && part)
        pawl_struct_add(field->table, *pointer, part);
      else
        *pointer = NULL;
    } else {
      *(double *)member += *(const double *)other;
    }
  }
}
