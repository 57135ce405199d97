/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/table.h"

#include <math.h>
#include <string.h>

#include "report/escape.h"

#define SHOWN_DIGITS 4
#define STORED_DIGITS 9

/* Cells hold text from outside, such as a reason. */
struct sweep_format {
  const char *row_begin, *between, *row_end;
  void (*cell)(const char *text, struct pawl_text *out);
  int digits;
};

static bool sweep_shows(const struct pawl_sweep_table *table, const struct pawl_field *field) {
  for (size_t i = 0; table->keys && table->keys[i]; i++)
    if (pawl_text_equal(table->keys[i], field->key)) return true;
  return !table->keys;
}

void pawl_sweep_value(const struct pawl_field *field, const void *source, int digits,
                      struct pawl_text *out) {
  const void *member = (const char *)source + field->offset;
  switch (field->rule) {
    case PAWL_FIELD_NUMBER:
    case PAWL_FIELD_AMOUNT:
    case PAWL_FIELD_TIME:
      if (isfinite(*(const double *)member))
        pawl_text_printf(out, "%.*g", digits, *(const double *)member);
      break;
    case PAWL_FIELD_FLAG: pawl_text_add(out, *(const bool *)member ? "yes" : "no"); break;
    case PAWL_FIELD_SIZE: pawl_text_printf(out, "%zu", *(const size_t *)member); break;
    case PAWL_FIELD_CHOICE: pawl_text_add(out, field->name_of(*(const int *)member)); break;
    case PAWL_FIELD_NAME:
    case PAWL_FIELD_STRING:
      if (*(const char *const *)member) pawl_text_add(out, *(const char *const *)member);
      break;
    default: pawl_bug(__FILE__, __LINE__, "a column of another kind");
  }
}

/* Adds a row of titles (`item` is NULL) or of values. */
static void sweep_add_row(const struct pawl_sweep_table *table, const void *item,
                          const struct sweep_format *format, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text cell = {0};
  bool first = true;
  pawl_text_add(out, format->row_begin);
  for (size_t i = 0; i < table->fields->count; i++) {
    const struct pawl_field *field = &table->fields->rows[i];
    if (!sweep_shows(table, field)) continue;
    pawl_text_clear(&cell);
    if (item)
      pawl_sweep_value(field, item, format->digits, &cell);
    else
      pawl_text_add(&cell, field->key);
    if (!first) pawl_text_add(out, format->between);
    format->cell(pawl_text_string(&cell), out);
    first = false;
  }
  pawl_text_add(out, format->row_end);
}

static void sweep_add_rows(const struct pawl_sweep_table *table, const struct sweep_format *format,
                           struct pawl_text *out) {
  for (size_t i = 0; i < table->count; i++)
    sweep_add_row(table, (const char *)table->items + i * table->fields->size, format, out);
}

static size_t sweep_count_columns(const struct pawl_sweep_table *table) {
  size_t count = 0;
  for (size_t i = 0; i < table->fields->count; i++)
    count += sweep_shows(table, &table->fields->rows[i]);
  return count;
}

static void sweep_csv_cell(const char *text, struct pawl_text *out) {
  if (!strpbrk(text, ",\"\r\n")) {
    pawl_text_add(out, text);
    return;
  }
  pawl_text_add(out, "\"");
  for (const char *c = text; *c; c++) {
    if (*c == '"') pawl_text_add(out, "\"");
    pawl_text_add_bytes(out, c, 1);
  }
  pawl_text_add(out, "\"");
}

void pawl_sweep_csv(const struct pawl_sweep_table *table, struct pawl_text *out) {
  static const struct sweep_format format = {"", ",", "\n", sweep_csv_cell, STORED_DIGITS};
  sweep_add_row(table, NULL, &format, out);
  sweep_add_rows(table, &format, out);
}

static void sweep_markdown_cell(const char *text, struct pawl_text *out) {
  if (!*text || pawl_markdown_is_prose(text))
    pawl_text_add(out, text);
  else
    pawl_markdown_code(text, out);
}

static const struct sweep_format markdown_format = {"| ", " | ", " |\n", sweep_markdown_cell,
                                                    SHOWN_DIGITS};

static void sweep_add_rule(size_t columns, const char *column, struct pawl_text *out) {
  pawl_text_add(out, "|---");
  for (size_t i = 1; i < columns; i++) pawl_text_add(out, column);
  pawl_text_add(out, "|\n");
}

void pawl_sweep_markdown(const struct pawl_sweep_table *table, struct pawl_text *out) {
  sweep_add_row(table, NULL, &markdown_format, out);
  sweep_add_rule(sweep_count_columns(table), "|---", out);
  sweep_add_rows(table, &markdown_format, out);
}

static void sweep_add_cells(const struct pawl_sweep_grid *grid, size_t row,
                            const struct sweep_format *format, struct pawl_text *out) {
  pawl_text_add(out, format->row_begin);
  for (size_t i = 0; i < grid->columns; i++) {
    const char *cell = grid->cells[row * grid->width + i];
    if (i) pawl_text_add(out, format->between);
    format->cell(cell ? cell : "", out);
  }
  pawl_text_add(out, format->row_end);
}

void pawl_sweep_grid_markdown(const struct pawl_sweep_grid *grid, struct pawl_text *out) {
  for (size_t row = 0; row < grid->rows; row++) {
    sweep_add_cells(grid, row, &markdown_format, out);
    if (!row) sweep_add_rule(grid->columns, "|---:", out);
  }
}

static void sweep_latex_cell(const char *text, struct pawl_text *out) {
  for (const char *c = text; *c; c++) {
    if (*c == '\\')
      pawl_text_add(out, "\\textbackslash{}");
    else if (*c == '~' || *c == '^')
      pawl_text_printf(out, "\\%c{}", *c);
    else if (strchr("&%$#_{}", *c))
      pawl_text_printf(out, "\\%c", *c);
    else
      pawl_text_add_bytes(out, c, 1);
  }
}

void pawl_sweep_latex(const struct pawl_sweep_table *table, struct pawl_text *out) {
  static const struct sweep_format format = {"", " & ", " \\\\\n", sweep_latex_cell, SHOWN_DIGITS};
  pawl_text_add(out, "\\begin{tabular}{");
  for (size_t i = 0; i < sweep_count_columns(table); i++) pawl_text_add(out, "l");
  pawl_text_add(out, "}\n\\toprule\n");
  sweep_add_row(table, NULL, &format, out);
  pawl_text_add(out, "\\midrule\n");
  sweep_add_rows(table, &format, out);
  pawl_text_add(out, "\\bottomrule\n\\end{tabular}\n");
}

static const struct sweep_format html_titles = {"<thead><tr><th scope=\"col\">",
                                                "</th><th scope=\"col\">",
                                                "</th></tr></thead>\n<tbody>\n", pawl_html_text,
                                                SHOWN_DIGITS},
                                 html_values = {"<tr><td>", "</td><td>", "</td></tr>\n",
                                                pawl_html_text, SHOWN_DIGITS};

void pawl_sweep_html(const struct pawl_sweep_table *table, struct pawl_text *out) {
  pawl_text_add(out, "<table>\n");
  sweep_add_row(table, NULL, &html_titles, out);
  sweep_add_rows(table, &html_values, out);
  pawl_text_add(out, "</tbody>\n</table>\n");
}

void pawl_sweep_grid_html(const struct pawl_sweep_grid *grid, struct pawl_text *out) {
  pawl_text_add(out, "<table>\n");
  for (size_t row = 0; row < grid->rows; row++)
    sweep_add_cells(grid, row, row ? &html_values : &html_titles, out);
  pawl_text_add(out, "</tbody>\n</table>\n");
}
