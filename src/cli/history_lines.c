/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define LINE_LIMIT ((size_t)256 << 20) /* bytes */

/* --- export --- */

static pawl_status write_run(struct pawl_store *store, int64_t id, FILE *file,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *owner = json_array();
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_arena arena = {0};
  struct pawl_history_run run;
  enum pawl_status_code status = pawl_store_run(store, id, &arena, owner, &run, err);
  if (status == PAWL_OK) {
    document = pawl_history_run_to_json(&run);
    if (json_dumpf(document, file, JSON_COMPACT | JSON_REAL_PRECISION(17)) ||
        putc('\n', file) == EOF)
      status = pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write the history");
  }
  pawl_arena_clear(&arena);
  return status;
}

static pawl_status write_runs(struct pawl_cli *cli, struct pawl_store *store, FILE *file,
                              struct pawl_error *err) {
  int64_t *ids;
  size_t count;
  PAWL_TRY(pawl_store_runs(store, &cli->arena, &ids, &count, err));
  for (size_t i = 0; i < count; i++) PAWL_TRY(write_run(store, ids[i], file, err));
  if (fflush(file)) return pawl_fail(err, PAWL_CANNOT_WRITE, "cannot write the history");
  pawl_log_info(&cli->log, "wrote %zu runs", count);
  return PAWL_OK;
}

pawl_status pawl_history_export(struct pawl_cli *cli, struct pawl_store *store, const char *path,
                                struct pawl_error *err) {
  if (!path || !strcmp(path, "-")) {
    pawl_cli_print(""); /* the exported runs are the document */
    return write_runs(cli, store, stdout, err);
  }
  PAWL_TRY(pawl_file_may_write(path, err));
  /* A rename then leaves the whole new file or the old one. */
  const char *part = pawl_arena_printf(&cli->arena, "%s.part", path);
  FILE *file = fopen(part, "we");
  if (!file) return pawl_fail_write(err, errno, "cannot write", part);
  enum pawl_status_code status = write_runs(cli, store, file, err);
  if (fclose(file) && status == PAWL_OK) status = pawl_fail_write(err, errno, "cannot write", part);
  if (status == PAWL_OK && rename(part, path))
    status = pawl_fail_write(err, errno, "cannot write", path);
  if (status != PAWL_OK) remove(part);
  return status;
}

/* --- import --- */

static pawl_status add_line(struct pawl_store *store, const char *line, size_t length,
                            const char *name, bool *added, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  struct pawl_arena arena = {0};
  struct pawl_history_run run;
  enum pawl_status_code status = pawl_json_parse(line, length, name, false, &document, err);
  if (status == PAWL_OK) status = pawl_history_run_from_json(document, name, &arena, &run, err);
  if (status == PAWL_OK) status = pawl_store_add(store, &run, added, err);
  pawl_arena_clear(&arena);
  return status;
}

static pawl_status add_lines(struct pawl_store *store, const char *path, FILE *file, size_t *fresh,
                             size_t *known, struct pawl_error *err) {
  char *line = NULL;
  size_t room = 0, number = 0;
  ssize_t length;
  enum pawl_status_code status = PAWL_OK;
  struct pawl_text place = {0};
  while (status == PAWL_OK && (length = getline(&line, &room, file)) >= 0) {
    bool added = false;
    place.length = 0;
    pawl_text_printf(&place, "%s:%zu", path, ++number);
    if (length <= 1) continue;
    status = (size_t)length > LINE_LIMIT
                 ? pawl_fail(err, PAWL_BAD_DATA, "%s: the line is too long", place.data)
                 : add_line(store, line, (size_t)length, place.data, &added, err);
    if (status == PAWL_OK) ++*(added ? fresh : known);
  }
  if (status == PAWL_OK && ferror(file))
    status = pawl_fail_errno(err, errno, "cannot read '%s'", path);
  free(line);
  pawl_text_clear(&place);
  return status;
}

pawl_status pawl_history_import(struct pawl_cli *cli, struct pawl_store *store, const char *path,
                                struct pawl_error *err) {
  size_t fresh = 0, known = 0;
  FILE *file = fopen(path, "re");
  if (!file) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  enum pawl_status_code status = pawl_store_begin(store, err);
  if (status == PAWL_OK)
    status = pawl_store_end(store, add_lines(store, path, file, &fresh, &known, err), err);
  fclose(file);
  if (status != PAWL_OK) return status;
  pawl_log_info(&cli->log, "%s: added %zu runs; %zu were there before", path, fresh, known);
  return PAWL_OK;
}
