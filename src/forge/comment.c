/* SPDX-License-Identifier: Apache-2.0 */
/* The sticky comment. Its first lines are hidden: who it is, and what it said of which run:

       <!-- pawl:verdict -->
       <!-- pawl-state: failed 123.1 -->
*/
#include <stdio.h>
#include <string.h>

#include "forge/post.h"

#define ATTEMPTS 3 /* of a post that may or may not have arrived */

struct found {
  long long id; /* 0: none */
  bool failed;
  const char *body; /* borrowed from the list */
};

/* Where comments are listed, and edited by their number. */
struct thread {
  const char *list_path, *edit_prefix, *edit_method;
  const char *own_login; /* NULL: told by the kind of author */
};

static const char *marker(struct pawl_forge *forge, const char *id) {
  return pawl_arena_printf(forge->arena, "<!-- pawl:%s -->", id);
}

/* Whether the author may be us. Anybody can write the marker into a comment of theirs; ours was written by an app or by
   somebody who may write here. The others do not say it, but tell the token's own name. */
static bool may_be_ours(const json_t *comment, const char *own_login) {
  const json_t *user = json_object_get(comment, "user"), *author = json_object_get(comment, "author");
  const char *login = json_string_value(json_object_get(user, "login"));
  const char *name = login ? login : json_string_value(json_object_get(author, "username"));
  if (own_login) return name && !strcmp(name, own_login);
  const char *type = json_string_value(json_object_get(user, "type"));
  const char *role = json_string_value(json_object_get(comment, "author_association"));
  return (type && !strcmp(type, "Bot")) ||
         (role && (!strcmp(role, "OWNER") || !strcmp(role, "MEMBER") || !strcmp(role, "COLLABORATOR")));
}

static pawl_status own_login(struct pawl_forge *forge, const char **login, struct pawl_error *err) {
  *login = NULL;
  if ((!forge->follows_github && !forge->is_gitlab) || forge->dry_run) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *user = NULL;
  long status;
  const struct pawl_forge_call call = {.method = "GET", .path = "//user", .repeatable = true};
  PAWL_TRY(pawl_forge_send(forge, &call, &status, &user, err));
  const char *name = json_string_value(json_object_get(user, forge->is_gitlab ? "username" : "login"));
  if (!name) return pawl_fail(err, PAWL_PROTOCOL, "the server does not name the user of the token");
  *login = pawl_arena_copy(forge->arena, name);
  return PAWL_OK;
}

/* The newest comment of ours. */
static struct found find(const json_t *comments, const char *mark, const char *login) {
  struct found found = {0};
  for (size_t i = 0; i < json_array_size(comments); i++) {
    const json_t *comment = json_array_get(comments, i);
    const char *body = json_string_value(json_object_get(comment, "body"));
    const long long id = json_integer_value(json_object_get(comment, "id"));
    if (!body || !pawl_starts_with(body, mark) || !may_be_ours(comment, login) || id <= found.id) continue;
    const char *state = strstr(body, "<!-- pawl-state: ");
    found = (struct found){id, state && pawl_starts_with(state, "<!-- pawl-state: failed "), body};
  }
  return found;
}

static pawl_status put(struct pawl_forge *forge, const char *method, const char *path, const char *body,
                       struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  pawl_json_set_string(document, "body", body);
  long status;
  const struct pawl_forge_call call = {
      .method = method, .path = path, .body = document, .repeatable = strcmp(method, "POST") != 0};
  return pawl_forge_send(forge, &call, &status, NULL, err);
}

/* Looks, then edits or posts. A post that broke off may have arrived: the next look tells, so nothing is posted twice.
 */
static pawl_status post_or_edit(struct pawl_forge *forge, const struct thread *thread, const char *mark,
                                const char *state, bool fails, const char *body, struct pawl_error *err) {
  enum pawl_status_code status = PAWL_OK;
  for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
    PAWL_CLEANUP(pawl_json_release) json_t *comments = NULL;
    PAWL_TRY(pawl_forge_list(forge, thread->list_path, &comments, err));
    const struct found found = find(comments, mark, thread->own_login);
    const bool this_run = found.id && strstr(found.body, state);
    if (found.id && !strcmp(found.body, body)) return PAWL_OK;
    if (found.id && (this_run || found.failed || !fails))
      return put(forge, thread->edit_method, pawl_arena_printf(forge->arena, "%s/%lld", thread->edit_prefix, found.id),
                 body, err);
    const char *path = pawl_arena_printf(forge->arena, "%.*s", (int)strcspn(thread->list_path, "?"), thread->list_path);
    status = put(forge, "POST", path, body, err);
    if (status != PAWL_IO && status != PAWL_TRY_AGAIN) return status;
  }
  return status;
}

/* The part of the pull request; *list_path stays NULL when there is nothing to write to. */
static pawl_status find_thread(struct pawl_forge *forge, struct thread *out, struct pawl_error *err) {
  long long number = 0;
  if (forge->is_gitlab) {
    const char *notes =
        pawl_arena_printf(forge->arena, "//projects/%s/merge_requests/%lld/notes", forge->repository, forge->number);
    *out = (struct thread){pawl_arena_printf(forge->arena, "%s?per_page=100", notes), notes, "PUT", NULL};
    return own_login(forge, &out->own_login, err);
  }
  PAWL_TRY(pawl_forge_pull_request(forge, &number, err));
  if (number <= 0 && !forge->dry_run) return PAWL_OK;
  *out = (struct thread){pawl_arena_printf(forge->arena, "/issues/%lld/comments?per_page=100", number),
                         "/issues/comments", "PATCH", NULL};
  return own_login(forge, &out->own_login, err);
}

pawl_status pawl_forge_comment(struct pawl_forge *forge, const struct pawl_stored_run *verdict, const char *id,
                               struct pawl_error *err) {
  struct thread thread = {0};
  PAWL_TRY(find_thread(forge, &thread, err));
  if (!thread.list_path) return PAWL_OK;
  const bool fails = pawl_conclusion_fails(verdict->conclusion);
  const char *mark = marker(forge, id);
  const char *state =
      pawl_arena_printf(forge->arena, "<!-- pawl-state: %s %s -->", fails ? "failed" : "passed", forge->run_key);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text body = {0};
  pawl_text_printf(&body, "%s\n%s\n", mark, state);
  pawl_forge_body(forge, verdict, PAWL_FORGE_BODY_LIMIT - body.length, &body);
  return post_or_edit(forge, &thread, mark, state, fails, body.data, err);
}
