/* SPDX-License-Identifier: Apache-2.0 */
/* A table for a terminal: cells of text, columns as wide as their widest cell. */
#pragma once

#include <stddef.h>

#include "report/color.h"
#include "report/report.h"

#define PAWL_TERMINAL_COLUMNS 10

struct pawl_terminal_column {
  const char *title;
  bool right;  /* aligned to the right */
  int dropped; /* on a narrow terminal the columns from 1 on are left out, the largest number first;
                  0: never */
};

struct pawl_terminal_row;
struct pawl_terminal_table {
  const struct pawl_terminal_column *columns;
  size_t column_count;
  struct pawl_terminal_row *rows;
  size_t row_count;
};

/* Starts a row whose first cell has the color; the cells of the columns follow. Text from outside
 * is cleaned. */
void pawl_terminal_row_begin(struct pawl_terminal_table *table, enum pawl_report_color color);
void pawl_terminal_cell(struct pawl_terminal_table *table, const char *text);
/* The titles and the rows, each indented by two spaces. */
void pawl_terminal_table_write(const struct pawl_terminal_table *table,
                               const struct pawl_terminal_style *look, struct pawl_text *out);
void pawl_terminal_table_release(struct pawl_terminal_table *table);

/* Text in the colour of the color, where colours are wanted. */
void pawl_terminal_color(const struct pawl_terminal_style *look, enum pawl_report_color color,
                         const char *text, struct pawl_text *out);
