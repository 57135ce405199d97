/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/tuning_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "model/names.h"

#define MOST_NUMBER ((long long)1e15) /* the largest number in a range */

/* The file, and the place for messages. */
struct tuning_file {
  const struct pawl_slot *slot;
  const char *path;
  struct pawl_kernel_spec *spec;
};

static pawl_status tuning_file_mistake(const struct tuning_file *file, const char *what) {
  return pawl_yaml_fail(file->slot->reader, file->slot->node, "'tune' of %s: '%s': %s",
                        file->slot->owner, file->path, what);
}

static bool is_small(long long number) { return number >= -MOST_NUMBER && number <= MOST_NUMBER; }

/* Parses Python's "range(5)", "range(1, 9)" or "range(16, 129, 16)", also inside "list()". Returns
   NULL for other texts. A range that is too long gives one value more than the limit. */
static json_t *parse_range(const char *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  long long begin = 0, end = 0, step = 1;
  for (; *text; text++)
    if (!isspace((unsigned char)*text)) pawl_text_add_bytes(&words, text, 1);
  const char *range = pawl_text_string(&words);
  const bool listed = pawl_starts_with(range, "list(");
  int length[3] = {0};
  if (listed) range += strlen("list(");
  const bool found =
      (sscanf(range, "range(%lld)%n", &end, &length[0]) == 1 && length[0]) ||
      (sscanf(range, "range(%lld,%lld)%n", &begin, &end, &length[1]) == 2 && length[1]) ||
      (sscanf(range, "range(%lld,%lld,%lld)%n", &begin, &end, &step, &length[2]) == 3 && length[2]);
  if (!found || strcmp(range + length[0] + length[1] + length[2], listed ? ")" : "") != 0 || !step)
    return NULL;
  if (!is_small(begin) || !is_small(end) || !is_small(step)) return NULL;
  json_t *list = json_array();
  for (long long i = begin; step > 0 ? i < end : i > end; i += step) {
    json_array_append_new(list, json_integer(i));
    if (json_array_size(list) > PAWL_TUNE_MOST_VALUES) break;
  }
  return list;
}

/* Appends a Python string as JSON and returns the text behind it. */
static const char *tuning_file_add_string(const char *text, struct pawl_text *json) {
  const char quote = *text++;
  pawl_text_add(json, "\"");
  for (; *text && *text != quote; text++) {
    if (*text == '\\' && text[1] == '\'') text++; /* JSON has no such escape */
    if (*text == '"') pawl_text_add(json, "\\");
    pawl_text_add_bytes(json, text, 1);
    if (*text == '\\' && text[1]) pawl_text_add_bytes(json, ++text, 1);
  }
  pawl_text_add(json, "\"");
  return *text ? text + 1 : text;
}

/* Parses a Python list in a string, "[16, 32]" or "['a', True]", as JSON. */
static json_t *parse_list(const char *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text json = {0};
  struct pawl_error ignored = {0};
  json_t *list = parse_range(text);
  if (list) return list;
  while (*text) {
    if (*text == '\'' || *text == '"') {
      text = tuning_file_add_string(text, &json);
    } else if (pawl_starts_with(text, "True")) {
      pawl_text_add(&json, "true"), text += strlen("True");
    } else if (pawl_starts_with(text, "False")) {
      pawl_text_add(&json, "false"), text += strlen("False");
    } else {
      pawl_text_add_bytes(&json, text++, 1);
    }
  }
  return pawl_json_parse(pawl_text_string(&json), json.length, "Values", false, &list, &ignored) ==
                 PAWL_OK
             ? list
             : NULL;
}

static bool tuning_file_has_word(const struct pawl_strings *words, const char *word) {
  for (size_t i = 0; i < words->count; i++)
    if (!strcmp(words->items[i], word)) return true;
  return false;
}

static pawl_status read_parameter(const struct tuning_file *file, const json_t *parameter) {
  struct pawl_arena *arena = file->slot->reader->arena;
  struct pawl_tune_dimension *dimension = &file->spec->tune[file->spec->tune_count];
  const char *name = json_string_value(json_object_get(parameter, "Name"));
  const json_t *values = json_object_get(parameter, "Values"), *value;
  size_t i;
  if (!name || !pawl_is_identifier(name))
    return tuning_file_mistake(file, "a parameter has no 'Name' that can follow -D");
  for (size_t k = 0; k < file->spec->tune_count; k++)
    if (!strcmp(file->spec->tune[k].name, name))
      return tuning_file_mistake(
          file, pawl_arena_printf(arena, "two parameters have the name '%.60s'", name));
  PAWL_CLEANUP(pawl_json_release)
  json_t *parsed = json_is_string(values) ? parse_list(json_string_value(values))
                                          : json_incref((json_t *)(uintptr_t)values);
  if (!json_is_array(parsed) || !json_array_size(parsed))
    return tuning_file_mistake(
        file,
        pawl_arena_printf(
            arena, "'Values' of '%.60s' must be a list, such as [16, 32] or range(16, 129, 16)",
            name));
  if (json_array_size(parsed) > PAWL_TUNE_MOST_VALUES)
    return tuning_file_mistake(
        file, pawl_arena_printf(arena, "'Values' of '%.60s' has more than %u values", name,
                                PAWL_TUNE_MOST_VALUES));
  dimension->name = pawl_arena_copy(arena, name);
  dimension->values.items =
      pawl_arena_alloc(arena, json_array_size(parsed), sizeof *dimension->values.items);
  json_array_foreach(parsed, i, value) {
    const char *word = pawl_json_word(value, arena);
    if (!word || !*word || strpbrk(word, "\n\r"))
      return tuning_file_mistake(
          file, pawl_arena_printf(arena, "a value of '%.60s' is no number and no word", name));
    if (tuning_file_has_word(&dimension->values, word))
      return tuning_file_mistake(
          file, pawl_arena_printf(arena, "'Values' of '%.60s' has %.60s twice", name, word));
    dimension->values.items[dimension->values.count++] = word;
  }
  file->spec->tune_count++;
  return PAWL_OK;
}

static pawl_status read_conditions(const struct tuning_file *file, const json_t *conditions) {
  struct pawl_arena *arena = file->slot->reader->arena;
  struct pawl_strings *out = &file->spec->constraints;
  int *lines = pawl_arena_alloc(arena, json_array_size(conditions) + 1, sizeof *lines);
  const json_t *condition;
  size_t i;
  if (conditions && !json_is_array(conditions))
    return tuning_file_mistake(file, "'Conditions' must be a list");
  out->items = pawl_arena_alloc(arena, json_array_size(conditions) + 1, sizeof *out->items);
  json_array_foreach((json_t *)(uintptr_t)conditions, i, condition) {
    const char *expression = json_string_value(json_object_get(condition, "Expression"));
    if (!expression) return tuning_file_mistake(file, "a condition has no 'Expression'");
    lines[out->count] = file->slot->node->line;
    out->items[out->count++] = pawl_arena_copy(arena, expression);
  }
  file->spec->constraint_lines = lines;
  file->spec->constraint_file = file->path;
  return PAWL_OK;
}

pawl_status pawl_read_tuning_file(const struct pawl_slot *slot, struct pawl_kernel_spec *spec) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(slot->reader->path);
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, slot->node->text);
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  const struct tuning_file file = {slot, slot->node->text, spec};
  struct pawl_error cause = {0};
  const json_t *parameter;
  size_t i;
  if (slot->node->text[0] == '/' || strstr(slot->node->text, ".."))
    return tuning_file_mistake(&file, "the file must lie beside the suite or below it");
  if (pawl_json_read(path, &document, &cause) != PAWL_OK)
    return tuning_file_mistake(&file, cause.message);
  const json_t *space = json_object_get(document, "ConfigurationSpace");
  const json_t *parameters = json_object_get(space, "TuningParameters");
  if (!json_array_size(parameters))
    return tuning_file_mistake(&file, "it has no 'TuningParameters', as a T1 file has");
  spec->tune =
      pawl_arena_alloc(slot->reader->arena, json_array_size(parameters), sizeof *spec->tune);
  json_array_foreach((json_t *)(uintptr_t)parameters, i, parameter)
      PAWL_TRY(read_parameter(&file, parameter));
  return read_conditions(&file, json_object_get(space, "Conditions"));
}
