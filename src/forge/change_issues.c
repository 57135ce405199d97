/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/change_issues.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "build/remote_page.h"
#include "build/words.h"
#include "forge/post.h"
#include "report/escape.h"
#include "report/figures.h"
#include "store/change_notes.h"
#include "store/changes.h"

/* --- the text of an issue --- */

/* Writes the text of an issue about a change, and reads its hidden line. */

/* <!-- pawl-change: SERIES COMMIT PREVIOUS --> is the first line of the text. */
struct issue_mark {
  char series[PAWL_HASH_TEXT];
  struct pawl_change_note about; /* the commits and the direction alone */
};

#define KEY 80 /* characters of a commit */
#define TITLE_BYTES 200

/* --- the hidden line --- */

static const char *commit_word(const char *commit) { return commit ? commit : "-"; }

static bool issue_text_is_word(const char *text) {
  return text[strspn(text, "0123456789abcdef@-")] == '\0';
}

/* Returns false if the text does not begin with the line. */
static bool issue_mark_read(const char *body, struct pawl_arena *arena, struct issue_mark *out) {
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

/* Returns whether the line is about the change: about its commit, or if `moved`, a neighbour. */
static bool issue_mark_is_on(const struct issue_mark *mark, const struct pawl_listed_change *listed,
                             bool moved) {
  char series[PAWL_HASH_TEXT];
  pawl_store_series_hash(listed->series, series);
  return !strcmp(series, mark->series) &&
         pawl_store_note_is_on(&mark->about, listed->change, moved);
}

/* --- the text --- */

/* Returns one line of clean text: "scale on tiny: 20.0 % slower since 1a2b3c4d". */
static const char *issue_title(const struct pawl_listed_change *listed, struct pawl_arena *arena) {
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

/* Appends Markdown. `back`: the level is good again. */
static void issue_body(const struct pawl_listed_change *listed,
                       const struct pawl_remote_links *links, const char *link, bool back,
                       struct pawl_text *out) {
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

#define DAY 86400
#define BACK 0.5 /* the part of a loss that must be gone before its issue closes */

struct known_issue {
  struct issue_mark mark;
  long long number;
  bool open;
  const char *body;
};

struct issue_work {
  struct pawl_forge *forge;
  const struct pawl_remote_links *links;
  const char *link, *login;
  struct known_issue *issues;
  size_t count;
};

/* --- the issues of the host --- */

static const char *issues_path(const struct issue_work *work, long long number) {
  struct pawl_forge *forge = work->forge;
  const char *list =
      forge->is_gitlab ? pawl_arena_printf(forge->arena, "//projects/%s/issues", forge->repository)
                       : "/issues";
  return number ? pawl_arena_printf(forge->arena, "%s/%lld", list, number) : list;
}

static const char *list_path(const struct issue_work *work) {
  struct pawl_forge *forge = work->forge;
  const time_t since = pawl_wall_clock() - (time_t)PAWL_ISSUE_LOOK_DAYS * DAY;
  struct tm parts = {0};
  char when[32];
  gmtime_r(&since, &parts);
  strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return pawl_arena_printf(forge->arena, "%s?%s=%s%s", issues_path(work, 0),
                           forge->is_gitlab ? "scope=all&updated_after" : "state=all&since", when,
                           forge->follows_github ? "&type=issues" : "&per_page=100");
}

/* Takes our own issues, because anybody can write the hidden line. */
static void take_issue(struct issue_work *work, const json_t *row) {
  const char *body =
      json_string_value(json_object_get(row, work->forge->is_gitlab ? "description" : "body"));
  const char *state = json_string_value(json_object_get(row, "state"));
  struct known_issue issue = {
      .number = json_integer_value(json_object_get(row, work->forge->is_gitlab ? "iid" : "number")),
      .open = state && strcmp(state, "closed") != 0};
  if (!body || json_is_object(json_object_get(row, "pull_request")) || issue.number <= 0 ||
      !pawl_forge_is_ours(row, work->login) ||
      !issue_mark_read(body, work->forge->arena, &issue.mark))
    return;
  issue.body = pawl_arena_copy(work->forge->arena, body);
  work->issues[work->count++] = issue;
}

static pawl_status list_issues(struct issue_work *work, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *rows = NULL;
  PAWL_TRY(pawl_forge_list(work->forge, list_path(work), &rows, err));
  work->issues = pawl_arena_alloc(work->forge->arena, json_array_size(rows), sizeof *work->issues);
  work->count = 0;
  for (size_t i = 0; i < json_array_size(rows); i++) take_issue(work, json_array_get(rows, i));
  return PAWL_OK;
}

/* Returns the oldest issue about the change, or NULL. */
static struct known_issue *issue_of(const struct issue_work *work,
                                    const struct pawl_listed_change *listed) {
  struct known_issue *found = NULL;
  for (int moved = 0; moved < 2 && !found; moved++)
    for (size_t i = 0; i < work->count; i++) {
      struct known_issue *issue = &work->issues[i];
      if (issue_mark_is_on(&issue->mark, listed, moved) &&
          (!found || issue->number < found->number))
        found = issue;
    }
  return found;
}

/* --- writing --- */

static pawl_status put_issue(struct issue_work *work, long long number, const char *title,
                             const char *body, bool close, struct pawl_error *err) {
  struct pawl_forge *forge = work->forge;
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  long status;
  if (title) pawl_json_set_string(document, "title", title);
  if (body) pawl_json_set_string(document, forge->is_gitlab ? "description" : "body", body);
  if (close && forge->is_gitlab) pawl_json_set_string(document, "state_event", "close");
  if (close && !forge->is_gitlab) pawl_json_set_string(document, "state", "closed");
  const struct pawl_forge_call call = {.method = !number            ? "POST"
                                                 : forge->is_gitlab ? "PUT"
                                                                    : "PATCH",
                                       .path = issues_path(work, number),
                                       .body = document,
                                       .repeatable = number != 0};
  return pawl_forge_send(forge, &call, &status, NULL, err);
}

/* Closes every open issue about the change but the oldest: two machines posted at once. */
static pawl_status close_twins(struct issue_work *work, const struct pawl_listed_change *listed,
                               struct pawl_issue_counts *counts, struct pawl_error *err) {
  const struct known_issue *first = issue_of(work, listed);
  for (size_t i = 0; first && i < work->count; i++) {
    struct known_issue *issue = &work->issues[i];
    if (issue == first || !issue->open || strcmp(issue->mark.series, first->mark.series) != 0 ||
        !issue_mark_is_on(&issue->mark, listed, false))
      continue;
    PAWL_TRY(put_issue(work, issue->number, NULL,
                       pawl_arena_printf(work->forge->arena, "%s\n\nThe same as #%lld.\n",
                                         issue->body, first->number),
                       true, err));
    issue->open = false;
    counts->closed++;
  }
  return PAWL_OK;
}

/* Opens an issue and looks again. If a post broke off but arrived, the next look finds it. */
static pawl_status open_issue(struct issue_work *work, const struct pawl_listed_change *listed,
                              const char *body, struct pawl_issue_counts *counts,
                              struct pawl_error *err) {
  struct pawl_forge *forge = work->forge;
  enum pawl_status_code status = PAWL_OK;
  for (int attempt = 1; attempt <= 3; attempt++) {
    status = put_issue(work, 0, issue_title(listed, forge->arena), body, false, err);
    if (status == PAWL_OK) counts->opened++;
    if (status != PAWL_OK && status != PAWL_IO && status != PAWL_TRY_AGAIN) return status;
    if (forge->dry_run) return status;
    PAWL_TRY(list_issues(work, err));
    if (status == PAWL_OK) return close_twins(work, listed, counts, err);
    if (issue_of(work, listed)) return PAWL_OK;
    if (attempt < 3) pawl_forge_pause(forge, attempt);
  }
  return status;
}

static bool is_back(const struct pawl_listed_change *listed) {
  const struct pawl_series_change *change = listed->change;
  const double lost = listed->series->bigger_is_better ? change->before / listed->level - 1
                                                       : listed->level / change->before - 1;
  return lost * 100 < BACK * change->loss_pct;
}

static pawl_status keep_issue(struct issue_work *work, const struct pawl_listed_change *listed,
                              struct pawl_issue_counts *counts, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text body = {0};
  const bool back = is_back(listed);
  const bool needed = pawl_change_state_is_open(listed->change->state) && !back;
  const struct known_issue *issue = issue_of(work, listed);
  const bool young =
      listed->change->time >= (int64_t)pawl_wall_clock() - (int64_t)PAWL_ISSUE_DAYS * DAY;
  if (issue ? !issue->open : !needed || !young) return PAWL_OK;
  issue_body(listed, work->links, work->link, back, &body);
  if (!issue && counts->opened >= PAWL_ISSUE_MOST) {
    counts->left++;
    return PAWL_OK;
  }
  if (!issue) return open_issue(work, listed, body.data, counts, err);
  if (needed && !strcmp(issue->body, body.data)) return close_twins(work, listed, counts, err);
  ++*(needed ? &counts->updated : &counts->closed);
  PAWL_TRY(put_issue(work, issue->number, issue_title(listed, work->forge->arena), body.data,
                     !needed, err));
  return close_twins(work, listed, counts, err);
}

pawl_status pawl_forge_change_issues(struct pawl_forge *forge, struct pawl_store *store,
                                     const struct pawl_remote_links *links, const char *link,
                                     struct pawl_issue_counts *counts, struct pawl_error *err) {
  const struct pawl_series_choice any = {0};
  struct issue_work work = {.forge = forge, .links = links, .link = link};
  struct pawl_listed_change *changes;
  size_t count;
  *counts = (struct pawl_issue_counts){0};
  PAWL_TRY(pawl_store_changes(store, &any, NULL, forge->arena, &changes, &count, err));
  PAWL_TRY(pawl_forge_own_login(forge, &work.login, err));
  PAWL_TRY(list_issues(&work, err));
  for (size_t i = 0; i < count; i++)
    if (changes[i].change->loss_pct > 0) PAWL_TRY(keep_issue(&work, &changes[i], counts, err));
  return PAWL_OK;
}
