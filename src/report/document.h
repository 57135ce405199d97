/* SPDX-License-Identifier: Apache-2.0 */
/* A report is written once, as paragraphs, tables and blocks; a format (Markdown, the parts of a
   page) says how they look. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "report/color.h"
#include "report/report.h"

enum pawl_column_kind {
  PAWL_COLUMN_TEXT = 0,
  PAWL_COLUMN_NUMBER,
  PAWL_COLUMN_PROSE /* may be broken into lines */
};

struct pawl_column {
  const char *title;
  enum pawl_column_kind kind;
};

/* Words are ours; code is from outside and is escaped. Blocks do not nest but in a fold. */
struct pawl_document_format {
  void (*headline)(struct pawl_text *out, enum pawl_report_color color,
                   const char *verdict); /* opens; paragraph_end closes */
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

struct pawl_document {
  const struct pawl_document_format *format;
  struct pawl_text *out;
};

/* The parts of the dashboard's page into `out`, which is empty, as JSON; between the two the
 * document is written. */
struct pawl_document pawl_page_begin(struct pawl_text *out);
void pawl_page_end(struct pawl_text *out);

void pawl_document_printf(struct pawl_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* words */
/* "unknown" in words when NULL. */
void pawl_document_code(struct pawl_document *document, const char *outside);

/* A sentence that may quote words from outside: words where they are harmless, else code. */
void pawl_document_prose(struct pawl_document *document, const char *sentence);

/* " Reason: ...", after a sentence; nothing when NULL. */
void pawl_document_reason(struct pawl_document *document, const char *reason);

/* The first digits of a commit; "unknown" when NULL. */
void pawl_document_commit(struct pawl_document *document, const char *commit);

/* Cells of a table. */
void pawl_document_cell(struct pawl_document *document, const struct pawl_column *column,
                        const char *words);
void pawl_document_code_cell(struct pawl_document *document, const struct pawl_column *column,
                             const char *outside);

#define SECTION(function, name, place, source) \
  void function(struct pawl_document *document, const struct pawl_run_report *report);
#define PICTURES
#include "report/sections.inc"
#undef SECTION
#undef PICTURES

/* The verdict in one line. */
void pawl_section_conclusion(struct pawl_document *document, const struct pawl_run_report *report);
/* Why kernels became slower or faster, a few lines. */
void pawl_section_why(struct pawl_document *document, const struct pawl_run_report *report);
/* Every report opens with the verdict in one line, its reason, its subject and the notes. */
void pawl_section_headline(struct pawl_document *document, const struct pawl_run_report *report);

enum pawl_section_source { PAWL_SECTION_RUN, PAWL_SECTION_MEASUREMENTS };

/* One row of sections.inc. A section writes nothing when it has nothing to say. */
struct pawl_section {
  const char *name;
  void (*write)(struct pawl_document *document,
                const struct pawl_run_report *report); /* NULL: the pictures */
  int place; /* where there is little room, from 1; 0: nowhere */
  enum pawl_section_source source;
};
extern const struct pawl_section pawl_sections[];
extern const size_t pawl_section_count;
