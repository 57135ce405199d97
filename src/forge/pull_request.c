/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "forge/post.h"

/* Finds the open pull request from the branch. *number is 0 if there is none. */
static pawl_status pull_request_find(struct pawl_forge *forge, const char *branch,
                                     long long *number, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_add(&path, "/pulls?state=open");
  if (!forge->follows_github) { /* Forgejo and Gitea have no filter by head */
    const int owner = (int)strcspn(forge->repository, "/");
    pawl_text_add(&path, "&per_page=100&head=");
    pawl_url_escape(pawl_arena_printf(forge->arena, "%.*s", owner, forge->repository), &path);
    pawl_text_add(&path, ":");
    pawl_url_escape(branch, &path);
  }
  PAWL_CLEANUP(pawl_json_release) json_t *pulls = NULL;
  PAWL_TRY(pawl_forge_list(forge, path.data, &pulls, err));
  *number = 0;
  for (size_t i = 0; i < json_array_size(pulls); i++) {
    const json_t *pull = json_array_get(pulls, i), *head = json_object_get(pull, "head");
    const char *ref = json_string_value(json_object_get(head, "ref"));
    const char *from =
        json_string_value(json_object_get(json_object_get(head, "repo"), "full_name"));
    if (ref && !strcmp(ref, branch) && from && !strcmp(from, forge->repository))
      *number = json_integer_value(json_object_get(pull, "number"));
  }
  return PAWL_OK;
}

/* Returns the title of a draft. Forgejo and Gitea know a draft by its title. */
static const char *draft_title(const struct pawl_forge *forge, const char *title) {
  return forge->follows_github ? pawl_arena_printf(forge->arena, "WIP: %s", title) : title;
}

pawl_status pawl_forge_open_pull_request(struct pawl_forge *forge, const char *branch,
                                         const char *base, const char *title, const char *body,
                                         struct pawl_error *err) {
  if (strlen(body) > PAWL_FORGE_BODY_LIMIT)
    return pawl_fail(err, PAWL_BAD_DATA,
                     "the text of the pull request is longer than %zu bytes; shorten it",
                     PAWL_FORGE_BODY_LIMIT);
  enum pawl_status_code status = PAWL_OK;
  for (int attempt = 1; attempt <= 3; attempt++) {
    long long number = 0;
    long answered;
    PAWL_TRY(pull_request_find(forge, branch, &number, err));
    PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
    pawl_json_set_string(document, "title", draft_title(forge, title));
    pawl_json_set_string(document, "body", body);
    if (number == 0) {
      pawl_json_set_string(document, "head", branch);
      pawl_json_set_string(document, "base", base);
      if (!forge->follows_github) pawl_json_set_bool(document, "draft", true);
    }
    const char *path = number ? pawl_arena_printf(forge->arena, "/pulls/%lld", number)
                              : pawl_arena_copy(forge->arena, "/pulls");
    const struct pawl_forge_call call = {.method = number ? "PATCH" : "POST",
                                         .path = path,
                                         .body = document,
                                         .repeatable = number != 0};
    status = pawl_forge_send(forge, &call, &answered, NULL, err);
    /* a post that broke off may have arrived, so look again */
    if (number || (status != PAWL_IO && status != PAWL_TRY_AGAIN)) return status;
    if (attempt < 3) pawl_forge_pause(forge, attempt);
  }
  return status;
}
