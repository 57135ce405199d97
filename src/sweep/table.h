/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of structs, by their fields, as CSV, Markdown, LaTeX and HTML. */
#pragma once

#include "base/text.h"
#include "model/fields.h"

struct pawl_sweep_table {
  const struct pawl_fields *fields; /* strings, numbers, sizes, flags and choices are columns */
  const void *items;
  size_t count;
  const char *const *keys; /* the columns, NULL at the end; NULL: all */
};

/* Cells of text, titles in the first row and the first column; NULL: an empty one. */
struct pawl_sweep_grid {
  const char **cells; /* at row * width + column */
  size_t rows, columns, width;
};

/* Appends one value as text; an unknown one has none. */
void pawl_sweep_value(const struct pawl_field *field, const void *source, int digits,
                      struct pawl_text *out);

/* RFC 4180, with a line of titles. Numbers have enough digits to compute with, and an unknown value
   is an empty cell. */
void pawl_sweep_csv(const struct pawl_sweep_table *table, struct pawl_text *out);
/* Shows four significant digits, as the two below do. */
void pawl_sweep_markdown(const struct pawl_sweep_table *table, struct pawl_text *out);
/* A tabular environment with the rules of the package booktabs. */
void pawl_sweep_latex(const struct pawl_sweep_table *table, struct pawl_text *out);
void pawl_sweep_html(const struct pawl_sweep_table *table, struct pawl_text *out);
void pawl_sweep_grid_markdown(const struct pawl_sweep_grid *grid, struct pawl_text *out);
void pawl_sweep_grid_html(const struct pawl_sweep_grid *grid, struct pawl_text *out);
