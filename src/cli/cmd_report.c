/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/page_write.h"
#include "picture/picture.h"
#include "report/junit.h"
#include "report/report.h"

static pawl_status draw(const struct pawl_cli *cli, const struct pawl_run_report *report,
                        const char *path, bool dark, struct pawl_error *err) {
  if (path && (pawl_ends_with(path, ".png") || pawl_ends_with(path, ".svg")))
    return pawl_picture_write(report, path, dark, err);
  if (dark) return pawl_fail(err, PAWL_USAGE, "'--dark' is for pictures: -o FILE.png or FILE.svg");
  if (path && pawl_ends_with(path, ".xml")) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text junit = {0};
    pawl_report_junit(report, &junit);
    return pawl_cli_write(path, junit.data, junit.length, err);
  }
  if (path && pawl_ends_with(path, ".txt")) {
    static const struct pawl_terminal_style plain = {0};
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    pawl_report_terminal(report, &plain, &text);
    return pawl_cli_write(path, text.data, text.length, err);
  }
  if (path && !pawl_ends_with(path, ".md") && strcmp(path, "-") != 0)
    return pawl_fail(
        err, PAWL_USAGE,
        "'-o' takes FILE.md, FILE.txt, FILE.png, FILE.svg, FILE.xml or DIR.html, not '%s'", path);
  if (!path && cli->json) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
    PAWL_TRY(pawl_verdict_to_json(report, &document, err));
    return pawl_cli_write_json(NULL, document, err);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  PAWL_TRY(pawl_report_markdown(report, NULL, &markdown, err));
  return pawl_cli_write(path, markdown.data, markdown.length, err);
}

/* Renders a document without results in the same formats but pictures. */
static pawl_status draw_view(const struct pawl_cli *cli, const struct pawl_cli_source *source,
                             const char *path, struct pawl_error *err) {
  static const struct pawl_terminal_style plain = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (!path && cli->json) return pawl_cli_write_json(NULL, source->document, err);
  if (path && pawl_ends_with(path, ".txt"))
    pawl_view_terminal(source->view, source->document, &plain, &text);
  else if (!path || pawl_ends_with(path, ".md") || !strcmp(path, "-"))
    pawl_view_markdown(source->view, source->document, &text);
  else
    return pawl_fail(err, PAWL_USAGE,
                     "'-o' takes FILE.md, FILE.txt or DIR.html for this document, not '%s'", path);
  return pawl_cli_write(path, text.data, text.length, err);
}

enum pawl_status_code pawl_cmd_report(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  const char *path = NULL;
  bool dark = false;
  const struct pawl_option options[] = {
      {PAWL_OPTION_PATH, "-o", &path, "PATH",
       "the output: Markdown, the text of pawl run, a picture, JUnit or a folder with a page, by "
       "the ending"},
      {PAWL_OPTION_FLAG, "--dark", &dark, NULL, "draw the picture for a dark page"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  const bool page = path && pawl_ends_with(path, ".html");
  if (page && dark)
    return pawl_fail(err, PAWL_USAGE, "'--dark' is for pictures: a page has both looks");
  if (!argc && page) return pawl_cli_page_of_history(cli, path, err);
  if (!argc)
    return pawl_fail(err, PAWL_USAGE,
                     "FILE is missing: only the page of the history, -o DIR.html, goes without");
  struct pawl_cli_source source = {0};
  enum pawl_status_code status = pawl_cli_document_read(cli, argv[0], &source, err);
  if (status == PAWL_OK)
    status = page          ? pawl_cli_page_of_source(cli, &source, path, err)
             : source.view ? draw_view(cli, &source, path, err)
                           : draw(cli, &source.report, path, dark, err);
  pawl_cli_source_release(&source);
  return status;
}
