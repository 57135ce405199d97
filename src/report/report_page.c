/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report as parts for the dashboard's page: docs/schema/report.schema.json. The page
   shows every string as text, so no string from outside becomes a part of the page. */
#include "report/document.h"
#include "report/escape.h"

/* --- JSON --- */

/* Adds a comma unless the list is empty. A bracket at the end always belongs to the list, because
   strings end with a quotation mark. */
static void separate(struct pawl_text *out) {
  if (out->length && out->data[out->length - 1] != '[') pawl_text_add(out, ",");
}

static void report_page_add_string(struct pawl_text *out, const char *text) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  pawl_clean_text(text, true, &clean);
  pawl_text_add(out, "\"");
  for (const char *p = pawl_text_string(&clean); *p; p++) {
    switch (*p) {
      case '"': pawl_text_add(out, "\\\""); break;
      case '\\': pawl_text_add(out, "\\\\"); break;
      case '\n': pawl_text_add(out, "\\n"); break;
      case '\t': pawl_text_add(out, "\\t"); break;
      default: pawl_text_add_bytes(out, p, 1); break;
    }
  }
  pawl_text_add(out, "\"");
}

/* Begins the next object of a list. `rest` is its text up to its own text or list. */
static void open_object(struct pawl_text *out, const char *rest) {
  separate(out);
  pawl_text_printf(out, "{%s", rest);
}

/* Writes a whole object with one text. */
static void add_object(struct pawl_text *out, const char *rest, const char *text) {
  open_object(out, rest);
  report_page_add_string(out, text);
  pawl_text_add(out, "}");
}

static void close_list(struct pawl_text *out) { pawl_text_add(out, "]}"); }

/* --- the format --- */

static const char *color_name(enum pawl_report_color color) {
  static const char *const names[] = {[PAWL_COLOR_PLAIN] = "plain",
                                      [PAWL_COLOR_GOOD] = "good",
                                      [PAWL_COLOR_BAD] = "bad",
                                      [PAWL_COLOR_DOUBT] = "doubt",
                                      [PAWL_COLOR_DIM] = "dim"};
  return names[color];
}

static void words(struct pawl_text *out, const char *text) {
  separate(out);
  report_page_add_string(out, text);
}
static void report_page_strong(struct pawl_text *out, const char *text) {
  add_object(out, "\"strong\":", text);
}
static void code(struct pawl_text *out, const char *outside) {
  add_object(out, "\"code\":", outside);
}

static void report_page_headline(struct pawl_text *out, enum pawl_report_color color,
                                 const char *verdict) {
  open_object(out, "\"part\":\"headline\",\"tone\":");
  pawl_text_printf(out, "\"%s\",\"content\":[", color_name(color));
  report_page_strong(out, verdict);
}
static void report_page_heading(struct pawl_text *out, const char *text) {
  add_object(out, "\"part\":\"heading\",\"text\":", text);
}
static void block(struct pawl_text *out, const char *outside) {
  add_object(out, "\"part\":\"block\",\"text\":", outside);
}
static void paragraph_begin(struct pawl_text *out) {
  open_object(out, "\"part\":\"paragraph\",\"content\":[");
}
static void list_begin(struct pawl_text *out) { open_object(out, "\"part\":\"list\",\"items\":["); }

static void fold_begin(struct pawl_text *out, const char *text) {
  open_object(out, "\"part\":\"fold\",\"title\":");
  report_page_add_string(out, text);
  pawl_text_add(out, ",\"parts\":[");
}

static void table_begin(struct pawl_text *out, const struct pawl_column *columns, size_t count) {
  static const char *const kinds[] = {
      [PAWL_COLUMN_TEXT] = "text", [PAWL_COLUMN_NUMBER] = "number", [PAWL_COLUMN_PROSE] = "prose"};
  open_object(out, "\"part\":\"table\",\"columns\":[");
  for (size_t i = 0; i < count; i++) {
    open_object(out, "\"title\":");
    report_page_add_string(out, columns[i].title);
    pawl_text_printf(out, ",\"kind\":\"%s\"}", kinds[columns[i].kind]);
  }
  pawl_text_add(out, "],\"rows\":[");
}

static void report_page_row_begin(struct pawl_text *out, enum pawl_report_color color) {
  separate(out);
  pawl_text_printf(out, "{\"tone\":\"%s\",\"cells\":[", color_name(color));
}

/* Items of a list and cells of a row are lists of words. */
static void item_begin(struct pawl_text *out) {
  separate(out);
  pawl_text_add(out, "[");
}
static void cell_begin(struct pawl_text *out, const struct pawl_column *column) {
  (void)column; /* the table gives the kind of its columns */
  item_begin(out);
}
static void item_end(struct pawl_text *out) { pawl_text_add(out, "]"); }

static const struct pawl_document_format page_format = {
    .headline = report_page_headline,
    .heading = report_page_heading,
    .paragraph_begin = paragraph_begin,
    .paragraph_end = close_list,
    .list_begin = list_begin,
    .item_begin = item_begin,
    .item_end = item_end,
    .list_end = close_list,
    .table_begin = table_begin,
    .row_begin = report_page_row_begin,
    .cell_begin = cell_begin,
    .cell_end = item_end,
    .row_end = close_list,
    .table_end = close_list,
    .fold_begin = fold_begin,
    .fold_end = close_list,
    .block = block,
    .words = words,
    .strong = report_page_strong,
    .code = code,
};

/* --- the picture --- */

static void add_picture(struct pawl_report_page *page) {
  if (page->light.length)
    add_object(&page->json, "\"part\":\"picture\",\"text\":", PAWL_REPORT_PICTURE_WORDS);
}

/* --- the whole --- */

struct pawl_document pawl_page_begin(struct pawl_text *out) {
  pawl_text_add(out, "{\"schema_version\":1,\"parts\":[");
  return (struct pawl_document){&page_format, out};
}
void pawl_page_end(struct pawl_text *out) { close_list(out); }

void pawl_report_page(const struct pawl_run_report *report, struct pawl_report_page *page) {
  struct pawl_document document = pawl_page_begin(&page->json);
  pawl_section_headline(&document, report);
  for (size_t i = 0; i < pawl_section_count; i++) {
    if (pawl_sections[i].write)
      pawl_sections[i].write(&document, report);
    else
      add_picture(page);
  }
  pawl_page_end(&page->json);
}

void pawl_report_page_clear(struct pawl_report_page *page) {
  pawl_text_clear(&page->json);
  pawl_text_clear(&page->light);
  pawl_text_clear(&page->dark);
}
