/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of a page that is a folder. Writing the page again leaves no document of an earlier
 * page behind. */
#ifndef PAWL_SERVE_DATA_FOLDER_H
#define PAWL_SERVE_DATA_FOLDER_H

#include "base/json.h"
#include "base/text.h"

#define PAWL_DATA_REPORT "report.js"

struct pawl_data_folder {
  const char *path;
  json_t *names; /* an object whose keys are the files that this page has */
};

/* A page that was opened from disk may load scripts, not documents: so a document is a script that
 * hands it over. */
pawl_status pawl_data_write_script(const struct pawl_data_folder *folder, const char *name,
                                   const char *json, struct pawl_error *err);
/* The same of a document, which it takes over. */
pawl_status pawl_data_write(const struct pawl_data_folder *folder, const char *name,
                            json_t *document, struct pawl_error *err);
pawl_status pawl_data_write_picture(const struct pawl_data_folder *folder, const char *name,
                                    const struct pawl_text *svg, struct pawl_error *err);

/* Removes the documents that another call of pawl wrote and this page does not have: a file with a
   name and a beginning of pawl's. All other files stay. */
pawl_status pawl_data_remove_stale(const struct pawl_data_folder *folder, struct pawl_error *err);

#endif
