/* SPDX-License-Identifier: Apache-2.0 */
/* JSON by jansson: this header is the one place that includes it. */
#ifndef PAWL_BASE_JSON_H
#define PAWL_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#define PAWL_JSON_FILE_LIMIT ((size_t)256 << 20) /* bytes of a JSON file that pawl reads */

/* A new reference. Says file:line:column of a syntax error (PAWL_BAD_DATA). Rejects duplicate keys,
   and bare NaN and Infinity. Other tools write and read both: `lenient` makes the words null and
   takes the last of equal keys. */
pawl_status pawl_json_parse(const char *text, size_t length, const char *name, bool lenient,
                            json_t **out, struct pawl_error *err);
/* The same of a part of a larger text, which begins in line `line` of it. */
pawl_status pawl_json_parse_from(const char *text, size_t length, const char *name, int line,
                                 bool lenient, json_t **out, struct pawl_error *err);
pawl_status pawl_json_read(const char *path, json_t **out, struct pawl_error *err);

/* Stable text: keys in the order of insertion, two spaces of indentation, arrays of numbers on one
   line when `compact_arrays`, numbers with up to 17 significant digits, shortest that reads back
   the same; a final newline. A non-finite number is a bug: "unknown" is null. */
void pawl_json_write_text(const json_t *value, bool compact_arrays, struct pawl_text *out);
pawl_status pawl_json_write(const char *path, const json_t *value, bool compact_arrays,
                            struct pawl_error *err);

void pawl_json_release(json_t **value); /* for PAWL_CLEANUP */

/* Sets a key, taking over the reference; the value may be NULL and then is JSON null. */
void pawl_json_set(json_t *object, const char *key, json_t *value);
/* NaN and infinities become null. */
void pawl_json_set_number(json_t *object, const char *key, double value);
void pawl_json_set_int(json_t *object, const char *key, long long value);
void pawl_json_set_string(json_t *object, const char *key,
                          const char *value); /* NULL: null; bad UTF-8 is replaced */
void pawl_json_set_bool(json_t *object, const char *key, bool value);

/* A string, a number or a boolean as a word, in the arena: "a", "16", "1.0", "true"; NULL: it is
 * none of these. */
const char *pawl_json_word(const json_t *value, struct pawl_arena *arena);

/* Typed look-ups with a default when the key is absent or null; a value of another type is
   PAWL_BAD_DATA, and the message names the key. `name` is the document, for the message. */
pawl_status pawl_json_get_number(const json_t *object, const char *key, const char *name,
                                 double fallback, double *out, struct pawl_error *err);
pawl_status pawl_json_get_int(const json_t *object, const char *key, const char *name,
                              long long fallback, long long *out, struct pawl_error *err);
/* The string lives as long as the document. */
pawl_status pawl_json_get_string(const json_t *object, const char *key, const char *name,
                                 const char *fallback, const char **out, struct pawl_error *err);
pawl_status pawl_json_get_bool(const json_t *object, const char *key, const char *name,
                               bool fallback, bool *out, struct pawl_error *err);

#endif
