/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <unistd.h>

#include "base/count.h"
#include "base/file.h"
#include "report/report.h"

#define PICTURE "roofline.png"

pawl_status pawl_report_remove(const char *folder, struct pawl_error *err) {
  static const char *const names[] = {"verdict.json", "results.json", "report.md", PICTURE};
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, names[i]);
    /* a folder in this place is somebody's: the report then fails to write, and says so */
    if (unlink(path) && errno != ENOENT && errno != ENOTDIR && errno != EISDIR)
      return pawl_fail_write(err, errno, "remove", path);
  }
  return PAWL_OK;
}

pawl_status pawl_report_folder(const struct pawl_run_report *report, const char *folder,
                               const struct pawl_text *png, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *verdict = NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *results_path = pawl_path_join(folder, "results.json");
  PAWL_CLEANUP(pawl_free_pointer) char *verdict_path = pawl_path_join(folder, "verdict.json");
  PAWL_CLEANUP(pawl_free_pointer) char *picture_path = pawl_path_join(folder, PICTURE);
  PAWL_CLEANUP(pawl_free_pointer) char *markdown_path = pawl_path_join(folder, "report.md");
  const bool has_picture = png && png->length;
  const char *const paths[] = {results_path, verdict_path, picture_path, markdown_path};
  PAWL_TRY(pawl_make_folders(folder, err));
  for (size_t i = 0; i < PAWL_COUNT(paths); i++) PAWL_TRY(pawl_file_clear_place(paths[i], err));
  PAWL_TRY(pawl_report_markdown(report, has_picture ? PICTURE : NULL, &markdown, err));
  PAWL_TRY(pawl_verdict_to_json(report, &verdict, err));
  PAWL_TRY(pawl_results_write(report->results, results_path, err));
  PAWL_TRY(pawl_json_write(verdict_path, verdict, true, err));
  /* An old picture must not pass for this run's. */
  PAWL_TRY(has_picture ? pawl_file_write(picture_path, png->data, png->length, err)
                       : pawl_remove_tree(picture_path, err));
  return pawl_file_write(markdown_path, markdown.data, markdown.length, err);
}
