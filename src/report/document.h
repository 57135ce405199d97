/* SPDX-License-Identifier: Apache-2.0 */
/* pawl writes a report once, as paragraphs, tables and blocks. A format (Markdown, the parts of a
   page) says how these look. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/color.h"
#include "report/report.h"

enum pawl_column_kind {
  PAWL_COLUMN_TEXT = 0,
  PAWL_COLUMN_NUMBER,
  PAWL_COLUMN_PROSE /* a format may break it into lines */
};

struct pawl_column {
  const char *title;
  enum pawl_column_kind kind;
};

/* Words are pawl's own text. Code is text from outside, and the format escapes it. Blocks do not
   nest, except in a fold. */
struct pawl_document_format {
  /* Begins the headline. paragraph_end ends it. */
  void (*headline)(struct pawl_text *out, enum pawl_report_color color, const char *verdict);
  void (*heading)(struct pawl_text *out, const char *words);
  void (*paragraph_begin)(struct pawl_text *out);
  void (*paragraph_end)(struct pawl_text *out);
  void (*list_begin)(struct pawl_text *out);
  void (*item_begin)(struct pawl_text *out);
  void (*item_end)(struct pawl_text *out);
  void (*list_end)(struct pawl_text *out);
  void (*table_begin)(struct pawl_text *out, const struct pawl_column *columns, size_t count);
  void (*row_begin)(struct pawl_text *out, enum pawl_report_color color);
  void (*cell_begin)(struct pawl_text *out, const struct pawl_column *column);
  void (*cell_end)(struct pawl_text *out);
  void (*row_end)(struct pawl_text *out);
  void (*table_end)(struct pawl_text *out);
  void (*fold_begin)(struct pawl_text *out, const char *words);
  void (*fold_end)(struct pawl_text *out);
  void (*block)(struct pawl_text *out, const char *outside);
  void (*words)(struct pawl_text *out, const char *words);
  void (*strong)(struct pawl_text *out, const char *words);
  void (*code)(struct pawl_text *out, const char *outside);
};
extern const struct pawl_document_format pawl_markdown_format;

/* rows in each table and list of a run's document; its JSON files have all rows */
#define PAWL_RUN_TABLE_ROWS 100

struct pawl_document {
  const struct pawl_document_format *format;
  struct pawl_text *out;
  size_t most; /* rows that each table or list shows; 0: all */
};

/* Begin and end a document that consists of parts of the dashboard's page, as JSON. `out` is empty
   at the beginning. */
struct pawl_document pawl_page_begin(struct pawl_text *out);
void pawl_page_end(struct pawl_text *out);

/* Writes words. */
void pawl_document_printf(struct pawl_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes code, or the word "unknown" for NULL. */
void pawl_document_code(struct pawl_document *document, const char *outside);

/* Writes a sentence that may quote text from outside. It becomes words if it is harmless, else
   code. */
void pawl_document_prose(struct pawl_document *document, const char *sentence);

/* Writes " Reason: REASON" after a sentence, or nothing for NULL. */
void pawl_document_reason(struct pawl_document *document, const char *reason);

/* Writes the first digits of a commit, or "unknown" for NULL. */
void pawl_document_commit(struct pawl_document *document, const char *commit);

/* Write a cell of a table. */
void pawl_document_cell(struct pawl_document *document, const struct pawl_column *column,
                        const char *words);
void pawl_document_code_cell(struct pawl_document *document, const struct pawl_column *column,
                             const char *outside);

/* Counts a row of a table or list. Returns whether the document shows it. */
bool pawl_document_takes(const struct pawl_document *document, size_t *rows);
/* Writes how many of the counted rows the document does not show, and that `file` has them; or
   nothing. */
void pawl_document_more(struct pawl_document *document, size_t rows, const char *file);

#define SECTION(function, name, place, source) \
  void function(struct pawl_document *document, const struct pawl_run_report *report);
#define PICTURES
#include "report/sections.inc"
#undef SECTION
#undef PICTURES

/* Writes the verdict in one line. */
void pawl_section_conclusion(struct pawl_document *document, const struct pawl_run_report *report);
/* Writes in a few lines why kernels became slower or faster. */
void pawl_section_why(struct pawl_document *document, const struct pawl_run_report *report);
/* Writes the start of every report: the verdict in one line, its reason, its subject, the notes. */
void pawl_section_headline(struct pawl_document *document, const struct pawl_run_report *report);

enum pawl_section_source { PAWL_SECTION_RUN, PAWL_SECTION_MEASUREMENTS };

/* One row of sections.inc. A section writes nothing when it has nothing to say. */
struct pawl_section {
  const char *name;
  /* writes the section; NULL: the pictures */
  void (*write)(struct pawl_document *document, const struct pawl_run_report *report);
  /* its rank, from 1, in a report with little room; 0: it is left out there */
  int place;
  enum pawl_section_source source;
};
extern const struct pawl_section pawl_sections[];
extern const size_t pawl_section_count;
