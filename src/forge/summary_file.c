/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the summary of a step: a file that the runner reads when the step ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "forge/post.h"

#define MARK "<!-- pawl:summary -->\n"

pawl_status pawl_forge_summary(struct pawl_forge *forge, const struct pawl_stored_run *verdict,
                               struct pawl_error *err) {
  const char *path = getenv("GITHUB_STEP_SUMMARY");
  if ((!path || !*path) && !forge->dry_run)
    return pawl_fail(err, PAWL_USAGE, "no step summary: GITHUB_STEP_SUMMARY is not set");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!forge->dry_run && pawl_file_exists(path))
    PAWL_TRY(pawl_file_read(path, PAWL_FORGE_SUMMARY_LIMIT, &text, err));
  const char *before = text.length ? strstr(text.data, MARK) : NULL;
  if (before) text.data[text.length = (size_t)(before - text.data)] = '\0';
  const size_t room = PAWL_FORGE_SUMMARY_LIMIT - 1;
  if (text.length + strlen(MARK) + PAWL_FORGE_BODY_LIMIT > room)
    return pawl_fail(err, PAWL_CANNOT_WRITE, "'%s' is full: the limit of a step summary is 1 MiB",
                     path);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text body = {0};
  pawl_forge_body(forge, verdict, room - text.length - strlen(MARK), &body);
  pawl_text_add(&text, MARK);
  pawl_text_add_bytes(&text, body.data, body.length);
  if (!forge->dry_run) return pawl_file_write(path, text.data, text.length, err);
  fwrite(text.data, 1, text.length, stdout);
  return PAWL_OK;
}
