/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_span.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PIECE ((size_t)4 << 20)    /* bytes that go back at once */
#define PAGE ((uintptr_t)64 << 10) /* a multiple of each page size */

size_t pawl_json_text_return(const struct pawl_json_text *text, size_t kept, size_t position) {
  if (!text->mapped || position < kept + PIECE) return kept;
  const uintptr_t begin = ((uintptr_t)(text->text + kept) + PAGE - 1) / PAGE * PAGE;
  const uintptr_t end = (uintptr_t)(text->text + position) / PAGE * PAGE;
  madvise((void *)begin, end - begin, MADV_DONTNEED);
  return position;
}

static size_t line_of(const struct pawl_json_text *text, size_t position) {
  size_t line = 1;
  for (const char *p = text->text, *end = p + position; (p = memchr(p, '\n', (size_t)(end - p)));
       p++)
    line++;
  return line;
}

enum pawl_status_code pawl_json_span_fail(const struct pawl_json_text *text, size_t position,
                                          struct pawl_error *err, const char *format, ...) {
  char message[PAWL_ERROR_MESSAGE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return pawl_fail(err, PAWL_BAD_DATA, "%s:%zu: %s", text->name, line_of(text, position), message);
}

static size_t skip_space(const struct pawl_json_text *text, size_t position) {
  const char *bytes = text->text;
  while (position < text->length && (bytes[position] == ' ' || bytes[position] == '\n' ||
                                     bytes[position] == '\t' || bytes[position] == '\r'))
    position++;
  return position;
}

/* Returns the position after a string, or the text's end if the string does not end. */
static size_t skip_string(const struct pawl_json_text *text, size_t position) {
  const char *bytes = text->text;
  const size_t length = text->length;
  for (position++; position < length && bytes[position] != '"'; position++)
    if (bytes[position] == '\\') position++;
  return position < length ? position + 1 : length;
}

static size_t skip_word(const struct pawl_json_text *text, size_t position) {
  while (position < text->length && text->text[position] &&
         !strchr(" \t\r\n,:]}[{\"", text->text[position]))
    position++;
  return position;
}

/* Returns the position of the next quote or bracket. Most bytes of a text are neither. */
static size_t skip_plain(const struct pawl_json_text *text, size_t position) {
  static const bool ends[256] = {
      ['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};
  const unsigned char *bytes = (const unsigned char *)text->text;
  const size_t length = text->length;
  while (position < length && !ends[bytes[position]]) position++;
  return position;
}

/* Finds the position after an object or an array. */
static pawl_status skip_brackets(const struct pawl_json_text *text, size_t begin, size_t *out,
                                 struct pawl_error *err) {
  char open[PAWL_JSON_SPAN_DEPTH];
  size_t depth = 0, position = begin, kept = begin;
  while ((position = skip_plain(text, position)) < text->length) {
    const char letter = text->text[position];
    if (letter == '"') {
      position = skip_string(text, position);
      continue;
    }
    position++;
    kept = pawl_json_text_return(text, kept, position);
    if (letter == '{' || letter == '[') {
      if (depth == PAWL_JSON_SPAN_DEPTH)
        return pawl_json_span_fail(text, position, err, "nested more than %d deep",
                                   PAWL_JSON_SPAN_DEPTH);
      open[depth++] = letter == '{' ? '}' : ']';
    } else {
      if (open[--depth] != letter)
        return pawl_json_span_fail(text, position, err, "not valid JSON: '%c' is out of place",
                                   letter);
      if (depth) continue;
      *out = position;
      return PAWL_OK;
    }
  }
  return pawl_json_span_fail(
      text, begin, err, "not valid JSON: the '%c' of this line is never closed", text->text[begin]);
}

pawl_status pawl_json_span_next(const struct pawl_json_text *text, size_t position,
                                struct pawl_json_span *out, struct pawl_error *err) {
  struct pawl_json_span span = {.begin = skip_space(text, position)};
  const char letter = span.begin < text->length ? text->text[span.begin] : '\0';
  if (letter == '{' || letter == '[')
    PAWL_TRY(skip_brackets(text, span.begin, &span.end, err));
  else
    span.end = letter == '"' ? skip_string(text, span.begin) : skip_word(text, span.begin);
  if (span.end == span.begin)
    return pawl_json_span_fail(text, span.begin, err, "not valid JSON: a value is missing");
  *out = span;
  return PAWL_OK;
}

bool pawl_json_span_is_object(const struct pawl_json_text *text, struct pawl_json_span span) {
  return span.begin < span.end && text->text[span.begin] == '{';
}

bool pawl_json_span_is_array(const struct pawl_json_text *text, struct pawl_json_span span) {
  return span.begin < span.end && text->text[span.begin] == '[';
}

/* Reads the key of a member and the colon behind it. */
static pawl_status json_span_read_key(const struct pawl_json_text *text, size_t *position,
                                      struct pawl_json_span *key, struct pawl_error *err) {
  if (text->text[*position] != '"')
    return pawl_json_span_fail(text, *position, err, "not valid JSON: a key is missing");
  *key = (struct pawl_json_span){*position, skip_string(text, *position)};
  *position = skip_space(text, key->end);
  if (*position >= text->length || text->text[*position] != ':')
    return pawl_json_span_fail(text, key->end, err, "not valid JSON: ':' is missing");
  ++*position;
  return PAWL_OK;
}

pawl_status pawl_json_span_each(const struct pawl_json_text *text, struct pawl_json_span span,
                                pawl_json_span_visit *visit, void *context,
                                struct pawl_error *err) {
  const bool object = pawl_json_span_is_object(text, span);
  if (!object && !pawl_json_span_is_array(text, span))
    return pawl_json_span_fail(text, span.begin, err, "neither an object nor a list");
  const size_t last = span.end - 1;
  size_t position = skip_space(text, span.begin + 1), kept = position;
  while (position < last) {
    struct pawl_json_span key = {position, position}, value;
    if (object) PAWL_TRY(json_span_read_key(text, &position, &key, err));
    PAWL_TRY(pawl_json_span_next(text, position, &value, err));
    if (value.end > last)
      return pawl_json_span_fail(text, position, err, "not valid JSON: a value is missing");
    PAWL_TRY(visit(context, key, value, err));
    kept = pawl_json_text_return(text, kept, value.end);
    position = skip_space(text, value.end);
    if (position == last) break;
    if (text->text[position] != ',')
      return pawl_json_span_fail(text, position, err, "not valid JSON: ',' is missing");
    position = skip_space(text, position + 1);
    if (position == last)
      return pawl_json_span_fail(text, position, err, "not valid JSON: a value is missing");
  }
  return PAWL_OK;
}

void pawl_json_span_hash(const struct pawl_json_text *text, struct pawl_json_span span,
                         struct pawl_hasher *hasher) {
  pawl_hasher_add_length(hasher, span.end - span.begin);
  for (size_t begin = span.begin, kept = begin, end; begin < span.end; begin = end) {
    end = span.end - begin < PIECE ? span.end : begin + PIECE;
    pawl_hasher_add_part(hasher, text->text + begin, end - begin);
    kept = pawl_json_text_return(text, kept, end);
  }
}

struct member_search {
  const struct pawl_json_text *text;
  const char *key;
  struct pawl_json_span found;
};

static enum pawl_status_code look_at_member(void *context, struct pawl_json_span key,
                                            struct pawl_json_span value, struct pawl_error *err) {
  struct member_search *search = context;
  const size_t length = strlen(search->key);
  (void)err;
  if (key.end - key.begin == length + 2 &&
      !memcmp(search->text->text + key.begin + 1, search->key, length))
    search->found = value;
  return PAWL_OK;
}

pawl_status pawl_json_span_member(const struct pawl_json_text *text, struct pawl_json_span span,
                                  const char *key, struct pawl_json_span *out,
                                  struct pawl_error *err) {
  struct member_search search = {.text = text, .key = key};
  if (!pawl_json_span_is_object(text, span))
    return pawl_json_span_fail(text, span.begin, err, "not an object");
  PAWL_TRY(pawl_json_span_each(text, span, look_at_member, &search, err));
  *out = search.found;
  return PAWL_OK;
}

pawl_status pawl_json_span_parse(const struct pawl_json_text *text, struct pawl_json_span span,
                                 json_t **out, struct pawl_error *err) {
  const char *part = text->text + span.begin;
  const size_t length = span.end - span.begin;
  if (pawl_json_parse(part, length, text->name, true, out, NULL) == PAWL_OK) return PAWL_OK;
  /* parses again, because only a message needs the line */
  return pawl_json_parse_from(part, length, text->name, (int)line_of(text, span.begin), true, out,
                              err);
}
