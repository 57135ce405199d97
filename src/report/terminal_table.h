/* SPDX-License-Identifier: Apache-2.0 */
/* A table for a terminal: cells of text, columns as wide as their widest cell. */
#pragma once

#include <stddef.h>

#include "report/color.h"
#include "report/report.h"

#define PAWL_TERMINAL_COLUMNS 12

struct pawl_terminal_column {
  const char *title;
  bool right; /* aligned to the right */
  /* On a narrow terminal the table leaves out columns with a number from 1 on, the largest number
     first. It never leaves out a column with 0. */
  int dropped;
};

struct pawl_terminal_row;
struct pawl_terminal_table {
  const struct pawl_terminal_column *columns;
  size_t column_count;
  struct pawl_terminal_row *rows;
  size_t row_count;
};

/* Begins a row whose first cell has the color. The cells of its columns follow. pawl_terminal_cell
   removes control characters from text. */
void pawl_terminal_row_begin(struct pawl_terminal_table *table, enum pawl_report_color color);
void pawl_terminal_cell(struct pawl_terminal_table *table, const char *text);
/* Writes the titles and the rows, each indented by two spaces. */
void pawl_terminal_table_write(const struct pawl_terminal_table *table,
                               const struct pawl_terminal_style *look, struct pawl_text *out);
void pawl_terminal_table_release(struct pawl_terminal_table *table);

/* Writes text, in the colour if `look` wants colours. */
void pawl_terminal_color(const struct pawl_terminal_style *look, enum pawl_report_color color,
                         const char *text, struct pawl_text *out);
