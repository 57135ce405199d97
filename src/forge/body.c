/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the report as a body of limited size. */
#include <stdio.h>
#include <string.h>

#include "forge/post.h"
#include "report/document.h"

#define NOTE_ROOM 1024 /* for the line that names the sections left out */

static const char *body_headline(const struct pawl_stored_run *verdict, char out[140]) {
  const struct pawl_run_report *report = &verdict->report;
  char *end = out + 140;
  char *p = out + snprintf(out, 140, "%s", pawl_conclusion_name(verdict->conclusion));
  for (char *c = out; c < p; c++) *c = *c == '_' ? ' ' : *c;
  struct pawl_ratchet_total totals[PAWL_VERDICTS + 2] = {
      {.count = pawl_run_failed_builds(report), .word = "not built"},
      {.count = pawl_run_failed_checks(report), .word = "failed in the check"},
  };
  const size_t count = 2 + pawl_ratchet_totals(&verdict->ratchet, totals + 2);
  const char *separator = ": ";
  for (size_t i = 0; i < count && p < end; i++) {
    if (totals[i].count == 0 || totals[i].verdict == PAWL_VERDICT_UNSUPPORTED) continue;
    p += snprintf(p, (size_t)(end - p), "%s%zu %s", separator, totals[i].count, totals[i].word);
    separator = ", ";
  }
  return out;
}

const char *pawl_forge_title(const struct pawl_forge_report *report, char out[140]) {
  if (report->verdict) return body_headline(report->verdict, out);
  if (report->nothing) return report->unasked ? "not measured" : "nothing to measure";
  return report->cancelled ? "cancelled: the run was stopped" : "no verdict: see the report";
}

void pawl_forge_no_verdict_body(const struct pawl_forge *forge,
                                const struct pawl_forge_report *report, struct pawl_text *out) {
  struct pawl_document document = {&pawl_markdown_format, out};
  if (report->nothing) {
    pawl_text_printf(out, "**NOTHING TO MEASURE**: %s.\n", report->nothing);
    return;
  }
  pawl_text_add(out, report->cancelled
                         ? "**CANCELLED**: the run was stopped, so there is no verdict"
                         : "**NO VERDICT**: the run left no verdict that pawl can post");
  if (forge->sha) pawl_text_printf(out, " on `%.12s`", forge->sha);
  if (report->why) {
    pawl_text_add(out, ". The reason: ");
    pawl_document_code(&document, report->why);
  }
  pawl_text_add(out, "\n\n");
  if (forge->run_url) pawl_text_printf(out, "[The run and its log](%s)\n", forge->run_url);
}

static void write_section(const struct pawl_section *section, const struct pawl_stored_run *verdict,
                          struct pawl_text *out) {
  struct pawl_document document = {&pawl_markdown_format, out};
  struct pawl_run_report report = verdict->report;
  if (section->source == PAWL_SECTION_MEASUREMENTS) report.results = &verdict->measured;
  section->write(&document, &report);
}

/* Writes the table of verdicts with at most `most` failing rows, the worst first. Returns the
   number of failing rows that it leaves out. */
static size_t write_failing_rows(const struct pawl_stored_run *verdict, size_t most,
                                 struct pawl_text *out) {
  struct pawl_ratchet_report shown = {0};
  struct pawl_run_report report = verdict->report;
  struct pawl_document document = {&pawl_markdown_format, out};
  size_t count, failing = 0;
  PAWL_CLEANUP(pawl_free_pointer)
  const struct pawl_ratchet_row **sorted = pawl_run_rows(&report, &count);
  PAWL_CLEANUP(pawl_free_pointer)
  struct pawl_ratchet_row *rows = pawl_alloc(count + 1, sizeof *rows);
  for (size_t i = 0; i < count; i++) {
    const enum pawl_verdict found = sorted[i]->comparison.verdict;
    if (!pawl_verdict_fails(found) || failing++ >= most) continue;
    rows[shown.count++] = *sorted[i];
    pawl_ratchet_count(&shown, found);
  }
  shown.rows = rows;
  report.ratchet = &shown;
  pawl_section_verdicts(&document, &report);
  return failing - shown.count;
}

/* Writes as many failing rows as fit into `room` bytes. */
static void fit_failing_rows(const struct pawl_stored_run *verdict, size_t room,
                             struct pawl_text *left_out, struct pawl_text *out) {
  size_t most = verdict->ratchet.count, missing = 0;
  for (bool fits = false; !fits && most > 0; most /= 2) {
    pawl_text_clear(out);
    missing = write_failing_rows(verdict, most, out);
    fits = out->length <= room;
  }
  pawl_text_printf(left_out, "%sverdicts that do not fail", left_out->length ? ", " : "");
  if (missing) pawl_text_printf(left_out, ", %zu verdicts that fail", missing);
}

static void add_if_room(const struct pawl_section *section, const struct pawl_stored_run *verdict,
                        size_t limit, struct pawl_text *left_out, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  write_section(section, verdict, &text);
  const bool is_table = section->write == pawl_section_verdicts && verdict->report.ratchet;
  const char *name = section->name;
  if (out->length + text.length > limit && is_table) {
    const size_t room = limit > out->length ? limit - out->length : 0;
    fit_failing_rows(verdict, room, left_out, &text);
    name = "verdicts that fail";
  }
  if (out->length + text.length <= limit) {
    pawl_text_add_bytes(out, text.data, text.length);
  } else {
    pawl_text_printf(left_out, "%s%s", left_out->length ? ", " : "", name);
  }
}

static void add_headline(const struct pawl_stored_run *verdict, size_t limit,
                         struct pawl_text *out) {
  struct pawl_document document = {&pawl_markdown_format, out};
  const size_t before = out->length;
  pawl_section_headline(&document, &verdict->report);
  if (out->length - before <= limit / 2) return;
  char line[140]; /* a headline that fills the page is none */
  out->data[out->length = before] = '\0';
  pawl_text_printf(out, "**%s**\n\n", body_headline(verdict, line));
}

/* Adds links from the runner's facts, never from the run's output. */
static void add_footer(const struct pawl_forge *forge, const struct pawl_stored_run *verdict,
                       const struct pawl_text *left_out, struct pawl_text *out) {
  struct pawl_document document = {&pawl_markdown_format, out};
  const char *measured = verdict->results.commit;
  if (forge->sha && (!measured || strcmp(measured, forge->sha) != 0)) {
    pawl_text_add(out, "> Note: these results are from commit ");
    pawl_document_commit(&document, measured);
    pawl_text_printf(out, ", not from the head `%.12s`.\n\n", forge->sha);
  }
  if (forge->is_fork)
    pawl_text_add(out,
                  "> Note: these times come from a run of a fork. pawl judged them again, but a "
                  "fork can invent times: measure a gain on a branch of this repository.\n\n");
  if (left_out->length)
    pawl_text_printf(out,
                     "> The report is too long, so these sections are missing: %s. The artifacts "
                     "of the run contain the whole report.\n\n",
                     pawl_text_string(left_out));
  if (verdict->measured_reason && verdict->results.count > 0)
    pawl_text_add(out, "> The measurements are missing: pawl could not read results.json.\n\n");
  if (forge->run_url) pawl_text_printf(out, "[The run and its artifacts](%s)\n", forge->run_url);
}

void pawl_forge_body(const struct pawl_forge *forge, const struct pawl_stored_run *verdict,
                     size_t limit, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text left_out = {0};
  const size_t room =
      out->length + limit - NOTE_ROOM - strlen(forge->run_url ? forge->run_url : "");
  add_headline(verdict, room, out);
  for (size_t place = 1; place <= pawl_section_count; place++)
    for (size_t i = 0; i < pawl_section_count; i++)
      if (pawl_sections[i].place == (int)place)
        add_if_room(&pawl_sections[i], verdict, room, &left_out, out);
  add_footer(forge, verdict, &left_out, out);
}
