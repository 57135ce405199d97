/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/page.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

#define FILE_LIMIT ((size_t)1 << 20) /* bytes of a file */
#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

#define SOURCE "source.js"          /* where the documents come from: the server */
#define WRITTEN_SOURCE "written.js" /* and the same for a folder: files */
#define PAGE "index.html"

const struct pawl_page_file pawl_page_files[PAWL_PAGE_FILES] = {
    {"", PAGE, HTML},
    {"dashboard.css", "dashboard.css", CSS},
    {"dashboard.js", "dashboard.js", SCRIPT},
    {SOURCE, SOURCE, SCRIPT},
    {"pictures.js", "pictures.js", SCRIPT},
    {"triage.js", "triage.js", SCRIPT},
    {"chart.js", "chart.js", SCRIPT},
    {"point.js", "point.js", SCRIPT},
    {"overview.js", "overview.js", SCRIPT},
    {"report.js", "report.js", SCRIPT},
    {"trend.js", "trend.js", SCRIPT},
    {"machines.js", "machines.js", SCRIPT},
    {"compare.js", "compare.js", SCRIPT},
    {"third_party/uplot/uPlot.iife.min.js", "third_party/uplot/uPlot.iife.min.js", SCRIPT},
    {"third_party/uplot/uPlot.min.css", "third_party/uplot/uPlot.min.css", CSS},
};

pawl_status pawl_page_read(struct pawl_page *page, const char *home, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_join(home, "share/pawl/web");
  for (size_t i = 0; i < PAWL_PAGE_FILES; i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, pawl_page_files[i].path);
    PAWL_TRY(pawl_file_read(path, FILE_LIMIT, &page->texts[i], err));
  }
  return PAWL_OK;
}

void pawl_page_clear(struct pawl_page *page) {
  for (size_t i = 0; i < PAWL_PAGE_FILES; i++) pawl_text_clear(&page->texts[i]);
}

pawl_status pawl_page_copy(const char *home, const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *shipped = pawl_path_join(home, "share/pawl/web");
  PAWL_CLEANUP(pawl_free_pointer) char *third_party = pawl_path_join(folder, "third_party/uplot");
  PAWL_TRY(pawl_make_folders(third_party, err));
  for (size_t i = 0; i < PAWL_PAGE_FILES; i++) {
    const char *path = pawl_page_files[i].path;
    PAWL_CLEANUP(pawl_free_pointer)
    char *from = pawl_path_join(shipped, strcmp(path, SOURCE) ? path : WRITTEN_SOURCE);
    PAWL_CLEANUP(pawl_free_pointer) char *to = pawl_path_join(folder, path);
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    PAWL_TRY(pawl_file_read(from, FILE_LIMIT, &text, err));
    PAWL_TRY(pawl_file_write_unsynced(to, text.data, text.length, err));
  }
  PAWL_CLEANUP(pawl_free_pointer)
  char *licence = pawl_path_join(shipped, "third_party/uplot/LICENSE");
  PAWL_CLEANUP(pawl_free_pointer) char *licence_copy = pawl_path_join(third_party, "LICENSE");
  return pawl_copy_file(licence, licence_copy, err);
}
