/* SPDX-License-Identifier: Apache-2.0 */
#include "notify/notice.h"

#include <string.h>

#include "record/conclusion.h"
#include "report/escape.h"
#include "report/row_change.h"

#define SUBJECT_BYTES 100

/* Cuts UTF-8 between two characters, at most `limit` bytes from the start. */
static size_t notice_cut(const char *text, size_t limit) {
  size_t length = strnlen(text, limit + 1);
  if (length <= limit) return length;
  for (length = limit; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) length--;
  return length;
}

/* Returns the lines above the first table or fold, without the marks of Markdown. */
static char *first_lines(const char *markdown, struct pawl_arena *arena) {
  struct pawl_text text = {0}, clean = {0};
  for (const char *line = markdown;
       *line && *line != '|' && *line != '<' && text.length < PAWL_NOTICE_EXCERPT;) {
    const size_t length = strcspn(line, "\n");
    for (size_t i = 0; i < length; i++) {
      const bool bold = line[i] == '*' && (line[i + 1] == '*' || (i > 0 && line[i - 1] == '*'));
      if (line[i] != '`' && !bold) pawl_text_add_bytes(&text, line + i, 1);
    }
    pawl_text_add(&text, "\n");
    line += length + (line[length] == '\n');
  }
  while (text.length && strchr("\n ", text.data[text.length - 1])) text.data[--text.length] = '\0';
  pawl_clean_text(pawl_text_string(&text), true, &clean);
  const char *all = pawl_text_string(&clean);
  const size_t kept = notice_cut(all, PAWL_NOTICE_EXCERPT);
  char *excerpt = pawl_arena_printf(arena, "%.*s%s", (int)kept, all, all[kept] ? " ..." : "");
  pawl_text_clear(&text);
  pawl_text_clear(&clean);
  return excerpt;
}

/* Accepts the characters that RFC 3986 allows in an address, but none that could end the text
 * around it. */
bool pawl_notice_is_link(const char *link) {
  static const char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&*+,;=%";
  return pawl_starts_with(link, "https://") && link[8] && !link[strspn(link, letters)] &&
         strlen(link) <= 1000;
}

/* Adds ": KERNEL on CASE 12.4 % slower and 2 more" for the worst row of a run that fails. A phone
 * shows no more than this line. */
static void add_worst(const struct pawl_run_report *report, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  char change[PAWL_ROW_CHANGE];
  size_t count, same = 0;
  const struct pawl_ratchet_row **rows = pawl_run_rows(report, &count);
  while (same < count && rows[same]->comparison.verdict == rows[0]->comparison.verdict) same++;
  if (same) {
    const struct pawl_comparison *worst = &rows[0]->comparison;
    pawl_text_printf(&text, "%s on %s", worst->kernel_name ? worst->kernel_name : "unknown",
                     worst->config.name ? worst->config.name : "unknown");
    pawl_text_add(out, ": ");
    pawl_clean_text(pawl_text_string(&text), false, out);
    if (pawl_row_has_change(rows[0])) {
      size_t length = strcspn(pawl_row_change(rows[0], change), "[,"); /* without its interval */
      while (length && change[length - 1] == ' ') length--;
      pawl_text_printf(out, " %.*s", (int)length, change);
    }
    if (same > 1) pawl_text_printf(out, " and %zu more", same - 1);
  }
  pawl_free(rows);
}

pawl_status pawl_notice_make(const struct pawl_run_report *report, const char *subject,
                             const char *link, struct pawl_arena *arena, struct pawl_notice *out,
                             struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text markdown = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  if (link && !pawl_notice_is_link(link))
    return pawl_fail(err, PAWL_USAGE, "the link '%s' is not an https address", link);
  PAWL_TRY(pawl_report_markdown(report, NULL, &markdown, err));
  const enum pawl_conclusion conclusion = pawl_run_conclusion(report);
  pawl_clean_text(subject, false, &clean);
  const char *name = pawl_text_string(&clean);
  *out = (struct pawl_notice){
      .failed = pawl_conclusion_fails(conclusion),
      .subject = pawl_arena_printf(arena, "%.*s", (int)notice_cut(name, SUBJECT_BYTES), name),
      .verdict = pawl_conclusion_name(conclusion),
      .excerpt = first_lines(pawl_text_string(&markdown), arena),
      .link = pawl_arena_copy(arena, link)};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text worst = {0};
  if (out->failed) add_worst(report, &worst);
  const char *words = pawl_text_string(&worst);
  out->title = pawl_arena_printf(arena, "pawl: %s: %s%.*s", out->subject, out->verdict,
                                 (int)notice_cut(words, SUBJECT_BYTES), words);
  return PAWL_OK;
}
