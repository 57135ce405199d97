/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "store/change_notes.h"

#define LINE_LIMIT ((size_t)256 << 20) /* bytes */

/* --- export --- */

static pawl_status write_line(const json_t *document, FILE *file, struct pawl_error *err) {
  if (!json_dumpf(document, file, JSON_COMPACT | JSON_REAL_PRECISION(17)) &&
      putc('\n', file) != EOF)
    return PAWL_OK;
  return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write the history");
}

static pawl_status write_run(struct pawl_store *store, int64_t id, FILE *file,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *owner = json_array();
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_arena arena = {0};
  struct pawl_history_run run;
  enum pawl_status_code status = pawl_store_run(store, id, &arena, owner, &run, err);
  if (status == PAWL_OK) {
    document = pawl_history_run_to_json(&run);
    status = write_line(document, file, err);
  }
  pawl_arena_clear(&arena);
  return status;
}

static pawl_status write_notes(struct pawl_cli *cli, struct pawl_store *store, FILE *file,
                               size_t *count, struct pawl_error *err) {
  struct pawl_change_note *notes;
  PAWL_TRY(pawl_store_notes(store, &cli->arena, &notes, count, err));
  for (size_t i = 0; i < *count; i++) {
    PAWL_CLEANUP(pawl_json_release)
    json_t *document = pawl_struct_write(&pawl_change_note_fields, &notes[i]);
    PAWL_TRY(write_line(document, file, err));
  }
  return PAWL_OK;
}

/* Writes the runs, then the notes on their changes. */
static pawl_status write_all(struct pawl_cli *cli, struct pawl_store *store, FILE *file,
                             struct pawl_error *err) {
  int64_t *ids;
  size_t count, notes;
  PAWL_TRY(pawl_store_runs(store, &cli->arena, &ids, &count, err));
  for (size_t i = 0; i < count; i++) PAWL_TRY(write_run(store, ids[i], file, err));
  PAWL_TRY(write_notes(cli, store, file, &notes, err));
  if (fflush(file)) return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write the history");
  if (notes)
    pawl_log_info(&cli->log, "wrote %zu runs and %zu notes", count, notes);
  else
    pawl_log_info(&cli->log, "wrote %zu runs", count);
  return PAWL_OK;
}

struct export_file {
  struct pawl_cli *cli;
  struct pawl_store *store;
};

static pawl_status fill_export(void *context, int fd, const char *path, struct pawl_error *err) {
  const struct export_file *export = context;
  const int own = dup(fd);
  FILE *file = own >= 0 ? fdopen(own, "w") : NULL;
  if (!file) return pawl_fail_write(err, errno, "write", path);
  const enum pawl_status_code status = write_all(export->cli, export->store, file, err);
  if (fclose(file) && status == PAWL_OK) return pawl_fail_write(err, errno, "write", path);
  return status;
}

pawl_status pawl_history_export(struct pawl_cli *cli, struct pawl_store *store, const char *path,
                                struct pawl_error *err) {
  struct export_file export = {cli, store};
  const struct pawl_file_contents contents = {fill_export, &export};
  if (path && strcmp(path, "-") != 0) return pawl_file_write_by(path, &contents, err);
  pawl_cli_print(""); /* the exported runs are the document */
  return write_all(cli, store, stdout, err);
}

/* --- import --- */

struct import_file {
  const char *path;
  FILE *file;
  struct pawl_store *store; /* NULL: only read */
  size_t notes;
};

static pawl_status import_run(struct import_file *import, const json_t *document, const char *name,
                              struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_history_run run;
  PAWL_TRY(pawl_history_run_from_json(document, name, arena, &run, err));
  if (!import->store) return PAWL_OK;
  return pawl_store_add(import->store, &run, NULL, err);
}

static pawl_status import_note(struct import_file *import, const json_t *document, const char *name,
                               struct pawl_arena *arena, struct pawl_error *err) {
  struct pawl_change_note note;
  PAWL_TRY(pawl_change_note_from_json(document, name, arena, &note, err));
  if (!import->store) return PAWL_OK;
  import->notes++;
  return pawl_store_note(import->store, &note, err);
}

static pawl_status import_line(struct import_file *import, const char *line, size_t length,
                               const char *name, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_arena arena = {0};
  enum pawl_status_code status = pawl_json_parse(line, length, name, false, &document, err);
  if (status == PAWL_OK && import->store) status = pawl_store_give_way(import->store, err);
  if (status == PAWL_OK)
    status = (pawl_change_note_is(document) ? import_note : import_run)(import, document, name,
                                                                        &arena, err);
  pawl_arena_clear(&arena);
  return status;
}

static pawl_status import_lines(struct import_file *import, struct pawl_error *err) {
  char *line = NULL;
  size_t room = 0, number = 0;
  ssize_t length;
  enum pawl_status_code status = PAWL_OK;
  struct pawl_text place = {0};
  while (status == PAWL_OK && (length = getline(&line, &room, import->file)) >= 0) {
    place.length = 0;
    pawl_text_printf(&place, "%s:%zu", import->path, ++number);
    if (length <= 1) continue;
    status = (size_t)length > LINE_LIMIT
                 ? pawl_fail(err, PAWL_BAD_DATA, "%s: the line is too long", place.data)
                 : import_line(import, line, (size_t)length, place.data, err);
  }
  if (status == PAWL_OK && ferror(import->file))
    status = pawl_fail_errno(err, errno, "cannot read '%s'", import->path);
  free(line);
  pawl_text_clear(&place);
  return status;
}

/* Opens the file for two readings. A pipe is copied into a file without a name. */
static pawl_status import_open(const char *path, FILE **out, struct pawl_error *err) {
  char bytes[65536];
  size_t count;
  FILE *file = fopen(path, "re");
  if (!file) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  if (pawl_is_regular(path)) {
    *out = file;
    return PAWL_OK;
  }
  FILE *copy = tmpfile();
  bool well = copy;
  while (well && (count = fread(bytes, 1, sizeof bytes, file)) > 0)
    well = fwrite(bytes, 1, count, copy) == count;
  well = well && !ferror(file) && !fseek(copy, 0, SEEK_SET);
  const int number = errno;
  fclose(file);
  if (well) {
    *out = copy;
    return PAWL_OK;
  }
  if (copy) fclose(copy);
  return pawl_fail_errno(err, number, "cannot read '%s'", path);
}

/* Reads the whole file before it adds a run, so that nothing of a bad file comes in. The lock is
 * held only while pawl adds, and others get their turn in between. */
static pawl_status import_twice(struct import_file *import, struct pawl_store *store,
                                struct pawl_error *err) {
  PAWL_TRY(import_lines(import, err));
  rewind(import->file);
  import->store = store;
  pawl_store_begin(store);
  return pawl_store_end(store, import_lines(import, err), err);
}

pawl_status pawl_history_import(struct pawl_cli *cli, struct pawl_store *store, const char *path,
                                struct pawl_error *err) {
  struct import_file import = {.path = path};
  PAWL_TRY(import_open(path, &import.file, err));
  const enum pawl_status_code status = import_twice(&import, store, err);
  fclose(import.file);
  if (status != PAWL_OK) return status;
  const struct pawl_store_added added = pawl_store_added(store);
  pawl_log_info(&cli->log, "%s: added %zu runs; %zu were there before", path, added.runs,
                added.known);
  if (import.notes)
    pawl_log_info(&cli->log, "%s: took in %zu notes on changes", path, import.notes);
  return PAWL_OK;
}
