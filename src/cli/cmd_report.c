/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/file.h"
#include "cli/history_open.h"
#include "cli/source.h"
#include "picture/picture.h"
#include "record/saved_case.h"
#include "report/junit.h"
#include "report/report.h"
#include "serve/dashboard_folder.h"

/* --- the page as files: pawl report [FILE] -o DIR.html --- */

static pawl_status write_page(struct pawl_cli *cli, const struct pawl_dashboard_contents *contents,
                              const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_TRY(pawl_dashboard_write(contents, folder, home, err));
  pawl_log_info(&cli->log, "wrote '%s/index.html'", folder);
  return PAWL_OK;
}

/* Writes the whole history of the suite. */
static pawl_status page_of_history(struct pawl_cli *cli, const char *folder,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  struct pawl_suite suite;
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  const struct pawl_dashboard_contents contents = {
      .store = store, .links = pawl_remote_links_of(suite.folder, &cli->arena)};
  return write_page(cli, &contents, folder, err);
}

/* --- a report --- */

/* Opens the history beside a report; NULL: there is none, or pawl cannot read it. A report never
   creates one. */
static struct pawl_store *open_history(struct pawl_cli *cli) {
  struct pawl_store *store = NULL;
  struct pawl_error why = {0};
  if (!pawl_file_exists(cli->suite)) return NULL;
  const enum pawl_status_code status = pawl_history_open_kept(cli, &store, &why);
  if (status != PAWL_OK) pawl_log_warning(&cli->log, "the page has no history: %s", why.message);
  return store;
}

/* A row without a name has no series: in a choice NULL means all. */
static void add_page_row(const char *kernel_name, const char *case_name, const char *hardware,
                         struct pawl_series_choice *items, size_t *count) {
  if (kernel_name && case_name)
    items[(*count)++] = (struct pawl_series_choice){kernel_name, case_name, hardware};
}

/* The kernels and cases of the report's rows, even those without a measurement. */
static struct pawl_dashboard_choice rows_of(const struct pawl_cli_source *source,
                                            struct pawl_arena *arena) {
  const struct pawl_results *results = source->view ? NULL : source->report.results;
  const struct pawl_ratchet_report *ratchet = source->view ? NULL : source->report.ratchet;
  const size_t most = (results ? results->count : 0) + (ratchet ? ratchet->count : 0);
  const char *hardware = results ? results->hardware : NULL;
  struct pawl_series_choice *items = pawl_arena_alloc(arena, most + 1, sizeof *items);
  size_t count = 0;
  for (size_t i = 0; results && i < results->count; i++)
    add_page_row(results->items[i].kernel_name, results->items[i].config.name, hardware, items,
                 &count);
  for (size_t i = 0; ratchet && i < ratchet->count; i++) {
    const struct pawl_comparison *item = &ratchet->rows[i].comparison;
    add_page_row(item->kernel_name, item->config.name, hardware, items, &count);
  }
  return (struct pawl_dashboard_choice){items, count};
}

/* Writes the report of a document. If the suite has a history, it has the trends of the document's
   kernels and cases. A history that pawl cannot open is a warning. */
static pawl_status page_of_source(struct pawl_cli *cli, const struct pawl_cli_source *source,
                                  const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_report_page_clear) struct pawl_report_page report = {0};
  const struct pawl_dashboard_choice choice = rows_of(source, &cli->arena);
  if (source->view) {
    pawl_view_page(source->view, source->document, &report.json);
  } else {
    PAWL_TRY(pawl_picture_draw(&source->report, true, false, &report.light, err));
    PAWL_TRY(pawl_picture_draw(&source->report, true, true, &report.dark, err));
    pawl_report_page(&source->report, &report);
  }
  PAWL_CLEANUP(pawl_store_close_pointer)
  struct pawl_store *store = choice.count ? open_history(cli) : NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *around = pawl_path_folder(cli->suite);
  const struct pawl_dashboard_contents contents = {
      .report = &report,
      .choice = &choice,
      .store = store,
      .links = pawl_remote_links_of(around, &cli->arena)};
  return write_page(cli, &contents, folder, err);
}

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

/* --- the blocks of one row --- */

struct case_words {
  const char *path, *expected;
  struct pawl_saved_case wanted;
};

static pawl_status parse_expected(struct case_words *words, struct pawl_error *err) {
  for (int i = PAWL_DECISION_REGRESSION; words->expected && i <= PAWL_DECISION_MAINTAINED; i++)
    if (!strcmp(words->expected, pawl_decision_name((enum pawl_decision)i)))
      words->wanted.expected = (enum pawl_decision)i;
  if (!words->expected || words->wanted.expected) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE,
                   "'--expected' takes regression, improvement or maintained, not '%s'",
                   words->expected);
}

static pawl_status save_case(struct pawl_cli *cli, const struct pawl_cli_source *source,
                             const struct case_words *words, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_TRY(pawl_saved_case_make(&source->report, &words->wanted, &cli->arena, &document, err));
  PAWL_TRY(pawl_cli_write_json(words->path, document, err));
  pawl_log_info(&cli->log, "wrote '%s'; pawl verify judges it again", words->path);
  return PAWL_OK;
}

static pawl_status cmd_report_check_words(const struct case_words *words, int argc,
                                          const char *path, struct pawl_error *err) {
  const struct pawl_saved_case *wanted = &words->wanted;
  if (!words->path && (wanted->kernel_name || wanted->case_name || words->expected || wanted->note))
    return pawl_fail(err, PAWL_USAGE,
                     "'--kernel', '--case', '--expected' and '--note' are for '--save-case FILE'");
  if (words->path && path)
    return pawl_fail(err, PAWL_USAGE, "'--save-case' writes no report: leave '-o' out");
  if (words->path && !argc)
    return pawl_fail(err, PAWL_USAGE, "FILE is missing: '--save-case' takes a row of a verdict");
  return PAWL_OK;
}

enum pawl_status_code pawl_cmd_report(struct pawl_cli *cli, int argc, char **argv,
                                      struct pawl_error *err) {
  const char *path = NULL;
  bool dark = false;
  struct case_words words = {0};
  const struct pawl_option options[] = {
      {PAWL_OPTION_PATH, "-o", &path, "PATH",
       "the output: Markdown, the text of pawl run, a picture, JUnit or a folder with a page, by "
       "the ending"},
      {PAWL_OPTION_FLAG, "--dark", &dark, NULL, "draw the picture for a dark page"},
      {PAWL_OPTION_PATH, "--save-case", &words.path, "CASE.json",
       "write the blocks of one row, which pawl verify judges again; in place of a report"},
      {PAWL_OPTION_STRING, "--kernel", &words.wanted.kernel_name, "NAME",
       "--save-case: the row of this kernel"},
      {PAWL_OPTION_STRING, "--case", &words.wanted.case_name, "NAME",
       "--save-case: the row of this case"},
      {PAWL_OPTION_STRING, "--expected", &words.expected, "ANSWER",
       "--save-case: the right answer: regression, improvement or maintained; unknown by default"},
      {PAWL_OPTION_STRING, "--note", &words.wanted.note, "TEXT",
       "--save-case: how it came to the wrong or unclear answer"},
      {PAWL_OPTION_END}};
  bool done;
  PAWL_TRY(pawl_cli_options(cli, options, &argc, argv, 0, 1, &done, err));
  if (done) return PAWL_OK;
  PAWL_TRY(parse_expected(&words, err));
  PAWL_TRY(cmd_report_check_words(&words, argc, path, err));
  const bool page = path && pawl_ends_with(path, ".html");
  if (page && dark)
    return pawl_fail(err, PAWL_USAGE, "'--dark' is for pictures: a page has both looks");
  if (!argc && page) return page_of_history(cli, path, err);
  if (!argc)
    return pawl_fail(err, PAWL_USAGE,
                     "FILE is missing: only the page of the history, -o DIR.html, goes without");
  struct pawl_cli_source source = {0};
  enum pawl_status_code status = pawl_cli_document_read(cli, argv[0], &source, err);
  if (status == PAWL_OK)
    status = words.path    ? save_case(cli, &source, &words, err)
             : page        ? page_of_source(cli, &source, path, err)
             : source.view ? draw_view(cli, &source, path, err)
                           : draw(cli, &source.report, path, dark, err);
  pawl_cli_source_release(&source);
  return status;
}
