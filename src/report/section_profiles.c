/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why kernels became slower or faster. The first lines of the report have the answer, and
   this section has all that the counters show. */
#include <string.h>

#include "report/document.h"

#define LONGEST 500 /* A longer line is cut, because it would hide the rest of the report. */

static void say_line(struct pawl_document *d, const char *outside) {
  char shown[LONGEST + 4];
  const size_t length = strlen(outside);
  memcpy(shown, outside, length < LONGEST ? length : LONGEST);
  strcpy(shown + (length < LONGEST ? length : LONGEST), length > LONGEST ? "..." : "");
  pawl_document_prose(d, shown);
}

static void section_profiles_say_row(struct pawl_document *d,
                                     const struct pawl_report_profile *row) {
  pawl_document_code(d, row->kernel_name);
  pawl_document_printf(d, " on ");
  pawl_document_code(d, row->case_name);
}

static void say_why(struct pawl_document *d, const struct pawl_report_profile *row) {
  d->format->item_begin(d->out);
  d->format->strong(d->out, "Why");
  pawl_document_printf(d, ", ");
  section_profiles_say_row(d, row);
  pawl_document_printf(d, ": ");
  if (row->change)
    say_line(d, row->change);
  else
    pawl_document_printf(d, "unknown");
  pawl_document_printf(d, ".");
  if (row->limit) {
    pawl_document_printf(d, " The limit is now ");
    say_line(d, row->limit);
    pawl_document_printf(d, ".");
  }
  if (row->remedy) {
    pawl_document_printf(d, " Try: ");
    say_line(d, row->remedy);
    pawl_document_printf(d, ".");
  }
  d->format->item_end(d->out);
}

/* Writes a reason once if several rows share it. */
static void say_missing(struct pawl_document *d, const struct pawl_run_report *report) {
  const char *said = NULL;
  for (size_t i = 0; i < report->profile_count; i++) {
    const char *missing = report->profiles[i].missing;
    if (!missing || (said && !strcmp(said, missing))) continue;
    d->format->item_begin(d->out);
    pawl_document_printf(d, "Without counters: ");
    say_line(d, missing);
    pawl_document_printf(d, ".");
    d->format->item_end(d->out);
    said = missing;
  }
}

void pawl_section_why(struct pawl_document *d, const struct pawl_run_report *report) {
  if (report->profile_count == 0) return;
  d->format->list_begin(d->out);
  for (size_t i = 0; i < report->profile_count; i++)
    if (report->profiles[i].change || report->profiles[i].limit) say_why(d, &report->profiles[i]);
  say_missing(d, report);
  d->format->list_end(d->out);
}

void pawl_section_profiles(struct pawl_document *d, const struct pawl_run_report *report) {
  size_t texts = 0;
  for (size_t i = 0; i < report->profile_count; i++) texts += report->profiles[i].text != NULL;
  if (texts == 0) return;
  d->format->fold_begin(d->out, "Profiles");
  for (size_t i = 0; i < report->profile_count; i++) {
    const struct pawl_report_profile *row = &report->profiles[i];
    if (!row->text) continue;
    d->format->paragraph_begin(d->out);
    section_profiles_say_row(d, row);
    if (row->folder) {
      pawl_document_printf(d, ". Its files are in ");
      pawl_document_code(d, row->folder);
      pawl_document_printf(d, " of the run's folder");
    }
    pawl_document_printf(d, ":");
    d->format->paragraph_end(d->out);
    d->format->block(d->out, row->text);
  }
  d->format->fold_end(d->out);
}
