/* SPDX-License-Identifier: Apache-2.0 */
#include "report/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/count.h"
#include "report/document.h"
#include "report/figures.h"
#include "report/terminal_table.h"

#define SCHEMA_VERSION 1
#define MOST_ROWS 200 /* A table shows at most this number of rows. The file has all rows. */
#define MOST_COLUMNS PAWL_TERMINAL_COLUMNS
#define NOTHING "\xe2\x80\x93" /* null: unknown, or none */

enum role { ROLE_VIEW, ROLE_FACT, ROLE_TABLE, ROLE_CELL };
enum view_kind { CODE, PROSE, NUMBER, PERCENT, SHARE, TIME, SECONDS, FLAG, PARAMS };

/* A row of views.inc. The facts and tables of a view, with their cells, follow it. */
struct pawl_view {
  enum role role;
  enum view_kind kind;
  const char *title, *key; /* In a view they are the schema and the mark. */
  const char *flag, *good, *bad, *words;
};

#define VIEW(schema, mark, flag, good, bad, words) \
  {ROLE_VIEW, CODE, schema, mark, flag, good, bad, words},
#define FACT(title, key, kind) {ROLE_FACT, kind, title, key, NULL, NULL, NULL, NULL},
#define TABLE(title, list) {ROLE_TABLE, CODE, title, list, NULL, NULL, NULL, NULL},
#define CELL(title, key, kind) {ROLE_CELL, kind, title, key, NULL, NULL, NULL, NULL},
static const struct pawl_view items[] = {
#include "report/views.inc"
    {ROLE_VIEW, CODE, NULL, NULL, NULL, NULL, NULL, NULL}, /* ends the last */
};
#undef VIEW
#undef FACT
#undef TABLE
#undef CELL

const struct pawl_view *pawl_view_of(const json_t *document) {
  for (size_t i = 0; i + 1 < PAWL_COUNT(items); i++)
    if (items[i].role == ROLE_VIEW && json_object_get(document, items[i].key)) return &items[i];
  return NULL;
}

/* --- values --- */

/* Returns the value of "key" or "key.key" in an object, or NULL if it is absent. */
static const json_t *value_at(const json_t *object, const char *path) {
  const char *dot = strchr(path, '.');
  if (!dot) return json_object_get(object, path);
  return value_at(json_object_getn(object, path, (size_t)(dot - path)), dot + 1);
}

static void add_parameters(const json_t *object, struct pawl_text *out) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    pawl_text_printf(out, "%s%s=", out->length ? " " : "", key);
    if (json_is_string(value))
      pawl_text_add(out, json_string_value(value));
    else
      pawl_json_write_text(value, true, out);
    while (out->length && out->data[out->length - 1] == '\n') out->data[--out->length] = '\0';
  }
}

static const char *view_figure(double value, enum view_kind kind, char out[PAWL_FIGURE]) {
  if (kind == PERCENT) return pawl_figure_percent(value, out);
  if (kind == SHARE) return pawl_figure_percent(value * 100, out);
  if (kind == TIME) return pawl_figure_time(value, out);
  if (kind == SECONDS)
    return fabs(value) < 1 ? pawl_figure_time(value * 1e3, out) : pawl_figure_seconds(value, out);
  if (value == floor(value) && fabs(value) < 1e15)
    snprintf(out, PAWL_FIGURE, "%.0f", value);
  else
    return pawl_figure_number(value, out);
  return out;
}

/* Writes a value as text. A value of an unexpected kind appears as in the document. */
static void view_add_value(const json_t *value, enum view_kind kind, struct pawl_text *out) {
  char text[PAWL_FIGURE];
  if (!value || json_is_null(value))
    pawl_text_add(out, NOTHING);
  else if (json_is_string(value))
    pawl_text_add(out, json_string_value(value));
  else if (json_is_boolean(value))
    pawl_text_add(out, json_is_true(value) ? "yes" : "no");
  else if (json_is_number(value))
    pawl_text_add(out, view_figure(json_number_value(value), kind, text));
  else if (json_is_object(value))
    add_parameters(value, out);
  if (!out->length) pawl_text_add(out, NOTHING);
}

/* Returns whether a person or a program wrote the value, so that it appears as code. */
static bool is_outside(const json_t *value) {
  return json_is_string(value) || json_is_object(value);
}

/* --- rows --- */

struct view_row {
  const json_t *object, *above; /* above: the object of the list around it; NULL: none */
};
struct view_rows {
  struct view_row rows[MOST_ROWS];
  size_t count; /* the number of all rows; a table only counts those beyond MOST_ROWS */
};

/* Returns false if the document has something else where the path has a list or an object. */
static bool view_collect(const json_t *object, const json_t *above, const char *path,
                         struct view_rows *out) {
  const char *dot = strchr(path, '.');
  const json_t *value =
      dot ? json_object_getn(object, path, (size_t)(dot - path)) : json_object_get(object, path);
  if (!value || json_is_null(value)) return true;
  if (json_is_object(value)) return dot && view_collect(value, above, dot + 1, out);
  if (!json_is_array(value)) return false;
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *item = json_array_get(value, i);
    if (!json_is_object(item)) return false;
    if (dot && !view_collect(item, item, dot + 1, out)) return false;
    if (dot) continue;
    if (out->count < MOST_ROWS) out->rows[out->count] = (struct view_row){item, above};
    out->count++;
  }
  return true;
}

static const json_t *cell_value(const struct view_row *row, const struct pawl_view *cell) {
  return cell->key[0] == '^' ? value_at(row->above, cell->key + 1)
                             : value_at(row->object, cell->key);
}

/* The visible part of a table: the columns in which some row has a value. */
struct shown_table {
  const char *title;
  const struct pawl_view *columns[MOST_COLUMNS];
  size_t column_count, row_count;
  struct view_rows all;
};

/* Fills the table of the item `table`. Returns the item after it. */
static const struct pawl_view *read_table(const struct pawl_view *table, const json_t *document,
                                          struct shown_table *out) {
  const struct pawl_view *cell = table + 1;
  *out = (struct shown_table){.title = table->title};
  view_collect(document, NULL, table->key, &out->all);
  out->row_count = out->all.count < MOST_ROWS ? out->all.count : MOST_ROWS;
  for (; cell->role == ROLE_CELL; cell++) {
    bool any = false;
    for (size_t i = 0; i < out->row_count && !any; i++) {
      const json_t *value = cell_value(&out->all.rows[i], cell);
      any = value && !json_is_null(value);
    }
    if (!any) continue;
    PAWL_ASSERT(out->column_count < MOST_COLUMNS);
    out->columns[out->column_count++] = cell;
  }
  return cell;
}

pawl_status pawl_view_check(const struct pawl_view *view, const json_t *document, const char *name,
                            struct pawl_error *err) {
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
  struct view_rows *rows = pawl_alloc(1, sizeof *rows);
  const char *bad = NULL;
  for (const struct pawl_view *item = view + 1; item->role != ROLE_VIEW && !bad; item++)
    if (item->role == ROLE_TABLE && !view_collect(document, NULL, item->key, rows)) bad = item->key;
  pawl_free(rows);
  if (bad) return pawl_fail(err, PAWL_BAD_DATA, "%s: '%s' is no list of objects", name, bad);
  return json_object_get(document, "schema_version")
             ? pawl_json_check_version(document, &path, SCHEMA_VERSION, err)
             : pawl_fail(err, PAWL_BAD_DATA, "%s: it has no schema_version", name);
}

/* --- the headline --- */

static const char *title(const struct pawl_view *view, const json_t *document,
                         enum pawl_report_color *color) {
  *color = PAWL_COLOR_PLAIN;
  if (!view->flag) return view->good;
  const bool negated = view->flag[0] == '!';
  const bool good = json_is_true(json_object_get(document, view->flag + negated)) != negated;
  *color = good ? PAWL_COLOR_GOOD : PAWL_COLOR_DOUBT;
  return good ? view->good : view->bad;
}

/* Returns the sentence after the title, or NULL if there is none. */
static const char *words(const struct pawl_view *view, const json_t *document) {
  return view->words ? json_string_value(json_object_get(document, view->words)) : NULL;
}

/* --- Markdown and the page --- */

static void document_value(struct pawl_document *d, const json_t *value, enum view_kind kind) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  view_add_value(value, kind, &text);
  (is_outside(value) ? d->format->code : d->format->words)(d->out, text.data);
}

static void document_table(struct pawl_document *d, const struct shown_table *table) {
  struct pawl_column columns[MOST_COLUMNS];
  for (size_t i = 0; i < table->column_count; i++) {
    const enum view_kind kind = table->columns[i]->kind;
    columns[i] = (struct pawl_column){table->columns[i]->title,
                                      kind == CODE || kind == FLAG      ? PAWL_COLUMN_TEXT
                                      : kind == PROSE || kind == PARAMS ? PAWL_COLUMN_PROSE
                                                                        : PAWL_COLUMN_NUMBER};
  }
  if (table->title) d->format->heading(d->out, table->title);
  d->format->table_begin(d->out, columns, table->column_count);
  for (size_t row = 0; row < table->row_count; row++) {
    d->format->row_begin(d->out, PAWL_COLOR_PLAIN);
    for (size_t i = 0; i < table->column_count; i++) {
      d->format->cell_begin(d->out, &columns[i]);
      document_value(d, cell_value(&table->all.rows[row], table->columns[i]),
                     table->columns[i]->kind);
      d->format->cell_end(d->out);
    }
    d->format->row_end(d->out);
  }
  d->format->table_end(d->out);
  if (table->row_count == table->all.count) return;
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "The file has %zu more rows.", table->all.count - table->row_count);
  d->format->paragraph_end(d->out);
}

static void document_facts(struct pawl_document *d, const struct pawl_view *view,
                           const json_t *document) {
  if (view[1].role != ROLE_FACT) return;
  d->format->list_begin(d->out);
  for (const struct pawl_view *item = view + 1; item->role == ROLE_FACT; item++) {
    const json_t *value = value_at(document, item->key);
    if (!value || json_is_null(value)) continue;
    d->format->item_begin(d->out);
    pawl_document_printf(d, "%s: ", item->title);
    document_value(d, value, item->kind);
    d->format->item_end(d->out);
  }
  d->format->list_end(d->out);
}

static void write_document(struct pawl_document *d, const struct pawl_view *view,
                           const json_t *document) {
  enum pawl_report_color color;
  const char *head = title(view, document, &color), *sentence = words(view, document);
  struct shown_table *table = pawl_alloc(1, sizeof *table);
  d->format->headline(d->out, color, head);
  if (sentence) pawl_document_printf(d, ": ");
  if (sentence) pawl_document_code(d, sentence);
  d->format->paragraph_end(d->out);
  document_facts(d, view, document);
  for (const struct pawl_view *item = view + 1; item->role != ROLE_VIEW;) {
    const bool is_table = item->role == ROLE_TABLE;
    item = is_table ? read_table(item, document, table) : item + 1;
    if (is_table && table->row_count) document_table(d, table);
  }
  pawl_free(table);
}

void pawl_view_markdown(const struct pawl_view *view, const json_t *document,
                        struct pawl_text *out) {
  struct pawl_document markdown = {&pawl_markdown_format, out};
  write_document(&markdown, view, document);
}

void pawl_view_page(const struct pawl_view *view, const json_t *document, struct pawl_text *out) {
  struct pawl_document page = pawl_page_begin(out);
  write_document(&page, view, document);
  pawl_page_end(out);
}

/* --- the terminal --- */

static void terminal_table(const struct shown_table *shown, const struct pawl_terminal_style *look,
                           struct pawl_text *out) {
  struct pawl_terminal_column columns[MOST_COLUMNS];
  for (size_t i = 0; i < shown->column_count; i++) {
    const enum view_kind kind = shown->columns[i]->kind;
    columns[i] = (struct pawl_terminal_column){
        shown->columns[i]->title, kind != CODE && kind != PROSE && kind != PARAMS && kind != FLAG,
        0};
  }
  PAWL_CLEANUP(pawl_terminal_table_release)
  struct pawl_terminal_table table = {.columns = columns, .column_count = shown->column_count};
  for (size_t row = 0; row < shown->row_count; row++) {
    pawl_terminal_row_begin(&table, PAWL_COLOR_PLAIN);
    for (size_t i = 0; i < shown->column_count; i++) {
      PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
      view_add_value(cell_value(&shown->all.rows[row], shown->columns[i]), shown->columns[i]->kind,
                     &text);
      pawl_terminal_cell(&table, text.data);
    }
  }
  pawl_text_printf(out, "\n%s%s", shown->title ? shown->title : "", shown->title ? "\n" : "");
  pawl_terminal_table_write(&table, look, out);
  if (shown->row_count < shown->all.count)
    pawl_text_printf(out, "  the file has %zu more rows\n", shown->all.count - shown->row_count);
}

static void terminal_facts(const struct pawl_view *view, const json_t *document,
                           struct pawl_text *out) {
  for (const struct pawl_view *item = view + 1; item->role == ROLE_FACT; item++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    const json_t *value = value_at(document, item->key);
    if (!value || json_is_null(value)) continue;
    view_add_value(value, item->kind, &text);
    pawl_text_printf(out, "  %s: ", item->title);
    pawl_clean_text(text.data, false, out);
    pawl_text_add(out, "\n");
  }
}

void pawl_view_terminal(const struct pawl_view *view, const json_t *document,
                        const struct pawl_terminal_style *look, struct pawl_text *out) {
  enum pawl_report_color color;
  const char *head = title(view, document, &color), *sentence = words(view, document);
  pawl_terminal_color(look, color, head, out);
  if (sentence) pawl_text_add(out, ": ");
  if (sentence) pawl_clean_text(sentence, false, out);
  pawl_text_add(out, "\n");
  if (look->verdict_only) return;
  terminal_facts(view, document, out);
  struct shown_table *table = pawl_alloc(1, sizeof *table);
  for (const struct pawl_view *item = view + 1; item->role != ROLE_VIEW;) {
    const bool is_table = item->role == ROLE_TABLE;
    item = is_table ? read_table(item, document, table) : item + 1;
    if (is_table && table->row_count) terminal_table(table, look, out);
  }
  pawl_free(table);
}
