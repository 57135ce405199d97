/* SPDX-License-Identifier: Apache-2.0 */
/* JSON by jansson. No other header includes it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define PAWL_JSON_FILE_LIMIT ((size_t)256 << 20) /* bytes of a JSON file that pawl reads */

/* Parses a text into a new reference. Fails with PAWL_BAD_DATA and file:line:column of a syntax
 * error. Rejects duplicate keys and bare NaN and Infinity, which some other tools write. With
 * `lenient`, the words become null and the last of equal keys wins. */
pawl_status pawl_json_parse(const char *text, size_t length, const char *name, bool lenient,
                            json_t **out, struct pawl_error *err);
/* Parses a part of a larger text, which begins in its line `line`. */
pawl_status pawl_json_parse_from(const char *text, size_t length, const char *name, int line,
                                 bool lenient, json_t **out, struct pawl_error *err);
/* The caller takes the items of one list as soon as pawl has read each. So a long list needs little
 * memory. */
struct pawl_json_items {
  const char *key; /* the list is this member of the document */
  /* Gets the members before the list, and an item. Returns what the list keeps, as a new reference,
   * or NULL to end the reading. */
  json_t *(*take)(void *context, const json_t *document, json_t *item);
  void *context;
};
/* Returns the value of a text in a fifth of jansson's time, as a new reference. Returns NULL for a
 * text that only jansson reads or words an error for, such as equal keys. `items`
 * may be NULL. */
json_t *pawl_json_plain(const char *text, size_t length, const struct pawl_json_items *items);
pawl_status pawl_json_read(const char *path, json_t **out, struct pawl_error *err);

/* Appends stable text: keys in the order of insertion, two spaces of indentation, the shortest
   numbers that read back the same, a final newline. With `compact_arrays`, an array of numbers is
   one line. A number that is not finite is a bug: use null for "unknown". */
void pawl_json_write_text(const json_t *value, bool compact_arrays, struct pawl_text *out);
pawl_status pawl_json_write(const char *path, const json_t *value, bool compact_arrays,
                            struct pawl_error *err);

void pawl_json_release(json_t **value); /* for PAWL_CLEANUP */

/* Sets a key and takes over the reference. A NULL value becomes JSON null. */
void pawl_json_set(json_t *object, const char *key, json_t *value);
/* Sets a number, or null for NaN and infinities. */
void pawl_json_set_number(json_t *object, const char *key, double value);
void pawl_json_set_int(json_t *object, const char *key, long long value);
/* Sets a string, or null for NULL. '?' replaces bad UTF-8. */
void pawl_json_set_string(json_t *object, const char *key, const char *value);
void pawl_json_set_bool(json_t *object, const char *key, bool value);

/* Returns a string, a number or a boolean as a word in the arena ("a", "16", "1.0", "true"), or
   NULL for other values. */
const char *pawl_json_word(const json_t *value, struct pawl_arena *arena);

/* Look up a value, with a default for an absent or null key. They fail with PAWL_BAD_DATA for
 * another type. The message names the key and the document `name`. */
pawl_status pawl_json_get_number(const json_t *object, const char *key, const char *name,
                                 double fallback, double *out, struct pawl_error *err);
pawl_status pawl_json_get_int(const json_t *object, const char *key, const char *name,
                              long long fallback, long long *out, struct pawl_error *err);
/* The string lives as long as the document. */
pawl_status pawl_json_get_string(const json_t *object, const char *key, const char *name,
                                 const char *fallback, const char **out, struct pawl_error *err);
pawl_status pawl_json_get_bool(const json_t *object, const char *key, const char *name,
                               bool fallback, bool *out, struct pawl_error *err);
