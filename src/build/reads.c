/* SPDX-License-Identifier: Apache-2.0 */
#include "build/reads.h"

#include <string.h>

#include "base/file.h"

#define SCRIPT_LIMIT ((size_t)1 << 20)
#define LIST_LIMIT ((size_t)16 << 20)

void pawl_build_reads(const char *plugin, struct pawl_arena *arena, struct pawl_words *out) {
  if (!plugin) return;
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(plugin);
  PAWL_CLEANUP(pawl_free_pointer) char *record = pawl_path_join(folder, "inputs");
  struct pawl_inputs inputs = {0};
  if (!pawl_inputs_read(&inputs, arena, record)) return;
  for (size_t i = 0; i < inputs.count; i++) {
    if (inputs.items[i].kind != PAWL_INPUT_FILE) continue;
    PAWL_CLEANUP(pawl_free_pointer) char *real = pawl_path_real(inputs.items[i].path);
    if (real) pawl_words_add(out, arena, real);
  }
}

void pawl_build_reads_ignored(const char *plugin, const char *user_top,
                              const struct pawl_strings *ignored, struct pawl_arena *arena,
                              struct pawl_strings *out) {
  struct pawl_words reads = {0};
  pawl_build_reads(plugin, arena, &reads);
  for (size_t i = 0; i < reads.count; i++) {
    bool found = false, listed = false;
    for (size_t j = 0; j < ignored->count && !found; j++)
      found = pawl_path_holds(pawl_arena_printf(arena, "%s/%s", user_top, ignored->items[j]),
                              reads.items[i]);
    if (!found) continue;
    const char *name = reads.items[i] + strlen(user_top) + 1;
    for (size_t j = 0; j < out->count; j++) listed |= !strcmp(out->items[j], name);
    if (!listed) pawl_strings_add(out, arena, name);
  }
}

static void add_read(const struct pawl_build_plan *plan, const char *path, struct pawl_inputs *out,
                     struct pawl_arena *arena) {
  const char *found = pawl_box_found(&plan->box, pawl_box_real(&plan->box, path));
  if (pawl_box_shows(&plan->box, found)) pawl_inputs_add(out, arena, PAWL_INPUT_FILE, found);
}

/* Reads the next word of a list for make. Returns false at the end. Removes the signs that protect
   blanks, '#' and '$'. Sets *target if a ':' ends the word. */
static bool next_word(const char **at, struct pawl_text *word, bool *target) {
  const char *p = *at;
  while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || (*p == '\\' && p[1] == '\n'))
    p += *p == '\\' ? 2 : 1;
  word->length = 0;
  *target = false;
  for (; *p && !strchr(" \t\r\n", *p); p++) {
    if (*p == '\\' && p[1] == '\n') break;
    if (*p == '\\' && p[1] && strchr(" \t#\\:", p[1]) && p[1] != '\\')
      p++;
    else if (*p == '$' && p[1] == '$')
      p++;
    else if (*p == ':' && (!p[1] || strchr(" \t\r\n", p[1]))) {
      *target = true;
      p++;
      break;
    }
    pawl_text_add_bytes(word, p, 1);
  }
  *at = p;
  return word->length || *target;
}

bool pawl_depfile_read(const struct pawl_build_plan *plan, const char *path,
                       struct pawl_inputs *out, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0}, word = {0};
  if (pawl_file_read(path, LIST_LIMIT, &text, NULL) != PAWL_OK) return false;
  const char *at = pawl_text_string(&text);
  for (bool target; next_word(&at, &word, &target);) {
    const char *rest = at + strspn(at, " \t");
    if (!target && *rest == ':')
      at = rest + 1; /* nvcc puts a blank before the ':' */
    else if (!target)
      add_read(plan, word.data, out, arena);
  }
  return true;
}

/* A line is a path, or "archive(member)", or "(archive)member". */
void pawl_trace_read(const struct pawl_build_plan *plan, struct pawl_inputs *out,
                     struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (pawl_file_read(plan->trace, LIST_LIMIT, &text, NULL) != PAWL_OK) return;
  char *rest = text.data;
  for (char *line; (line = strsep(&rest, "\n"));) {
    const char *whole = pawl_box_found(&plan->box, pawl_box_real(&plan->box, line));
    if (!pawl_is_regular(whole)) line += *line == '(', line[strcspn(line, "()")] = '\0';
    const char *path = pawl_box_found(&plan->box, pawl_box_real(&plan->box, line));
    if (*line && pawl_is_regular(path) && !pawl_starts_with(path, plan->folder))
      add_read(plan, line, out, arena);
  }
}

/* Returns the path of a linker's script, as the linker finds it: from the tree, or in a folder of
   libraries. */
static const char *find_script(const struct pawl_build_plan *plan, const struct pawl_inputs *flags,
                               const char *name, struct pawl_arena *arena) {
  const char *path = pawl_box_found(&plan->box, pawl_box_real(&plan->box, name));
  if (pawl_is_regular(path) && pawl_box_shows(&plan->box, path)) return path;
  for (size_t i = 0; i < flags->count; i++) {
    if (flags->items[i].kind != PAWL_INPUT_LISTING) continue;
    const char *other = pawl_arena_printf(arena, "%s/%s", flags->items[i].path, name);
    if (pawl_is_regular(other)) return other;
  }
  return NULL;
}

/* Adds the files that a script of the linker includes. */
static void read_script(const struct pawl_build_plan *plan, const struct pawl_inputs *flags,
                        const char *path, struct pawl_inputs *out, struct pawl_arena *arena) {
  static const char word[] = "INCLUDE", breaks[] = " \t\r\n\";";
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!pawl_is_regular(path) || pawl_file_read(path, SCRIPT_LIMIT, &text, NULL) != PAWL_OK ||
      (text.length && memchr(text.data, '\0', text.length)))
    return;
  for (const char *p = pawl_text_string(&text); (p = strstr(p, word));) {
    p += sizeof word - 1;
    const char *name = p + strspn(p, breaks);
    const char *found = find_script(
        plan, flags, pawl_arena_printf(arena, "%.*s", (int)strcspn(name, breaks), name), arena);
    if (found) pawl_inputs_add(out, arena, PAWL_INPUT_FILE, found);
  }
}

void pawl_linker_scripts_read(const struct pawl_build_plan *plan, const struct pawl_inputs *flags,
                              size_t first, struct pawl_inputs *out, struct pawl_arena *arena) {
  for (size_t i = 0; i < flags->count; i++)
    if (flags->items[i].kind == PAWL_INPUT_TOOL)
      read_script(plan, flags, flags->items[i].path, out, arena);
  for (size_t i = first; i < out->count; i++)
    read_script(plan, flags, out->items[i].path, out, arena);
}
