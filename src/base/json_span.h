/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a JSON text that is too large to hold as values. A span is the place of a value, and the
   caller parses single values. The memory does not depend on the text's length. */
#pragma once

#include "base/hash.h"
#include "base/json.h"

#define PAWL_JSON_SPAN_DEPTH 64

struct pawl_json_text {
  const char *name, *text;
  size_t length;
  bool mapped; /* mmap() mapped the file: readers return the pages that they passed */
};

/* Returns the pages of a mapped text before `position` to the system, in large pieces. `kept` is
 * the result of the last call, at first 0. The text stays readable, because the system reads it
 * again. */
size_t pawl_json_text_return(const struct pawl_json_text *text, size_t kept, size_t position);

/* A value: text[begin .. end). */
struct pawl_json_span {
  size_t begin, end;
};

/* Fails with PAWL_BAD_DATA and prefixes "FILE:LINE: ". */
enum pawl_status_code pawl_json_span_fail(const struct pawl_json_text *text, size_t position,
                                          struct pawl_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Finds the first value from `position`. Fails with PAWL_BAD_DATA if there is none, or if its
   brackets do not match. */
pawl_status pawl_json_span_next(const struct pawl_json_text *text, size_t position,
                                struct pawl_json_span *out, struct pawl_error *err);
/* Calls `visit` for each member of an object or element of an array. `key` has its quotes, and is
   empty for an element. Fails with PAWL_BAD_DATA for other values. */
typedef enum pawl_status_code pawl_json_span_visit(void *context, struct pawl_json_span key,
                                                   struct pawl_json_span value,
                                                   struct pawl_error *err);
pawl_status pawl_json_span_each(const struct pawl_json_text *text, struct pawl_json_span span,
                                pawl_json_span_visit *visit, void *context, struct pawl_error *err);
bool pawl_json_span_is_object(const struct pawl_json_text *text, struct pawl_json_span span);
bool pawl_json_span_is_array(const struct pawl_json_text *text, struct pawl_json_span span);
/* Adds the bytes of a value to a hash, as one piece. */
void pawl_json_span_hash(const struct pawl_json_text *text, struct pawl_json_span span,
                         struct pawl_hasher *hasher);
/* Finds a member of an object by its name. If there is none, begin == end. */
pawl_status pawl_json_span_member(const struct pawl_json_text *text, struct pawl_json_span span,
                                  const char *key, struct pawl_json_span *out,
                                  struct pawl_error *err);
/* Parses one value into a new reference. Bare NaN and Infinity become null. */
pawl_status pawl_json_span_parse(const struct pawl_json_text *text, struct pawl_json_span span,
                                 json_t **out, struct pawl_error *err);
