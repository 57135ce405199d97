/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the documents of a page that is a folder, and removes the documents of an earlier page. */
#pragma once

#include "base/json.h"
#include "base/text.h"

#define PAWL_DATA_REPORT "report.js"

struct pawl_data_folder {
  const char *path;
  json_t *names; /* an object whose keys are the page's files */
};

/* Writes a document as a script, because a page opened from disk may load only scripts. */
pawl_status pawl_data_write_script(const struct pawl_data_folder *folder, const char *name,
                                   const char *json, struct pawl_error *err);
/* Writes a document as a script, and releases it. */
pawl_status pawl_data_write(const struct pawl_data_folder *folder, const char *name,
                            json_t *document, struct pawl_error *err);
pawl_status pawl_data_write_picture(const struct pawl_data_folder *folder, const char *name,
                                    const struct pawl_text *svg, struct pawl_error *err);

/* Removes the documents of an earlier page that this page lacks. Such a file has a name and a
 * beginning that pawl gives. All other files stay. */
pawl_status pawl_data_remove_stale(const struct pawl_data_folder *folder, struct pawl_error *err);
