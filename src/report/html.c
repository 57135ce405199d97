/* SPDX-License-Identifier: Apache-2.0 */
/* A page that needs nothing but itself: styles and pictures inside, light and dark, no script, no network. */
#include "base/file.h"
#include "report/document.h"
#include "report/draw.h"
#include "report/escape.h"

/* The policy holds even if some string should slip through the escaping. */
static const char page_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>pawl report</title>\n<style>\n"
    ":root{--paper:#fff;--ink:#1f2328;--dim:#656d76;--line:#d8dee4;--soft:#f6f8fa;--good:#1a7f37;--bad:#cf222e;"
    "--doubt:#9a6700}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--dim:#9198a1;--line:#30363d;"
    "--soft:#161b22;--good:#3fb950;--bad:#ff7b72;--doubt:#d29922}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:2rem 1.5rem 4rem;max-width:76rem;background:var(--paper);color:var(--ink);"
    "font:15px/1.55 system-ui,-apple-system,\"Segoe UI\",\"Helvetica Neue\",\"DejaVu Sans\",sans-serif}\n"
    ".verdict{font-size:1.2rem;padding:.8rem 1.1rem;border-left:.4rem solid var(--dim);border-radius:.3rem;"
    "background:var(--soft);margin:0 0 1.2rem}\n"
    ".verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}"
    ".verdict.doubt{border-color:var(--doubt)}\n"
    ".verdict.good strong{color:var(--good)}.verdict.bad strong{color:var(--bad)}"
    ".verdict.doubt strong{color:var(--doubt)}\n"
    "h2{font-size:1.1rem;margin:2rem 0 .6rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,\"DejaVu Sans Mono\",monospace;font-size:.87em}\n"
    "code{background:var(--soft);padding:.1em .35em;border-radius:.25rem;overflow-wrap:anywhere}\n"
    "pre{background:var(--soft);padding:.9rem 1rem;border-radius:.4rem;overflow-x:auto;line-height:1.45}\n"
    ".table{overflow-x:auto;margin:1rem 0}\n"
    "table{border-collapse:collapse;width:100%;font-size:.92em}\n"
    "th,td{padding:.4rem .7rem;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}\n"
    "th{color:var(--dim);font-weight:600}\n"
    "td.wide{white-space:normal;min-width:14rem}\n"
    ".number{text-align:right;font-variant-numeric:tabular-nums}\n"
    "tr.bad td:first-child,tr.bad strong{color:var(--bad)}tr.good td:first-child{color:var(--good)}"
    "tr.doubt td:first-child{color:var(--doubt)}tr.dim td{color:var(--dim)}\n"
    "ul{padding-left:1.3rem}li{margin:.3rem 0}\n"
    "details{margin:1rem 0;border:1px solid var(--line);border-radius:.4rem;padding:0 1rem}\n"
    "summary{cursor:pointer;padding:.55rem 0;font-weight:600}\n"
    "img{width:100%;height:auto;display:block;margin:1rem 0}\n"
    "@media print{details{border:0}body{max-width:none}}\n"
    "</style>\n</head>\n<body>\n";
static const char page_tail[] = "</body>\n</html>\n";

static const char *tone_class(enum pawl_tone tone) {
  switch (tone) {
    case PAWL_TONE_PLAIN: return "plain";
    case PAWL_TONE_GOOD: return "good";
    case PAWL_TONE_BAD: return "bad";
    case PAWL_TONE_DOUBT: return "doubt";
    case PAWL_TONE_DIM: return "dim";
  }
  return "plain";
}

static void element(struct pawl_text *out, const char *name, const char *text) {
  pawl_text_printf(out, "<%s>", name);
  pawl_html_text(text, out);
  pawl_text_printf(out, "</%s>", name);
}

static void words(struct pawl_text *out, const char *text) {
  pawl_html_text(text, out);
}
static void strong(struct pawl_text *out, const char *text) {
  element(out, "strong", text);
}
static void code(struct pawl_text *out, const char *outside) {
  element(out, "code", outside);
}

static void headline(struct pawl_text *out, enum pawl_tone tone, const char *verdict) {
  pawl_text_printf(out, "<p class=\"verdict %s\">", tone_class(tone));
  strong(out, verdict);
}

static void heading(struct pawl_text *out, const char *text) {
  element(out, "h2", text);
  pawl_text_add(out, "\n");
}

static void block(struct pawl_text *out, const char *outside) {
  element(out, "pre", outside);
  pawl_text_add(out, "\n");
}

static void table_begin(struct pawl_text *out, const struct pawl_column *columns, size_t count) {
  pawl_text_add(out, "<div class=\"table\"><table>\n<tr>");
  for (size_t i = 0; i < count; i++) {
    pawl_text_add(out, columns[i].kind == PAWL_COLUMN_NUMBER ? "<th class=\"number\">" : "<th>");
    words(out, columns[i].title);
    pawl_text_add(out, "</th>");
  }
  pawl_text_add(out, "</tr>\n");
}

static void row_begin(struct pawl_text *out, enum pawl_tone tone) {
  pawl_text_printf(out, "<tr class=\"%s\">", tone_class(tone));
}

static void cell_begin(struct pawl_text *out, const struct pawl_column *column) {
  static const char *const tags[] = {[PAWL_COLUMN_TEXT] = "<td>",
                                     [PAWL_COLUMN_NUMBER] = "<td class=\"number\">",
                                     [PAWL_COLUMN_PROSE] = "<td class=\"wide\">"};
  pawl_text_add(out, tags[column->kind]);
}

static void fold_begin(struct pawl_text *out, const char *text) {
  pawl_text_add(out, "<details>");
  element(out, "summary", text);
  pawl_text_add(out, "\n");
}

static void paragraph_begin(struct pawl_text *out) {
  pawl_text_add(out, "<p>");
}
static void paragraph_end(struct pawl_text *out) {
  pawl_text_add(out, "</p>\n");
}
static void list_begin(struct pawl_text *out) {
  pawl_text_add(out, "<ul>\n");
}
static void list_end(struct pawl_text *out) {
  pawl_text_add(out, "</ul>\n");
}
static void item_begin(struct pawl_text *out) {
  pawl_text_add(out, "<li>");
}
static void item_end(struct pawl_text *out) {
  pawl_text_add(out, "</li>\n");
}
static void cell_end(struct pawl_text *out) {
  pawl_text_add(out, "</td>");
}
static void row_end(struct pawl_text *out) {
  pawl_text_add(out, "</tr>\n");
}
static void table_end(struct pawl_text *out) {
  pawl_text_add(out, "</table></div>\n");
}
static void fold_end(struct pawl_text *out) {
  pawl_text_add(out, "</details>\n");
}

const struct pawl_document_format pawl_html_format = {
    .headline = headline,
    .heading = heading,
    .paragraph_begin = paragraph_begin,
    .paragraph_end = paragraph_end,
    .list_begin = list_begin,
    .item_begin = item_begin,
    .item_end = item_end,
    .list_end = list_end,
    .table_begin = table_begin,
    .row_begin = row_begin,
    .cell_begin = cell_begin,
    .cell_end = cell_end,
    .row_end = row_end,
    .table_end = table_end,
    .fold_begin = fold_begin,
    .fold_end = fold_end,
    .block = block,
    .words = words,
    .strong = strong,
    .code = code,
};

/* RFC 4648, section 4. */
static void add_base64(const struct pawl_text *data, struct pawl_text *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < data->length; i += 3) {
    const unsigned char *p = (const unsigned char *)data->data + i;
    const size_t left = data->length - i;
    const unsigned bits = (unsigned)p[0] << 16 | (left > 1 ? (unsigned)p[1] << 8 : 0) | (left > 2 ? p[2] : 0u);
    const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                          left > 2 ? digits[bits & 63] : '='};
    pawl_text_add_bytes(out, four, sizeof four);
  }
}

static pawl_status add_picture(const struct pawl_run_report *report, const struct pawl_theme *theme, const char *before,
                               const char *after, struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text svg = {0};
  PAWL_TRY(pawl_picture_svg(report, theme, &svg, err));
  if (svg.length == 0) return PAWL_OK;
  pawl_text_printf(out, "%s\"data:image/svg+xml;base64,", before);
  add_base64(&svg, out);
  pawl_text_printf(out, "\"%s", after);
  return PAWL_OK;
}

static pawl_status add_pictures(const struct pawl_run_report *report, struct pawl_text *out, struct pawl_error *err) {
  PAWL_TRY(add_picture(report, &pawl_theme_dark, "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=", ">",
                       out, err));
  return add_picture(report, &pawl_theme_light,
                     "<img alt=\"The changes or the samples, and the roofline\" src=", "></picture>\n", out, err);
}

static pawl_status make_page(const struct pawl_run_report *report, struct pawl_text *out, struct pawl_error *err) {
  struct pawl_document document = {&pawl_html_format, out};
  pawl_text_add(out, page_head);
  pawl_section_headline(&document, report);
  for (size_t i = 0; i < pawl_section_count; i++) {
    if (pawl_sections[i].write)
      pawl_sections[i].write(&document, report);
    else
      PAWL_TRY(add_pictures(report, out, err));
  }
  pawl_text_add(out, page_tail);
  return PAWL_OK;
}

pawl_status pawl_report_html(const struct pawl_run_report *report, const char *folder, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text page = {0};
  PAWL_TRY(make_page(report, &page, err));
  PAWL_TRY(pawl_make_folders(folder, err));
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(folder, "index.html");
  return pawl_file_write(path, page.data, page.length, err);
}
