/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define SHOWN_BYTES 60 /* the most bytes of a text that a message quotes */
#define MOST_KEYS 32   /* in a table */

enum pawl_status_code pawl_yaml_fail(const struct pawl_yaml_reader *reader,
                                     const struct pawl_yaml *node, const char *format, ...) {
  char message[PAWL_ERROR_MESSAGE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return pawl_fail(reader->err, PAWL_CONFIG, "%s:%d:%d: %s", reader->path, node->line, node->column,
                   message);
}

struct pawl_file_place pawl_yaml_place(const struct pawl_yaml_reader *reader,
                                       const struct pawl_yaml *node) {
  return (struct pawl_file_place){reader->path, node->line, node->column};
}

/* Returns a length of at most SHOWN_BYTES that ends between two characters. */
static int shown_length(const char *text) {
  size_t length = strnlen(text, SHOWN_BYTES + 1);
  if (length <= SHOWN_BYTES) return (int)length;
  for (length = SHOWN_BYTES; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) length--;
  return (int)length;
}

enum pawl_status_code pawl_slot_fail(const struct pawl_slot *slot, const struct pawl_yaml *node,
                                     const char *wanted) {
  const char *name = slot->name->text, *text = node->text;
  const int name_length = shown_length(name), text_length = shown_length(text);
  const char *got = node->kind == PAWL_YAML_LIST ? (node->count ? "a list" : "an empty list")
                                                 : (node->count ? "a mapping" : "an empty mapping");
  if (node->kind != PAWL_YAML_SCALAR || pawl_yaml_is_null(node)) {
    return pawl_yaml_fail(slot->reader, node, "'%.*s' of %s must be %s, not %s", name_length, name,
                          slot->owner, wanted, node->kind == PAWL_YAML_SCALAR ? "empty" : got);
  }
  return pawl_yaml_fail(slot->reader, node, "'%.*s' of %s must be %s, not %s'%.*s%s'", name_length,
                        name, slot->owner, wanted, node->quoted ? "the text " : "", text_length,
                        text, text[text_length] ? "..." : "");
}

static size_t key_names(const struct pawl_keys *table, const char **names) {
  PAWL_ASSERT(table->count <= MOST_KEYS);
  for (size_t i = 0; i < table->count; i++) names[i] = table->rows[i].name;
  return table->count;
}

const char *pawl_keys_nearest(const struct pawl_keys *table, const char *name) {
  const char *names[MOST_KEYS];
  const size_t count = key_names(table, names);
  return pawl_nearest(name, names, count);
}

enum pawl_status_code pawl_slot_unknown(const struct pawl_slot *slot) {
  const char *name = slot->name->text, *nearest = pawl_keys_nearest(slot->table, name);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text hint = {0};
  if (nearest) pawl_text_printf(&hint, "did you mean '%s'?", nearest);
  for (size_t i = 0; !nearest && i < slot->table->count; i++)
    pawl_text_printf(&hint, "%s%s", i ? ", " : "the keys are ", slot->table->rows[i].name);
  return pawl_yaml_fail(slot->reader, slot->name, "unknown key '%.*s' in %s; %s",
                        shown_length(name), name, slot->owner, pawl_text_string(&hint));
}

static const struct pawl_key *keys_find_row(const struct pawl_keys *table, const char *name) {
  for (size_t i = 0; i < table->count; i++)
    if (strcmp(table->rows[i].name, name) == 0) return &table->rows[i];
  return NULL;
}

static pawl_status read_slot(const struct pawl_slot *slot, void *target) {
  const struct pawl_key *key = slot->key;
  if (!key) return slot->table->other ? slot->table->other(slot, target) : pawl_slot_unknown(slot);
  if (key->needs && !pawl_yaml_get(slot->map, key->needs) &&
      !(key->or_needs && pawl_yaml_get(slot->map, key->or_needs)))
    return pawl_yaml_fail(slot->reader, slot->name, "'%s' of %s works only with '%s'%s%s%s",
                          key->name, slot->owner, key->needs, key->or_needs ? " or '" : "",
                          key->or_needs ? key->or_needs : "", key->or_needs ? "'" : "");
  return key->read(slot, (char *)target + key->offset);
}

pawl_status pawl_keys_read(const struct pawl_yaml_reader *reader, const struct pawl_keys *table,
                           const char *owner, const struct pawl_yaml *map, void *target) {
  if (map->kind != PAWL_YAML_MAP)
    return pawl_yaml_fail(reader, map, "%s must be a mapping of keys to values", owner);
  for (size_t i = 0; i < map->count; i++) {
    const struct pawl_slot slot = {.reader = reader,
                                   .key = keys_find_row(table, map->keys[i]->text),
                                   .table = table,
                                   .owner = owner,
                                   .map = map,
                                   .name = map->keys[i],
                                   .node = map->items[i]};
    PAWL_TRY(read_slot(&slot, target));
  }
  for (size_t i = 0; i < table->count; i++) {
    if (table->rows[i].required && !pawl_yaml_get(map, table->rows[i].name))
      return pawl_yaml_fail(reader, map, "'%s' of %s is missing", table->rows[i].name, owner);
  }
  return PAWL_OK;
}

pawl_status pawl_read_map(const struct pawl_slot *slot, void *field) {
  /* a message names a section alone, and a deeper mapping with its owner */
  const bool section = strcmp(slot->owner, "pawl.yaml") == 0;
  const char *owner =
      section ? slot->key->name
              : pawl_arena_printf(slot->reader->arena, "%s of %s", slot->key->name, slot->owner);
  return pawl_keys_read(slot->reader, slot->key->table, owner, slot->node, field);
}
