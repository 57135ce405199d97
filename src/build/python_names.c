/* SPDX-License-Identifier: Apache-2.0 */
#include "build/python_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

static bool starts_import(const char *word, size_t length) {
  return (length == 6 && !memcmp(word, "import", 6)) || (length == 4 && !memcmp(word, "from", 4));
}

/* Blanks each word without a dot. */
static void blank_words(char *at, const char *end) {
  for (char *next; at < end; at = next) {
    next = at + 1;
    if (!is_of_word(*at)) continue;
    while (next < end && is_of_word(*next)) next++;
    if (!memchr(at, '.', (size_t)(next - at))) memset(at, ' ', (size_t)(next - at));
  }
}

char *pawl_python_names(const char *text, size_t length, struct pawl_arena *arena) {
  char *names = pawl_arena_alloc(arena, length + 1, 1);
  memcpy(names, text, length);
  const char *end = text + length, *next;
  bool imports = false, begins = true; /* the statement imports; it has no word yet */
  int depth = 0;                       /* brackets that continue it on the next line */
  for (const char *at = text; at < end; at = next) {
    bool kept = true;
    next = at + 1;
    if (*at == '"' || *at == '\'') {
      next = pawl_text_literal_end(at, end, true);
      kept = !begins; /* a statement that is a string documents the code */
    } else if (*at == '#') {
      while (next < end && *next != '\n') next++;
      kept = false;
    } else if (is_of_word(*at)) {
      while (next < end && is_of_word(*next)) next++;
      kept = imports = imports || starts_import(at, (size_t)(next - at));
    }
    if (!kept) blank_words(names + (at - text), names + (next - text));
    depth += *at == '(' || *at == '[' || *at == '{';
    depth -= *at == ')' || *at == ']' || *at == '}';
    const bool ends = *at == '\n' && depth <= 0 && at > text && at[-1] != '\\';
    begins = ends || (begins && (isspace((unsigned char)*at) || *at == '#'));
    imports = imports && !ends;
  }
  return names;
}
