/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"

#include <ctype.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"

#define MOST_BENCHMARKS 2000 /* in one run of a command */

const struct pawl_importer pawl_importers[] = {
    {"asv", "none", "{", false, false, pawl_feed_asv, NULL},
    {"benchmarkdotnet", "none", "{", true, false, pawl_feed_benchmarkdotnet, NULL},
    {"catch2", "2.13.10, 3.7.1", "<", true, false, pawl_feed_catch2, NULL},
    {"criterion", "0.3.0, 0.5", "{", true, false, pawl_feed_criterion, pawl_feed_criterion_folder},
    {"github-action-benchmark", "none", NULL, false, true, pawl_feed_github_action_benchmark, NULL},
    {"go-bench", "Go 1.19.8", NULL, true, false, pawl_feed_go_bench, NULL},
    {"google-benchmark", "1.7.1", "{", true, false, pawl_feed_google_benchmark, NULL},
    {"hyperfine", "1.15.0", "{", true, false, pawl_feed_hyperfine, NULL},
    {"jmh", "none", "[", true, false, pawl_feed_jmh, NULL},
    {"kernel-tuner-t4", "none; T4 1.0.0", "{", false, false, pawl_feed_kernel_tuner_t4, NULL},
    {"mitata", "1.0.34", "{", true, false, pawl_feed_mitata, NULL},
    {"nvbench", "none; JSON 1.0.0", "{", true, false, pawl_feed_nvbench, NULL},
    {"plain", "pawl's own", "{", true, false, pawl_feed_plain, NULL},
    {"pytest-benchmark", "3.2.2", "{", true, false, pawl_feed_pytest_benchmark, NULL},
    {"results", "pawl's own", NULL, false, false, pawl_feed_results, NULL},
    {"run", "pawl's own", NULL, false, false, pawl_feed_own_run, NULL},
    {"tinybench", "2.9.0, 4.0.1, 6.0.0", "[", true, false, pawl_feed_tinybench, NULL},
    {"vitest", "4.1.12", "{", true, false, pawl_feed_vitest, NULL},
};
const size_t pawl_importer_count = PAWL_COUNT(pawl_importers);

const struct pawl_importer *pawl_importer_find(const char *format) {
  for (size_t i = 0; i < pawl_importer_count; i++)
    if (!strcmp(pawl_importers[i].name, format)) return &pawl_importers[i];
  return NULL;
}

/* --- one document --- */

static bool is_blank(const struct pawl_json_text *text, size_t begin) {
  while (begin < text->length && isspace((unsigned char)text->text[begin])) begin++;
  return begin == text->length;
}

/* Leaves out a byte-order mark. */
static pawl_status skip_mark(struct pawl_json_text *text, struct pawl_error *err) {
  if (text->length >= 3 && !memcmp(text->text, "\xef\xbb\xbf", 3)) {
    text->text += 3;
    text->length -= 3;
  }
  if (text->length >= 2 &&
      (!memcmp(text->text, "\xff\xfe", 2) || !memcmp(text->text, "\xfe\xff", 2)))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "%s:1: the file is UTF-16, as PowerShell writes it; convert it to UTF-8",
                     text->name);
  return PAWL_OK;
}

pawl_status pawl_import_feed(const struct pawl_importer *importer, bool folder,
                             struct pawl_feed *feed, struct pawl_error *err) {
  if (!folder) {
    PAWL_TRY(skip_mark(&feed->text, err));
    if (is_blank(&feed->text, 0))
      return pawl_fail(err, PAWL_BAD_DATA, "%s:1: no benchmark ran: the file is empty",
                       feed->text.name);
  }
  PAWL_TRY(folder ? importer->feed_folder(feed, err) : importer->feed(feed, err));
  if (!folder && importer->begins && *importer->begins != '<' &&
      !is_blank(&feed->text, feed->span.end))
    return pawl_json_span_fail(&feed->text, feed->span.end, err,
                               "text follows after the document; give each document its own file");
  if (!pawl_feed_count(feed) && importer->feed != pawl_feed_own_run &&
      importer->feed != pawl_feed_results)
    return pawl_fail(err, PAWL_BAD_DATA, "%s%s: no benchmark ran: the %s has none of %s",
                     feed->text.name, folder ? "" : ":1", folder ? "folder" : "file",
                     importer->name);
  return PAWL_OK;
}

/* --- the rows of a command --- */

struct import_rows {
  struct pawl_benchmarks all;
  struct pawl_arena *arena;
  const char *file;
};

static enum pawl_status_code take_row(void *context, const struct pawl_benchmark *benchmark,
                                      struct pawl_error *err) {
  struct import_rows *rows = context;
  struct pawl_benchmarks *all = &rows->all;
  if (all->count >= MOST_BENCHMARKS)
    return pawl_fail(err, PAWL_BAD_DATA, "%s: more than %d benchmarks: let the command run fewer",
                     rows->file, MOST_BENCHMARKS);
  if ((all->count & (all->count - 1)) == 0) { /* full: the room doubles at powers of two */
    struct pawl_benchmark *grown =
        pawl_arena_alloc(rows->arena, all->count ? 2 * all->count : 1, sizeof *grown);
    if (all->count) memcpy(grown, all->items, all->count * sizeof *grown);
    all->items = grown;
  }
  struct pawl_benchmark *row = &all->items[all->count++];
  *row = *benchmark;
  row->name = pawl_arena_copy(rows->arena, benchmark->name);
  row->reason = pawl_arena_copy(rows->arena, benchmark->reason);
  if (!benchmark->count) return PAWL_OK;
  row->seconds = pawl_arena_alloc(rows->arena, benchmark->count, sizeof *row->seconds);
  memcpy(row->seconds, benchmark->seconds, benchmark->count * sizeof *row->seconds);
  return PAWL_OK;
}

/* Whether a document of the format may begin here. A log has brackets too: "[info] start". */
static bool may_begin(const char *text, char begins) {
  if (*text != begins) return false;
  if (begins == '<') return isalpha((unsigned char)text[1]) || text[1] == '?';
  text += 1 + strspn(text + 1, " \t\r\n");
  return begins == '[' ? *text == '{' || *text == ']' : *text == '"' || *text == '}';
}

/* The document that begins at the start of the text; false: nothing ends it. */
static bool cut_document(struct pawl_json_text *text, char begins) {
  struct pawl_json_span span;
  struct pawl_error ignored;
  if (begins == '<') {
    const char *last = memrchr(text->text, '>', text->length);
    if (last) text->length = (size_t)(last + 1 - text->text);
    return last != NULL;
  }
  if (pawl_json_span_next(text, 0, &span, &ignored) != PAWL_OK) return false;
  text->length = span.end;
  return true;
}

/* Reads every document of the format among the words that a command printed. */
static pawl_status feed_printed(const struct pawl_importer *importer, const char *output,
                                struct pawl_feed *feed, struct pawl_error *err) {
  struct pawl_error first = {0};
  const char *name = feed->text.name;
  bool any = false;
  if (!importer->begins) {
    feed->text = (struct pawl_json_text){name, output, strlen(output)};
    return pawl_import_feed(importer, false, feed, err);
  }
  for (const char *at = output; (at = strchr(at, *importer->begins));) {
    struct pawl_json_text text = {name, at, strlen(at)};
    struct pawl_error failure = {0};
    const size_t before = pawl_feed_count(feed);
    at++;
    if (!may_begin(text.text, *importer->begins) || !cut_document(&text, *importer->begins))
      continue;
    feed->text = text;
    if (pawl_import_feed(importer, false, feed, &failure) == PAWL_OK) {
      any = true;
      at = text.text + text.length;
    } else if (pawl_feed_count(feed) > before) {
      return pawl_fail(err, failure.code, "%s", failure.message);
    } else if (!first.code) {
      first = failure;
    }
  }
  if (any) return PAWL_OK;
  if (first.code) return pawl_fail(err, first.code, "%s", first.message);
  return pawl_fail(err, PAWL_BAD_DATA,
                   "%s: no benchmark ran, or the command wrote its file elsewhere: there is no %s "
                   "in \"{out}\", nor among the words that it printed",
                   name, *importer->begins == '<' ? "XML" : "JSON");
}

static pawl_status feed_command(const struct pawl_importer *importer, const char *path,
                                const char *output, struct pawl_feed *feed,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (importer->feed_folder) {
    feed->text = (struct pawl_json_text){path, "", 0};
    PAWL_TRY(importer->feed_folder(feed, err));
    feed->text.name = importer->name;
    return pawl_feed_count(feed) ? PAWL_OK : feed_printed(importer, output, feed, err);
  }
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  feed->text = (struct pawl_json_text){importer->name, text.data, text.length};
  return text.length ? pawl_import_feed(importer, false, feed, err)
                     : feed_printed(importer, output, feed, err);
}

static pawl_status read_benchmarks(const char *format, const char *path, const char *output,
                                   struct pawl_arena *arena, struct pawl_benchmarks *out,
                                   struct pawl_error *err) {
  struct import_rows rows = {.arena = arena, .file = format};
  struct pawl_history_run defaults;
  pawl_history_run_init(&defaults);
  struct pawl_feed feed = {.text.name = format,
                           .format = format,
                           .defaults = &defaults,
                           .sink = {.context = &rows, .benchmark = take_row}};
  const enum pawl_status_code status =
      feed_command(pawl_importer_find(format), path, output, &feed, err);
  if (feed.notes.length) rows.all.note = pawl_arena_copy(arena, feed.notes.data);
  pawl_feed_release(&feed);
  if (status == PAWL_OK) *out = rows.all;
  return status;
}

struct pawl_benchmarks_reader pawl_import_reader(const char *format) {
  const struct pawl_importer *importer = pawl_importer_find(format);
  if (!importer || !importer->parse) return (struct pawl_benchmarks_reader){0};
  return (struct pawl_benchmarks_reader){importer->name, importer->feed_folder != NULL,
                                         read_benchmarks};
}

/* --- the format of a file --- */

static enum pawl_status_code pass_over(void *context, const struct pawl_benchmark *benchmark,
                                       struct pawl_error *err) {
  (void)context, (void)benchmark, (void)err;
  return PAWL_OK;
}

/* Whether the reader finds a benchmark with a figure. */
static bool reads_figure(const struct pawl_importer *importer, const struct pawl_json_text *text) {
  struct pawl_error ignored = {0};
  struct pawl_history_run defaults;
  pawl_history_run_init(&defaults);
  struct pawl_feed feed = {.text = *text,
                           .format = importer->name,
                           .defaults = &defaults,
                           .sink = {.benchmark = pass_over}};
  const bool whole = pawl_import_feed(importer, false, &feed, &ignored) == PAWL_OK;
  size_t figures = 0;
  for (size_t i = 0; i < PAWL_FEED_OUTCOMES; i++)
    if (pawl_feed_outcomes[i].outcome == PAWL_OUTCOME_OK) figures = feed.counts[i];
  pawl_feed_release(&feed);
  return whole && figures > 0;
}

const struct pawl_importer *pawl_import_recognize(const char *path) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  if (pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, &ignored) != PAWL_OK || !text.length)
    return NULL;
  const struct pawl_json_text whole = {.name = path, .text = text.data, .length = text.length};
  for (size_t i = 0; i < pawl_importer_count; i++) {
    const struct pawl_importer *importer = &pawl_importers[i];
    if (importer->feed == pawl_feed_results || importer->feed == pawl_feed_own_run) continue;
    if (reads_figure(importer, &whole)) return importer;
  }
  return NULL;
}
