/* SPDX-License-Identifier: Apache-2.0 */
#include "record/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "record/stored_run.h"

void pawl_reader_note(struct pawl_reader *reader, enum pawl_status_code status) {
  if (reader->status == PAWL_OK) reader->status = status;
}

void pawl_reader_refuse(struct pawl_reader *reader, const char *format, ...) {
  if (reader->status != PAWL_OK) return;
  char words[PAWL_ERROR_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  reader->status = pawl_fail(reader->err, PAWL_BAD_DATA, "%s: %s", reader->path, words);
}

const char *pawl_reader_text(struct pawl_reader *reader, const json_t *object, const char *key) {
  const char *text = NULL;
  if (reader->status == PAWL_OK)
    pawl_reader_note(reader, pawl_json_get_string(object, key, reader->path, NULL, &text, reader->err));
  return text;
}

const char *pawl_reader_name(struct pawl_reader *reader, const json_t *object, const char *key) {
  const char *const name = pawl_reader_text(reader, object, key);
  if (name && strlen(name) > PAWL_RECORD_NAME)
    pawl_reader_note(reader, pawl_fail(reader->err, PAWL_BAD_DATA, "%s: '%s' is longer than %d bytes", reader->path,
                                       key, PAWL_RECORD_NAME));
  return name;
}

double pawl_reader_number(struct pawl_reader *reader, const json_t *object, const char *key) {
  double number = NAN;
  if (reader->status == PAWL_OK)
    pawl_reader_note(reader, pawl_json_get_number(object, key, reader->path, NAN, &number, reader->err));
  return number;
}

double pawl_reader_time(struct pawl_reader *reader, const json_t *object, const char *key) {
  const double time = pawl_reader_number(reader, object, key);
  if (!isnan(time) && !(time > 0)) pawl_reader_refuse(reader, "'%s' must be above 0, not %g", key, time);
  return time;
}

long long pawl_reader_count(struct pawl_reader *reader, const json_t *object, const char *key, long long fallback) {
  long long count = fallback;
  if (reader->status == PAWL_OK)
    pawl_reader_note(reader, pawl_json_get_int(object, key, reader->path, fallback, &count, reader->err));
  if (reader->status == PAWL_OK && count != fallback && (count < 0 || count > 1000000000))
    pawl_reader_refuse(reader, "'%s' is out of range: %lld", key, count);
  return count;
}

bool pawl_reader_flag(struct pawl_reader *reader, const json_t *object, const char *key) {
  bool flag = false;
  if (reader->status == PAWL_OK)
    pawl_reader_note(reader, pawl_json_get_bool(object, key, reader->path, false, &flag, reader->err));
  return flag;
}

const json_t *pawl_reader_list(struct pawl_reader *reader, const json_t *object, const char *key, json_type type) {
  const json_t *const list = json_object_get(object, key);
  if (reader->status != PAWL_OK) return NULL;
  bool good = json_is_array(list) && json_array_size(list) <= PAWL_RECORD_ROWS;
  for (size_t i = 0; good && i < json_array_size(list); i++) good = json_typeof(json_array_get(list, i)) == type;
  if (good) return list;
  pawl_reader_refuse(reader, "'%s' must be a list of at most %d %s", key, PAWL_RECORD_ROWS,
                     type == JSON_OBJECT ? "objects" : "strings");
  return NULL;
}

int pawl_reader_choice(struct pawl_reader *reader, const json_t *object, const char *key, const char *(*name_of)(int),
                       int count) {
  const char *const text = pawl_reader_text(reader, object, key);
  for (int i = 0; text && i < count; i++)
    if (!strcmp(text, name_of(i))) return i;
  if (text) pawl_reader_refuse(reader, "'%s' cannot be '%.64s'", key, text);
  return -1;
}
