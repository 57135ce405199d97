/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the sticky comment. Its first lines are hidden and hold its id, its last verdict and the
 * run: <!-- pawl:verdict --> <!-- pawl-state: failed 123.1 --> */
#include <stdio.h>
#include <string.h>

#include "forge/post.h"

#define ATTEMPTS 3 /* for a post that may have arrived */

struct found {
  long long id; /* 0: none */
  bool failed;
  const char *body; /* borrowed from the list */
};

/* The place that lists comments, and the place that edits them by number. */
struct thread {
  const char *list_path, *edit_prefix, *edit_method;
  const char *own_login;
};

struct entry {
  const char *mark, *state, *body;
  bool fails, begins; /* begins: pawl posts it even if there is no comment yet */
};

static const char *marker(struct pawl_forge *forge, const char *id) {
  return pawl_arena_printf(forge->arena, "<!-- pawl:%s -->", id);
}

/* Finds our newest comment. */
static struct found comment_find(const json_t *comments, const char *mark, const char *login) {
  struct found found = {0};
  for (size_t i = 0; i < json_array_size(comments); i++) {
    const json_t *comment = json_array_get(comments, i);
    const char *body = json_string_value(json_object_get(comment, "body"));
    const long long id = json_integer_value(json_object_get(comment, "id"));
    if (!body || !pawl_starts_with(body, mark) || !pawl_forge_is_ours(comment, login) ||
        id <= found.id)
      continue;
    const char *state = strstr(body, "<!-- pawl-state: ");
    found = (struct found){id, state && pawl_starts_with(state, "<!-- pawl-state: failed "), body};
  }
  return found;
}

static pawl_status put(struct pawl_forge *forge, const char *method, const char *path,
                       const char *body, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  pawl_json_set_string(document, "body", body);
  long status;
  const struct pawl_forge_call call = {
      .method = method, .path = path, .body = document, .repeatable = strcmp(method, "POST") != 0};
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  PAWL_TRY(pawl_forge_send(forge, &call, &status, &answer, err));
  if (forge->dry_run || json_is_integer(json_object_get(answer, "id"))) return PAWL_OK;
  return pawl_fail(err, PAWL_PROTOCOL,
                   "the server took the comment with HTTP %ld, but its answer names no comment",
                   status);
}

/* Looks for the comment, then edits or posts. If a post broke off but arrived, the next look finds
 * it, so pawl posts nothing twice. */
static pawl_status post_or_edit(struct pawl_forge *forge, const struct thread *thread,
                                const struct entry *entry, struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
    PAWL_CLEANUP(pawl_json_release) json_t *comments = NULL;
    PAWL_TRY(pawl_forge_list(forge, thread->list_path, &comments, err));
    const struct found found = comment_find(comments, entry->mark, thread->own_login);
    const bool this_run = found.id && strstr(found.body, entry->state);
    if (found.id ? !strcmp(found.body, entry->body) : !entry->begins) return PAWL_OK;
    if (found.id && (this_run || found.failed || !entry->fails))
      return put(forge, thread->edit_method,
                 pawl_arena_printf(forge->arena, "%s/%lld", thread->edit_prefix, found.id),
                 entry->body, err);
    const char *path = pawl_arena_printf(forge->arena, "%.*s", (int)strcspn(thread->list_path, "?"),
                                         thread->list_path);
    status = put(forge, "POST", path, entry->body, err);
    if (status != PAWL_IO && status != PAWL_TRY_AGAIN) return status;
    if (attempt < ATTEMPTS) pawl_forge_pause(forge, attempt);
  }
  return status;
}

static struct thread find_thread(struct pawl_forge *forge, long long number, const char *login) {
  if (!forge->is_gitlab)
    return (struct thread){pawl_arena_printf(forge->arena, "/issues/%lld/comments%s", number,
                                             forge->follows_github ? "" : "?per_page=100"),
                           "/issues/comments", "PATCH", login};
  const char *notes = pawl_arena_printf(forge->arena, "//projects/%s/merge_requests/%lld/notes",
                                        forge->repository, number);
  return (struct thread){pawl_arena_printf(forge->arena, "%s?per_page=100", notes), notes, "PUT",
                         login};
}

pawl_status pawl_forge_check_id(const char *id, struct pawl_error *err) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  if (*id && !id[strspn(id, letters)] && strlen(id) <= 64) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE, "'--id' takes letters, digits, '_' and '-', not '%s'", id);
}

pawl_status pawl_forge_comment(struct pawl_forge *forge, const struct pawl_forge_report *report,
                               const char *id, struct pawl_error *err) {
  const bool fails = report->verdict && pawl_conclusion_fails(report->verdict->conclusion);
  const char *mark = marker(forge, id), *login = NULL;
  const char *word = !report->verdict ? "none" : fails ? "failed" : "passed";
  const char *state =
      pawl_arena_printf(forge->arena, "<!-- pawl-state: %s %s -->", word, forge->run_key);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text body = {0};
  pawl_text_printf(&body, "%s\n%s\n", mark, state);
  if (report->verdict)
    pawl_forge_body(forge, report->verdict, PAWL_FORGE_BODY_LIMIT - body.length, &body);
  else
    pawl_forge_no_verdict_body(forge, report, &body);
  const struct entry entry = {mark, state, body.data, fails, report->verdict != NULL};
  struct pawl_forge_pulls pulls = {0};
  PAWL_TRY(pawl_forge_pull_requests(forge, &pulls, err));
  if (pulls.count) PAWL_TRY(pawl_forge_own_login(forge, &login, err));
  for (size_t i = 0; i < pulls.count; i++) {
    bool newer;
    PAWL_TRY(pawl_forge_has_newer_commit(forge, pulls.numbers[i], &newer, err));
    if (newer) {
      pawl_log_info(forge->log,
                    "pull request %lld has a newer commit than %.12s: its comment stays",
                    pulls.numbers[i], forge->sha);
      continue;
    }
    const struct thread thread = find_thread(forge, pulls.numbers[i], login);
    PAWL_TRY(post_or_edit(forge, &thread, &entry, err));
  }
  return PAWL_OK;
}
