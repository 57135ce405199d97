/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of the dashboard's page from share/pawl/web. A server sends them. A folder that
 * opens from disk has copies, and a script of its own that names the source of the documents. */
#pragma once

#include "base/error.h"
#include "base/text.h"

#define PAWL_PAGE_FILES 15

struct pawl_page_file {
  const char *url;  /* without the first "/"; "" is the page itself */
  const char *path; /* in share/pawl/web */
  const char *type;
};
/* Lists all files that a server sends. */
extern const struct pawl_page_file pawl_page_files[PAWL_PAGE_FILES];

struct pawl_page {
  struct pawl_text texts[PAWL_PAGE_FILES];
};

/* Fails with PAWL_NO_INPUT if files of pawl's installation are missing. `home`: pawl_home(). */
pawl_status pawl_page_read(struct pawl_page *page, const char *home, struct pawl_error *err);
void pawl_page_clear(struct pawl_page *page);

/* Copies the page into `folder`, for opening from disk. */
pawl_status pawl_page_copy(const char *home, const char *folder, struct pawl_error *err);
