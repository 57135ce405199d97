/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/page_write.h"

#include "base/file.h"
#include "cli/history_open.h"
#include "picture/picture.h"
#include "report/report.h"
#include "serve/dashboard_folder.h"

static pawl_status write_page(struct pawl_cli *cli, const struct pawl_dashboard_contents *contents,
                              const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_TRY(pawl_dashboard_write(contents, folder, home, err));
  pawl_log_info(&cli->log, "wrote '%s/index.html'", folder);
  return PAWL_OK;
}

pawl_status pawl_cli_page_of_history(struct pawl_cli *cli, const char *folder,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  struct pawl_suite suite;
  PAWL_TRY(pawl_history_open(cli, &suite, &store, err));
  const struct pawl_dashboard_contents contents = {.store = store};
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
static void page_write_add_row(const char *kernel_name, const char *case_name, const char *hardware,
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
    page_write_add_row(results->items[i].kernel_name, results->items[i].config.name, hardware,
                       items, &count);
  for (size_t i = 0; ratchet && i < ratchet->count; i++) {
    const struct pawl_comparison *item = &ratchet->rows[i].comparison;
    page_write_add_row(item->kernel_name, item->config.name, hardware, items, &count);
  }
  return (struct pawl_dashboard_choice){items, count};
}

pawl_status pawl_cli_page_of_source(struct pawl_cli *cli, const struct pawl_cli_source *source,
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
  const struct pawl_dashboard_contents contents = {
      .report = &report, .choice = &choice, .store = store};
  return write_page(cli, &contents, folder, err);
}
