/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/init_suite.h"

#include <string.h>

#include "base/file.h"
#include "suite/read.h"

#define SUITE_LIMIT ((size_t)1 << 20)

static bool is_blank(const char *line) {
  const char *word = line + strspn(line, " \t\r");
  return *word == '\n' || *word == '#' || !*word;
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

/* Returns the line below the section's, or NULL: the suite has no such section. *block: the section
 * has a line for each name. */
static const char *find_section(const char *text, const char *section, bool *block) {
  const size_t length = strlen(section);
  for (const char *line = text; *line; line = next_line(line)) {
    if (strncmp(line, section, length) != 0 || line[length] != ':') continue;
    *block = is_blank(line + length + 1);
    return next_line(line);
  }
  return NULL;
}

/* Returns the number of spaces before the names of the section that begins at the line. */
static int indentation(const char *line) {
  while (*line && is_blank(line)) line = next_line(line);
  const size_t spaces = strspn(line, " ");
  return spaces ? (int)spaces : 2;
}

static void add_line(const struct pawl_suite_line *line, int indent, struct pawl_text *out) {
  pawl_text_printf(out, "%*s%s: %s\n", indent, "", line->name, line->value);
}

/* Replaces the text by one with the line. Returns whether the section can have it. */
static bool add_to_section(const struct pawl_suite_line *line, struct pawl_text *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text added = {0};
  bool block = true;
  const char *old = pawl_text_string(text), *below = find_section(old, line->section, &block);
  if (!block) return false;
  const size_t head = below ? (size_t)(below - old) : text->length;
  pawl_text_add_bytes(&added, old, head);
  if (head && added.data[head - 1] != '\n') pawl_text_add(&added, "\n");
  if (!below) pawl_text_printf(&added, "%s:%s\n", line->section, line->comment);
  add_line(line, below ? indentation(below) : 2, &added);
  pawl_text_add(&added, old + head);
  text->length = 0;
  pawl_text_add_bytes(text, added.data, added.length);
  return true;
}

/* An error is one line. */
static pawl_status fail_by_hand(const char *path, const struct pawl_suite_line *lines,
                                const char *section, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  for (size_t i = 0; i < PAWL_SUITE_LINES; i++)
    pawl_text_printf(&text, "%s to '%s': %s: %s", i ? ";" : "", lines[i].section, lines[i].name,
                     lines[i].value);
  return pawl_fail(err, PAWL_CANNOT_WRITE,
                   "cannot add to '%s': its section '%s' is on one line; give each name a line, or "
                   "add%s",
                   path, section, pawl_text_string(&text));
}

pawl_status pawl_suite_add_lines(const char *path,
                                 const struct pawl_suite_line lines[PAWL_SUITE_LINES],
                                 struct pawl_arena *arena, struct pawl_text *out,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_suite suite;
  struct pawl_error why;
  PAWL_TRY(pawl_file_read(path, SUITE_LIMIT, &text, err));
  PAWL_TRY(pawl_suite_parse(pawl_text_string(&text), text.length, path, arena, &suite, err));
  for (size_t i = 0; i < PAWL_SUITE_LINES; i++)
    if (!add_to_section(&lines[i], &text)) return fail_by_hand(path, lines, lines[i].section, err);
  /* a name that is there already appears twice now */
  if (pawl_suite_parse(pawl_text_string(&text), text.length, path, arena, &suite, &why) != PAWL_OK)
    return pawl_fail(err, PAWL_BAD_DATA, "cannot add '%s' to '%s': %s", lines[0].name, path,
                     why.message);
  pawl_text_add_bytes(out, text.data, text.length);
  return PAWL_OK;
}
