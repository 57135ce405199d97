/* SPDX-License-Identifier: Apache-2.0 */
/* GitHub-flavoured Markdown: https://github.github.com/gfm/ */
#include "report/document.h"
#include "report/escape.h"

/* pawl's own words contain no mark-up: no *, _ or |, and < only before a space. */
static void words(struct pawl_text *out, const char *text) { pawl_text_add(out, text); }

static void markdown_strong(struct pawl_text *out, const char *text) {
  pawl_text_printf(out, "**%s**", text);
}

static void markdown_headline(struct pawl_text *out, enum pawl_report_color color,
                              const char *verdict) {
  (void)color;
  markdown_strong(out, verdict);
}

static void markdown_heading(struct pawl_text *out, const char *text) {
  pawl_text_printf(out, "### %s\n\n", text);
}
static void nothing(struct pawl_text *out) { (void)out; }
static void blank_line(struct pawl_text *out) { pawl_text_add(out, "\n\n"); }
static void new_line(struct pawl_text *out) { pawl_text_add(out, "\n"); }
static void item_begin(struct pawl_text *out) { pawl_text_add(out, "- "); }

static void table_begin(struct pawl_text *out, const struct pawl_column *columns, size_t count) {
  for (size_t i = 0; i < count; i++) pawl_text_printf(out, "| %s ", columns[i].title);
  pawl_text_add(out, "|\n");
  for (size_t i = 0; i < count; i++)
    pawl_text_add(out, columns[i].kind == PAWL_COLUMN_NUMBER ? "|---:" : "|---");
  pawl_text_add(out, "|\n");
}

static void markdown_row_begin(struct pawl_text *out, enum pawl_report_color color) {
  (void)color;
  pawl_text_add(out, "|");
}

static void cell_begin(struct pawl_text *out, const struct pawl_column *column) {
  (void)column;
  pawl_text_add(out, " ");
}

static void cell_end(struct pawl_text *out) { pawl_text_add(out, " |"); }

static void fold_begin(struct pawl_text *out, const char *text) {
  pawl_text_printf(out, "<details><summary>%s</summary>\n\n", text);
}

static void fold_end(struct pawl_text *out) { pawl_text_add(out, "</details>\n\n"); }

static void block(struct pawl_text *out, const char *outside) {
  pawl_markdown_block(outside, out);
  new_line(out);
}

static void code(struct pawl_text *out, const char *outside) { pawl_markdown_code(outside, out); }

const struct pawl_document_format pawl_markdown_format = {
    .headline = markdown_headline,
    .heading = markdown_heading,
    .paragraph_begin = nothing,
    .paragraph_end = blank_line,
    .list_begin = nothing,
    .item_begin = item_begin,
    .item_end = new_line,
    .list_end = new_line,
    .table_begin = table_begin,
    .row_begin = markdown_row_begin,
    .cell_begin = cell_begin,
    .cell_end = cell_end,
    .row_end = new_line,
    .table_end = new_line,
    .fold_begin = fold_begin,
    .fold_end = fold_end,
    .block = block,
    .words = words,
    .strong = markdown_strong,
    .code = code,
};

pawl_status pawl_report_markdown(const struct pawl_run_report *report, const char *picture,
                                 struct pawl_text *out, struct pawl_error *err) {
  (void)err;
  struct pawl_document document = {&pawl_markdown_format, out,
                                   report->ratchet ? PAWL_RUN_TABLE_ROWS : 0};
  pawl_section_headline(&document, report);
  for (size_t i = 0; i < pawl_section_count; i++) {
    if (pawl_sections[i].write)
      pawl_sections[i].write(&document, report);
    else if (picture)
      pawl_text_printf(out, "![%s](%s)\n\n", PAWL_REPORT_PICTURE_WORDS, picture);
  }
  return PAWL_OK;
}
