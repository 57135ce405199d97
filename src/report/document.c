/* SPDX-License-Identifier: Apache-2.0 */
#include "report/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/escape.h"

#define COMMIT_SHOWN 12

void pawl_document_printf(struct pawl_document *document, const char *format, ...) {
  char words[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  document->format->words(document->out, words);
}

void pawl_document_code(struct pawl_document *document, const char *outside) {
  if (outside) {
    document->format->code(document->out, outside);
  } else {
    document->format->words(document->out, "unknown");
  }
}

void pawl_document_prose(struct pawl_document *document, const char *sentence) {
  if (pawl_markdown_is_prose(sentence))
    document->format->words(document->out, sentence);
  else
    document->format->code(document->out, sentence);
}

void pawl_document_reason(struct pawl_document *document, const char *reason) {
  if (!reason) return;
  pawl_document_printf(document, " Reason: ");
  pawl_document_prose(document, reason);
  pawl_document_printf(document, ".");
}

void pawl_document_commit(struct pawl_document *document, const char *commit) {
  const size_t hexadecimal = commit ? strspn(commit, "0123456789abcdef") : 0;
  char shown[COMMIT_SHOWN + 1];
  const bool full = commit && hexadecimal >= 40 && commit[hexadecimal] == '\0';
  if (full) snprintf(shown, sizeof shown, "%.*s", COMMIT_SHOWN, commit);
  pawl_document_code(document, full ? shown : commit);
}

void pawl_document_code_cell(struct pawl_document *d, const struct pawl_column *column,
                             const char *outside) {
  d->format->cell_begin(d->out, column);
  pawl_document_code(d, outside);
  d->format->cell_end(d->out);
}

void pawl_document_cell(struct pawl_document *d, const struct pawl_column *column,
                        const char *words) {
  d->format->cell_begin(d->out, column);
  d->format->words(d->out, words);
  d->format->cell_end(d->out);
}

bool pawl_document_takes(const struct pawl_document *d, size_t *rows) {
  return ++*rows <= d->most || !d->most;
}

void pawl_document_more(struct pawl_document *d, size_t rows, const char *file) {
  if (!d->most || rows <= d->most) return;
  d->format->paragraph_begin(d->out);
  pawl_document_printf(d, "%zu more: see %s.", rows - d->most, file);
  d->format->paragraph_end(d->out);
}
