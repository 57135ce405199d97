/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/zip.h"
#include "sweep/picture.h"
#include "sweep/signature.h"

/* A writer of the folder's files, which notes the checksum of each. */
struct sweep_writer {
  const char *folder;
  bool no_png;
  struct pawl_text sums;
};

static void sweep_note_sum(struct sweep_writer *writer, const char *name,
                           const struct pawl_text *text) {
  char sum[PAWL_SHA256_TEXT];
  pawl_sha256(pawl_text_string(text), text->length, sum);
  pawl_text_printf(&writer->sums, "%s  %s\n", sum, name);
}

static pawl_status sweep_write(struct sweep_writer *writer, const char *name,
                               const struct pawl_text *text, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(writer->folder, name);
  PAWL_TRY(pawl_file_clear_place(path, err));
  sweep_note_sum(writer, name, text);
  return pawl_file_write(path, pawl_text_string(text), text->length, err);
}

static pawl_status sweep_write_picture(struct sweep_writer *writer,
                                       const struct pawl_sweep_view *view, size_t picture, bool svg,
                                       bool dark, struct pawl_error *err) {
  char name[PAWL_SWEEP_PICTURE_FILE];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_sweep_picture_file(picture, svg, dark, name);
  if (writer->no_png && !svg) { /* an earlier write may have made it */
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(writer->folder, name);
    return pawl_file_remove_old(path, err);
  }
  PAWL_TRY(pawl_sweep_picture_draw(picture, view->claims, svg, dark, &text, err));
  return sweep_write(writer, name, &text, err);
}

static pawl_status sweep_write_pictures(struct sweep_writer *writer,
                                        const struct pawl_sweep_view *view,
                                        struct pawl_error *err) {
  for (size_t i = 0; i < PAWL_SWEEP_PICTURES; i++)
    for (int kind = 0; kind < 4 && pawl_sweep_picture_exists(i, view->claims); kind++)
      PAWL_TRY(sweep_write_picture(writer, view, i, kind & 1, kind & 2, err));
  return PAWL_OK;
}

/* Removes the journal with the same blocks as the packed samples: a writer that was killed between
   the two left it. */
static pawl_status sweep_drop_journal(const char *journal, const char *packed,
                                      struct pawl_text *gzip, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (pawl_file_absent(journal)) return PAWL_OK;
  PAWL_TRY(pawl_file_read(journal, PAWL_SWEEP_FILE_LIMIT, &text, err));
  PAWL_TRY(pawl_gunzip(gzip, PAWL_SWEEP_FILE_LIMIT, packed, err));
  if (text.length != gzip->length || memcmp(pawl_text_string(&text), gzip->data, text.length) != 0)
    return PAWL_OK; /* verify says so */
  return unlink(journal) ? pawl_fail_write(err, errno, "remove", journal) : PAWL_OK;
}

/* The journal stays while further blocks may follow. */
static pawl_status sweep_write_samples(struct sweep_writer *writer, bool complete,
                                       struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *packed = pawl_path_join(writer->folder, PAWL_SWEEP_SAMPLES);
  PAWL_CLEANUP(pawl_free_pointer)
  char *journal = pawl_path_join(writer->folder, PAWL_SWEEP_JOURNAL);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text gzip = {0};
  if (pawl_file_exists(packed)) {
    PAWL_TRY(pawl_file_read(packed, PAWL_SWEEP_FILE_LIMIT, &gzip, err));
    sweep_note_sum(writer, PAWL_SWEEP_SAMPLES, &gzip);
    return sweep_drop_journal(journal, packed, &gzip, err);
  }
  PAWL_TRY(pawl_file_read(journal, PAWL_SWEEP_FILE_LIMIT, &text, err));
  if (!complete) {
    sweep_note_sum(writer, PAWL_SWEEP_JOURNAL, &text);
    return PAWL_OK;
  }
  pawl_gzip(text.data, text.length, &gzip);
  PAWL_TRY(sweep_write(writer, PAWL_SWEEP_SAMPLES, &gzip, err));
  return unlink(journal) ? pawl_fail_write(err, errno, "remove", journal) : PAWL_OK;
}

/* The user's own files, such as a licence, have checksums too. */
static pawl_status sweep_note_others(struct sweep_writer *writer, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const char **names;
  size_t count;
  PAWL_TRY(pawl_sweep_list_files(writer->folder, &arena, &names, &count, err));
  for (size_t i = 0; i < count; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(writer->folder, names[i]);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    if (pawl_sweep_sums_cover(&writer->sums, names[i])) continue;
    PAWL_TRY(pawl_file_read(path, PAWL_SWEEP_FILE_LIMIT, &text, err));
    sweep_note_sum(writer, names[i], &text);
  }
  return PAWL_OK;
}

static pawl_status sweep_write_files(struct sweep_writer *writer,
                                     const struct pawl_sweep_view *view, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *plan = pawl_path_join(writer->folder, PAWL_SWEEP_PLAN);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_TRY(pawl_file_read(plan, PAWL_JSON_FILE_LIMIT, &text, err));
  sweep_note_sum(writer, PAWL_SWEEP_PLAN, &text);
  for (size_t i = 0; i < pawl_sweep_file_count; i++) {
    PAWL_CLEANUP(pawl_free_pointer)
    char *path = pawl_path_join(writer->folder, pawl_sweep_files[i].name);
    const bool kept = pawl_sweep_files[i].users && pawl_is_regular(path);
    pawl_text_clear(&text);
    if (kept)
      PAWL_TRY(pawl_file_read(path, PAWL_SWEEP_FILE_LIMIT, &text, err));
    else
      pawl_sweep_files[i].write(view, &text);
    PAWL_TRY(sweep_write(writer, pawl_sweep_files[i].name, &text, err));
  }
  PAWL_TRY(sweep_write_pictures(writer, view, err));
  PAWL_TRY(
      sweep_write_samples(writer, view->claims->complete == view->sweep->plan.point_count, err));
  return sweep_note_others(writer, err);
}

pawl_status pawl_sweep_write_folder(const struct pawl_sweep_view *view, const char *folder,
                                    const struct pawl_sweep_writing *writing,
                                    struct pawl_error *err) {
  struct sweep_writer writer = {.folder = folder, .no_png = writing->no_png};
  PAWL_CLEANUP(pawl_free_pointer) char *sums = pawl_path_join(folder, PAWL_SWEEP_SUMS);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text old = {0};
  struct pawl_error ignored;
  const bool known = pawl_file_read(sums, PAWL_SWEEP_FILE_LIMIT, &old, &ignored) == PAWL_OK;
  enum pawl_status_code status = sweep_write_files(&writer, view, err);
  if (status == PAWL_OK) status = pawl_file_write(sums, writer.sums.data, writer.sums.length, err);
  const bool same =
      known && pawl_text_equal(pawl_text_string(&old), pawl_text_string(&writer.sums));
  pawl_text_clear(&writer.sums);
  /* an earlier signature of other checksums means nothing */
  if (status == PAWL_OK && !same) status = pawl_sweep_unsign(folder, err);
  if (status == PAWL_OK && writing->key) status = pawl_sweep_sign(folder, writing->key, err);
  return status;
}
