/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the baseline file, and edits it under a lock. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "gate/baseline_fields.h"

static json_t *entry_to_json(const struct pawl_baseline_entry *entry) {
  json_t *object = json_object();
  pawl_fields_write(pawl_baseline_names, PAWL_BASELINE_NAMES, entry, object);
  pawl_json_set(object, "config", pawl_case_to_json(&entry->config));
  pawl_fields_write(pawl_baseline_figures, PAWL_BASELINE_FIGURES, entry, object);
  if (entry->code.registers < 0) return object;
  json_t *code = json_object();
  pawl_fields_write(pawl_baseline_code_fields, PAWL_BASELINE_CODE, &entry->code, code);
  pawl_json_set(object, "code", code);
  return object;
}

json_t *pawl_baseline_to_json(const struct pawl_baseline *baseline) {
  struct pawl_baseline_entry *sorted = pawl_alloc(baseline->count + 1, sizeof *sorted);
  if (baseline->count > 0) memcpy(sorted, baseline->entries, baseline->count * sizeof *sorted);
  qsort(sorted, baseline->count, sizeof *sorted, pawl_baseline_compare_entries);
  json_t *document = json_object(), *entries = json_array(), *moves = json_array();
  for (size_t i = 0; i < baseline->count; i++)
    json_array_append_new(entries, entry_to_json(&sorted[i]));
  for (size_t i = 0; i < baseline->move_count; i++) {
    json_t *move = json_object();
    pawl_fields_write(pawl_move_names, PAWL_BASELINE_NAMES, &baseline->moves[i], move);
    pawl_json_set_string(move, "kind", pawl_move_kind_name(baseline->moves[i].kind));
    pawl_fields_write(pawl_move_figures, PAWL_BASELINE_MOVE_FIGURES, &baseline->moves[i], move);
    json_array_append_new(moves, move);
  }
  pawl_free(sorted);
  pawl_json_set_int(document, "schema_version", PAWL_BASELINE_SCHEMA);
  pawl_json_set(document, "entries", entries);
  pawl_json_set(document, "moves", moves);
  return document;
}

/* Joins a list of numbers into one line, so that a move of the baseline is a small difference in
   git. */
static void join_numbers(const char *text, struct pawl_text *out) {
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    const bool opens = length && line[length - 1] == '[';
    const char *item = line + length + (line[length] == '\n');
    item += strspn(item, " ");
    pawl_text_add_bytes(out, line, length);
    if (!opens || !strchr("-0123456789", *item) || !*item) {
      pawl_text_add(out, "\n");
      continue;
    }
    for (; *item != ']'; item += strspn(item, " \n")) {
      const size_t number = strcspn(item, "\n");
      pawl_text_add_bytes(out, item, number);
      if (item[number - 1] == ',') pawl_text_add(out, " ");
      item += number;
    }
    line = item; /* "]," */
    pawl_text_add_bytes(out, line, strcspn(line, "\n"));
    pawl_text_add(out, "\n");
  }
}

static pawl_status make_folder_of(const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(path);
  return pawl_make_folders(folder, err);
}

pawl_status pawl_baseline_write(const char *path, const struct pawl_baseline *baseline,
                                struct pawl_error *err) {
  PAWL_TRY(make_folder_of(path, err));
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_baseline_to_json(baseline);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text lines = {0};
  pawl_json_write_text(document, false, &text);
  join_numbers(text.data, &lines);
  return pawl_file_write(path, lines.data, lines.length, err);
}

pawl_status pawl_baseline_update(const char *path, const char *lock_path, double wait_seconds,
                                 pawl_baseline_edit *edit, void *context, struct pawl_arena *arena,
                                 struct pawl_error *err) {
  PAWL_CLEANUP(pawl_lock_release) struct pawl_lock lock = {.fd = -1};
  PAWL_TRY(make_folder_of(lock_path, err));
  PAWL_TRY(pawl_lock_acquire(&lock, lock_path, wait_seconds, err));
  struct pawl_baseline baseline;
  bool changed = false;
  PAWL_TRY(pawl_baseline_read(path, arena, &baseline, err));
  PAWL_TRY(edit(context, &baseline, arena, &changed, err));
  if (!changed) return PAWL_OK;
  if (baseline.from_results)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "cannot update '%s': it contains results, not a baseline; name another file",
                     path);
  return pawl_baseline_write(path, &baseline, err);
}
