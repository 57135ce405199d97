/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the dashboard's page, from share/pawl/web. A server sends them. A folder that opens
 * from disk has copies, and another script that names the source of the documents. */
#pragma once

#include "base/error.h"
#include "base/text.h"

#define PAWL_PAGE_FILES 12

struct pawl_page_file {
  const char *url;  /* without the first "/"; "": the page itself */
  const char *path; /* in share/pawl/web */
  const char *type;
};
/* A server sends no other file. */
extern const struct pawl_page_file pawl_page_files[PAWL_PAGE_FILES];

struct pawl_page {
  struct pawl_text texts[PAWL_PAGE_FILES];
};

/* `home`: pawl_home(). PAWL_NO_INPUT: pawl is not installed as a whole. */
pawl_status pawl_page_read(struct pawl_page *page, const char *home, struct pawl_error *err);
void pawl_page_clear(struct pawl_page *page);

/* Copies the page into `folder`, to be opened from disk. */
pawl_status pawl_page_copy(const char *home, const char *folder, struct pawl_error *err);
