/* SPDX-License-Identifier: Apache-2.0 */
#include "report/terminal_table.h"

#include <string.h>

#include "base/clean.h"

#define GAP 2 /* columns between cells */

struct pawl_terminal_row {
  enum pawl_report_color color;
  struct pawl_text cells[PAWL_TERMINAL_COLUMNS];
  size_t count;
};

void pawl_terminal_row_begin(struct pawl_terminal_table *table, enum pawl_report_color color) {
  struct pawl_terminal_row *grown = pawl_alloc(table->row_count + 1, sizeof *grown);
  if (table->row_count) memcpy(grown, table->rows, table->row_count * sizeof *grown);
  pawl_free(table->rows);
  table->rows = grown;
  grown[table->row_count++] = (struct pawl_terminal_row){.color = color};
}

void pawl_terminal_cell(struct pawl_terminal_table *table, const char *text) {
  struct pawl_terminal_row *row = &table->rows[table->row_count - 1];
  PAWL_ASSERT(row->count < table->column_count);
  pawl_clean_text(text ? text : "unknown", false, &row->cells[row->count++]);
}

void pawl_terminal_table_release(struct pawl_terminal_table *table) {
  for (size_t i = 0; i < table->row_count; i++)
    for (size_t j = 0; j < table->rows[i].count; j++) pawl_text_clear(&table->rows[i].cells[j]);
  pawl_free(table->rows);
  table->rows = NULL;
  table->row_count = 0;
}

void pawl_terminal_color(const struct pawl_terminal_style *look, enum pawl_report_color color,
                         const char *text, struct pawl_text *out) {
  static const char *const codes[] = {[PAWL_COLOR_PLAIN] = "",
                                      [PAWL_COLOR_GOOD] = "\033[32m",
                                      [PAWL_COLOR_BAD] = "\033[1;31m",
                                      [PAWL_COLOR_DOUBT] = "\033[33m",
                                      [PAWL_COLOR_DIM] = "\033[2m"};
  const bool coloured = look->colour && *codes[color];
  pawl_text_printf(out, "%s%s%s", coloured ? codes[color] : "", text, coloured ? "\033[0m" : "");
}

static size_t column_width(const struct pawl_terminal_table *table, size_t column) {
  size_t widest = pawl_count_characters(table->columns[column].title);
  bool empty = true; /* a column without a cell takes no space */
  for (size_t i = 0; i < table->row_count; i++) {
    const size_t cell = column < table->rows[i].count
                            ? pawl_count_characters(pawl_text_string(&table->rows[i].cells[column]))
                            : 0;
    if (cell > widest) widest = cell;
    empty = empty && cell == 0;
  }
  return empty ? 0 : widest;
}

/* Computes the width of each column. It is 0 for a column that a narrow terminal leaves out. */
static void choose_widths(const struct pawl_terminal_table *table, int columns,
                          size_t out[PAWL_TERMINAL_COLUMNS]) {
  size_t total = 0;
  for (size_t i = 0; i < table->column_count; i++) {
    out[i] = column_width(table, i);
    total += out[i] ? out[i] + GAP : 0;
  }
  for (int number = PAWL_TERMINAL_COLUMNS; number > 0 && columns > 0 && total > (size_t)columns;
       number--) {
    for (size_t i = 0; i < table->column_count; i++) {
      if (table->columns[i].dropped != number || out[i] == 0) continue;
      total -= out[i] + GAP;
      out[i] = 0;
    }
  }
}

/* Writes no spaces at the end, so that a copied line has none. */
static void write_cell(const char *text, size_t column, bool right, enum pawl_report_color color,
                       const struct pawl_terminal_style *look, size_t *owed,
                       struct pawl_text *out) {
  const size_t own = pawl_count_characters(text), pad = column > own ? column - own : 0;
  *owed += GAP + (right ? pad : 0);
  if (*text) {
    pawl_text_printf(out, "%*s", (int)*owed, "");
    pawl_terminal_color(look, color, text, out);
    *owed = 0;
  } else {
    *owed += own;
  }
  *owed += right ? 0 : pad;
}

void pawl_terminal_table_write(const struct pawl_terminal_table *table,
                               const struct pawl_terminal_style *look, struct pawl_text *out) {
  size_t widths[PAWL_TERMINAL_COLUMNS], owed = 0;
  choose_widths(table, look->columns, widths);
  for (size_t j = 0; j < table->column_count; j++)
    if (widths[j])
      write_cell(table->columns[j].title, widths[j], table->columns[j].right, PAWL_COLOR_DIM, look,
                 &owed, out);
  pawl_text_add(out, "\n");
  for (size_t i = 0; i < table->row_count; i++) {
    const struct pawl_terminal_row *row = &table->rows[i];
    owed = 0;
    for (size_t j = 0; j < row->count; j++) {
      const bool whole = row->color == PAWL_COLOR_DIM;
      if (widths[j])
        write_cell(pawl_text_string(&row->cells[j]), widths[j], table->columns[j].right,
                   j == 0 || whole ? row->color : PAWL_COLOR_PLAIN, look, &owed, out);
    }
    pawl_text_add(out, "\n");
  }
}
