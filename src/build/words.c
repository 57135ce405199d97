/* SPDX-License-Identifier: Apache-2.0 */
#include "build/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pawl_words_add(struct pawl_words *words, struct pawl_arena *arena, const char *word) {
  if (words->count + 1 >= words->capacity) {
    const size_t capacity = words->capacity ? 2 * words->capacity : 16;
    const char **items = pawl_arena_alloc(arena, capacity, sizeof *items);
    if (words->count) memcpy(items, words->items, words->count * sizeof *items);
    words->items = items;
    words->capacity = capacity;
  }
  words->items[words->count++] = pawl_arena_copy(arena, word);
  words->items[words->count] = NULL;
}

void pawl_words_printf(struct pawl_words *words, struct pawl_arena *arena, const char *format,
                       ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  PAWL_ASSERT(length >= 0);
  char *word = pawl_arena_alloc(arena, (size_t)length + 1, 1);
  vsnprintf(word, (size_t)length + 1, format, again);
  va_end(again);
  pawl_words_add(words, arena, word);
}

void pawl_words_append(struct pawl_words *words, struct pawl_arena *arena,
                       const struct pawl_words *more) {
  for (size_t i = 0; i < more->count; i++) pawl_words_add(words, arena, more->items[i]);
}

void pawl_words_hash(const struct pawl_words *words, struct pawl_hasher *hasher) {
  pawl_hasher_add(hasher, &words->count, sizeof words->count);
  for (size_t i = 0; i < words->count; i++) pawl_hasher_add_string(hasher, words->items[i]);
}

void pawl_shell_quote(const char *word, struct pawl_text *out) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (*word && strspn(word, plain) == strlen(word)) {
    pawl_text_add(out, word);
    return;
  }
  pawl_text_add(out, "'");
  for (const char *p = word; *p; p++) {
    if (*p == '\'')
      pawl_text_add(out, "'\\''");
    else
      pawl_text_add_bytes(out, p, 1);
  }
  pawl_text_add(out, "'");
}

#define BLANKS " \t\n"

/* A backslash protects the next character. In double quotes it protects only a few characters, and
   otherwise stands for itself. */
static bool is_escape(const char *p, char quote) {
  return *p == '\\' && quote != '\'' && (!quote || (p[1] && strchr("\\\"$`", p[1])));
}

/* Appends the word at `p` to `out` and returns its end. Returns NULL if a quote stays open or
   nothing follows a backslash. */
static const char *read_word(const char *p, struct pawl_text *out) {
  char quote = '\0';
  for (; *p && (quote || !strchr(BLANKS, *p)); p++) {
    if (is_escape(p, quote)) {
      if (!*++p) return NULL;
      pawl_text_add_bytes(out, p, 1);
    } else if (quote ? *p == quote : *p == '"' || *p == '\'') {
      quote = quote ? '\0' : *p;
    } else {
      pawl_text_add_bytes(out, p, 1);
    }
  }
  return quote ? NULL : p;
}

pawl_status pawl_words_split(struct pawl_words *words, struct pawl_arena *arena, const char *text,
                             const char *name, struct pawl_error *err) {
  struct pawl_words found = {0};
  for (const char *p = text + strspn(text, BLANKS); *p; p += strspn(p, BLANKS)) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text word = {0};
    p = read_word(p, &word);
    if (!p)
      return pawl_fail(err, PAWL_USAGE, "%s: the end of a quote is missing in '%s'", name, text);
    pawl_words_add(&found, arena, pawl_text_string(&word));
  }
  pawl_words_append(words, arena, &found);
  return PAWL_OK;
}

const char *pawl_words_join(const struct pawl_words *words, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < words->count; i++) {
    if (i) pawl_text_add(&text, " ");
    pawl_shell_quote(words->items[i], &text);
  }
  return pawl_arena_copy(arena, pawl_text_string(&text));
}
