/* SPDX-License-Identifier: Apache-2.0 */
#include "build/macro_use.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"

#define LARGEST_FILE ((size_t)16 << 20)
#define MOST_FILES 4096 /* the most files for one source */
#define MOST_NAMES 1024

struct macro_search {
  const char *macro;
  const char *const *folders;
  size_t folder_count, seen_count;
  const char *seen[MOST_FILES];
  struct pawl_arena arena;
};

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

static bool search_file(struct macro_search *search, const char *path);

static bool search_in(struct macro_search *search, const char *folder, const char *name,
                      size_t length) {
  const char *path = pawl_arena_printf(&search->arena, "%s/%.*s", folder, (int)length, name);
  return pawl_file_exists(path) && !pawl_is_folder(path) && search_file(search, path);
}

/* Searches the file that `path` includes as `name`, which ends at its closing quote. */
static bool search_included(struct macro_search *search, const char *path, const char *name) {
  const size_t length = strcspn(name, "\">\n");
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(path);
  if (name[length] != '"' && name[length] != '>') return false;
  if (search_in(search, folder, name, length)) return true;
  for (size_t i = 0; i < search->folder_count; i++)
    if (search_in(search, search->folders[i], name, length)) return true;
  return false;
}

static bool search_file(struct macro_search *search, const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored;
  for (size_t i = 0; i < search->seen_count; i++)
    if (!strcmp(search->seen[i], path)) return false;
  if (search->seen_count == MOST_FILES)
    return true; /* the files are unknown, so pawl refuses nothing */
  search->seen[search->seen_count++] = pawl_arena_copy(&search->arena, path);
  if (pawl_file_read(path, LARGEST_FILE, &text, &ignored) != PAWL_OK) return false;
  if (macro_use_has_word(pawl_text_string(&text), search->macro)) return true;
  for (const char *line = pawl_text_string(&text); line;
       line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *word = line + strspn(line, " \t");
    if (*word != '#') continue;
    word += 1 + strspn(word + 1, " \t");
    if (strncmp(word, "include", 7) != 0) continue;
    word += 7 + strspn(word + 7, " \t");
    if ((*word == '"' || *word == '<') && search_included(search, path, word + 1)) return true;
  }
  return false;
}

bool pawl_source_reads(const char *path, const char *macro, const char *const *folders,
                       size_t folder_count) {
  if (*macro == '_' || !strcmp(macro, "NDEBUG")) return true;
  struct macro_search *search = pawl_alloc(1, sizeof *search);
  *search = (struct macro_search){.macro = macro, .folders = folders, .folder_count = folder_count};
  const bool found = search_file(search, path);
  pawl_arena_clear(&search->arena);
  pawl_free(search);
  return found;
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
