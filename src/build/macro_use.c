/* SPDX-License-Identifier: Apache-2.0 */
#include "build/macro_use.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"

#define LARGEST_FILE ((size_t)16 << 20)
#define MOST_NAMES 1024

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool macro_use_has_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  for (const char *found = strstr(text, word); found; found = strstr(found + 1, word))
    if ((found == text || !is_word(found[-1])) && !is_word(found[length])) return true;
  return false;
}

bool pawl_file_has_word(const char *path, const char *word) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  return pawl_file_read(path, LARGEST_FILE, &text, NULL) == PAWL_OK &&
         macro_use_has_word(pawl_text_string(&text), word);
}

const char *pawl_source_nearest_macro(const char *path, const char *macro,
                                      struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored;
  const char *names[MOST_NAMES];
  size_t count = 0;
  if (pawl_file_read(path, LARGEST_FILE, &text, &ignored) != PAWL_OK) return NULL;
  for (const char *line = pawl_text_string(&text); line;
       line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *end = line + strcspn(line, "\n"), *c = line + strspn(line, " \t");
    const bool is_include = *c == '#' && !strncmp(c + 1 + strspn(c + 1, " \t"), "include", 7);
    for (c = *c == '#' && !is_include ? c + 1 : end; c < end && count < MOST_NAMES;) {
      const char *word = c;
      while (c < end && is_word(*c)) c++;
      if (c > word) names[count++] = pawl_arena_printf(arena, "%.*s", (int)(c - word), word);
      if (c == word) c++;
    }
  }
  return pawl_nearest(macro, names, count);
}
