/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/change_issues.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "forge/issue_text.h"
#include "forge/post.h"

#define DAY 86400
#define BACK 0.5 /* the part of a loss that must be gone before its issue closes */

struct known_issue {
  struct pawl_issue_mark mark;
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
      !pawl_issue_mark_read(body, work->forge->arena, &issue.mark))
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
      if (pawl_issue_mark_is_on(&issue->mark, listed, moved) &&
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
        !pawl_issue_mark_is_on(&issue->mark, listed, false))
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
    status = put_issue(work, 0, pawl_issue_title(listed, forge->arena), body, false, err);
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
  pawl_issue_body(listed, work->links, work->link, back, &body);
  if (!issue && counts->opened >= PAWL_ISSUE_MOST) {
    counts->left++;
    return PAWL_OK;
  }
  if (!issue) return open_issue(work, listed, body.data, counts, err);
  if (needed && !strcmp(issue->body, body.data)) return close_twins(work, listed, counts, err);
  ++*(needed ? &counts->updated : &counts->closed);
  PAWL_TRY(put_issue(work, issue->number, pawl_issue_title(listed, work->forge->arena), body.data,
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
