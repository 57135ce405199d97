/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/issue_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "build/words.h"
#include "report/escape.h"
#include "report/figures.h"

#define KEY 80 /* characters of a commit */
#define TITLE_BYTES 200

/* --- the hidden line --- */

static const char *commit_word(const char *commit) { return commit ? commit : "-"; }

static bool issue_text_is_word(const char *text) {
  return text[strspn(text, "0123456789abcdef@-")] == '\0';
}

bool pawl_issue_mark_read(const char *body, struct pawl_arena *arena, struct pawl_issue_mark *out) {
  char series[PAWL_HASH_TEXT + 1], commit[KEY], previous[KEY];
  if (sscanf(body, "<!-- pawl-change: %33s %79s %79s -->", series, commit, previous) != 3 ||
      strlen(series) != PAWL_HASH_TEXT - 1 || !issue_text_is_word(series) ||
      !issue_text_is_word(commit) || !issue_text_is_word(previous))
    return false;
  memcpy(out->series, series, PAWL_HASH_TEXT);
  out->about = (struct pawl_change_note){
      .commit = pawl_arena_copy(arena, commit),
      .previous_commit = strcmp(previous, "-") != 0 ? pawl_arena_copy(arena, previous) : NULL,
      .worse = true};
  return true;
}

bool pawl_issue_mark_is_on(const struct pawl_issue_mark *mark,
                           const struct pawl_listed_change *listed, bool moved) {
  char series[PAWL_HASH_TEXT];
  pawl_store_series_hash(listed->series, series);
  return !strcmp(series, mark->series) &&
         pawl_store_note_is_on(&mark->about, listed->change, moved);
}

/* --- the text --- */

const char *pawl_issue_title(const struct pawl_listed_change *listed, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text raw = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text clean = {0};
  const struct pawl_series_change *change = listed->change;
  pawl_text_printf(&raw, "%.80s on %.80s: %.1f %% %s", listed->series->kernel_name,
                   listed->series->case_name, pawl_change_size(change),
                   pawl_change_word(listed->series, change));
  if (change->commit && !change->dirty) pawl_text_printf(&raw, " since %.8s", change->commit);
  pawl_clean_text(raw.data, false, &clean);
  return pawl_arena_printf(arena, "%.*s", TITLE_BYTES, clean.data);
}

static void issue_add_commit(const char *name, const char *commit,
                             const struct pawl_remote_links *links, struct pawl_text *out) {
  if (!commit) return;
  pawl_text_printf(out, "- %s: ", name);
  if (links->commit)
    pawl_text_printf(out, "[`%.12s`](%s%s)\n", commit, links->commit, commit);
  else
    pawl_text_printf(out, "`%.12s`\n", commit);
}

static void issue_add_fact(const char *name, const char *words, struct pawl_text *out) {
  if (!words || !*words) return;
  pawl_text_printf(out, "- %s: ", name);
  pawl_markdown_code(words, out);
  pawl_text_add(out, "\n");
}

/* Adds the command that measures both commits in pairs. */
static void issue_add_command(const struct pawl_listed_change *listed, struct pawl_text *out) {
  const struct pawl_series_change *change = listed->change;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text command = {0};
  if (!change->commit || change->dirty || !change->previous_commit) return;
  const char *const commits[] = {change->previous_commit, change->commit};
  pawl_text_add(&command, "pawl compare --paired");
  for (size_t i = 0; i < 2; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text side = {0};
    pawl_text_printf(&side, "%s@%s", listed->series->kernel_name, commits[i]);
    pawl_text_add(&command, " ");
    pawl_shell_quote(side.data, &command);
  }
  pawl_text_add(&command, " --case ");
  pawl_shell_quote(listed->series->case_name, &command);
  pawl_text_add(out, "\nTo measure both commits again, side by side:\n\n");
  pawl_markdown_block(command.data, out);
  pawl_text_printf(out, "\nIf the loss may stay: `pawl history note %.12s expected`\n",
                   change->commit);
}

static void issue_add_mark(const struct pawl_listed_change *listed, struct pawl_text *out) {
  const struct pawl_series_change *change = listed->change;
  char hash[PAWL_HASH_TEXT];
  pawl_store_series_hash(listed->series, hash);
  pawl_text_printf(out, "<!-- pawl-change: %s ", hash);
  if (change->commit && !change->dirty)
    pawl_text_add(out, change->commit);
  else
    pawl_text_printf(out, "@%" PRId64, change->at);
  pawl_text_printf(out, " %s -->\n", commit_word(change->previous_commit));
}

/* Another harness names the unit. */
static void issue_add_figure(const struct pawl_series *series, double value,
                             struct pawl_text *out) {
  char figure[PAWL_FIGURE];
  pawl_figure_of_unit(value, series->unit, figure);
  if (pawl_markdown_is_prose(figure))
    pawl_text_add(out, figure);
  else
    pawl_markdown_code(figure, out);
}

void pawl_issue_body(const struct pawl_listed_change *listed, const struct pawl_remote_links *links,
                     const char *link, bool back, struct pawl_text *out) {
  const struct pawl_series *series = listed->series;
  const struct pawl_series_change *change = listed->change;
  char p[PAWL_FIGURE];
  const bool known = change->commit && !change->dirty;
  issue_add_mark(listed, out);
  pawl_markdown_code(series->kernel_name, out);
  pawl_text_add(out, " on ");
  pawl_markdown_code(series->case_name, out);
  pawl_text_printf(out, " is **%.1f %% %s**: ", pawl_change_size(change),
                   pawl_change_word(series, change));
  issue_add_figure(series, change->before, out);
  pawl_text_add(out, " to ");
  issue_add_figure(series, change->after, out);
  pawl_text_printf(out, ", p %s.\n\n", pawl_figure_p(1 - change->confidence, p));
  issue_add_commit("first commit after it", known ? change->commit : NULL, links, out);
  issue_add_commit("last commit before it", change->previous_commit, links, out);
  if (!change->dirty) issue_add_fact("subject", change->subject, out);
  issue_add_fact("shape", series->shape, out);
  issue_add_fact("hardware", series->hardware_name ? series->hardware_name : series->hardware, out);
  issue_add_fact("what changed around it", change->environment, out);
  issue_add_fact("state", pawl_change_state_name(change->state), out);
  issue_add_fact("person", change->person, out);
  issue_add_fact("reason", change->note, out);
  if (back) pawl_text_add(out, "\nThe level is back.\n");
  issue_add_command(listed, out);
  if (link) pawl_text_printf(out, "\n[The dashboard](%s)\n", link);
}
