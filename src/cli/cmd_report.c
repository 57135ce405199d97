/* SPDX-License-Identifier: Apache-2.0 */
/* pawl report RESULTS|VERDICT [-o FILE.md|FILE.png|FILE.xml|DIR.html] */
#include <string.h>

#include "cli/source.h"
#include "report/junit.h"
#include "report/report.h"

static pawl_status draw(const struct pawl_cli *cli, const struct pawl_run_report *report, const char *path,
                        struct pawl_error *err) {
  if (path && pawl_ends_with(path, ".png")) return pawl_report_picture(report, path, err);
  if (path && pawl_ends_with(path, ".xml")) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text junit = {0};
    pawl_report_junit(report, &junit);
    return pawl_cli_write(path, junit.data, junit.length, err);
  }
  if (path && pawl_ends_with(path, ".html")) return pawl_report_html(report, path, err);
  if (path && !pawl_ends_with(path, ".md") && strcmp(path, "-") != 0)
    return pawl_fail(err, PAWL_USAGE, "'-o' takes FILE.md, FILE.png, FILE.xml or DIR.html, not '%s'", path);
  if (!path && cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
    PAWL_TRY(pawl_verdict_to_json(report, &document, err));
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  PAWL_TRY(pawl_report_markdown(report, &markdown, err));
  return pawl_cli_write(path, markdown.data, markdown.length, err);
}

enum pawl_status_code pawl_cmd_report(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  const char *path = NULL;
  const struct pawl_option options[] = {
      {PAWL_OPTION_PATH, "-o", &path, "PATH",
       "the output: Markdown, a picture, JUnit or a folder with a page, by the ending", 0, 0},
      {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 1, 1, &done, err));
  if (done) return PAWL_OK;
  struct pawl_cli_source source = {0};
  enum pawl_status_code status = pawl_cli_source_read(cli, argv[0], &source, err);
  if (status == PAWL_OK) status = draw(cli, &source.report, path, err);
  pawl_cli_source_release(&source);
  return status;
}
