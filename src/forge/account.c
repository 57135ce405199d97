/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the account of a token. */
#include <string.h>

#include "forge/post.h"

#define OF_WORKFLOWS "github-actions[bot]"

/* An app's token has no user. Only the other API knows its name:
 * https://docs.github.com/en/graphql/reference/queries */
static const char *ask_viewer(struct pawl_forge *forge) {
  /* The path of an Enterprise server. The other API is beside it. */
  static const char suffix[] = "/api/v3";
  const size_t length = strlen(forge->api_url), tail = strlen(suffix);
  const bool enterprise = length > tail && !strcmp(forge->api_url + length - tail, suffix);
  PAWL_CLEANUP(pawl_json_release) json_t *body = json_object(), *answer = NULL;
  struct pawl_error ignored = {0};
  long status;
  pawl_json_set_string(body, "query", "query { viewer { login } }");
  const struct pawl_forge_call call = {.method = "POST",
                                       .path = enterprise ? "//../graphql" : "//graphql",
                                       .body = body,
                                       .repeatable = true};
  if (pawl_forge_send(forge, &call, &status, &answer, &ignored) != PAWL_OK) return NULL;
  const json_t *viewer = json_object_get(json_object_get(answer, "data"), "viewer");
  return pawl_arena_copy(forge->arena, json_string_value(json_object_get(viewer, "login")));
}

pawl_status pawl_forge_own_login(struct pawl_forge *forge, const char **login,
                                 struct pawl_error *err) {
  *login = OF_WORKFLOWS;
  if (forge->dry_run) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *user = NULL;
  long status = 0;
  const struct pawl_forge_call call = {.method = "GET", .path = "//user", .repeatable = true};
  struct pawl_error why = {0};
  const enum pawl_status_code code = pawl_forge_send(forge, &call, &status, &user, &why);
  if (code == PAWL_NOT_PERMITTED && status == 403 && !forge->is_gitlab && !forge->follows_github) {
    const char *viewer = ask_viewer(forge);
    if (viewer) *login = viewer;
    return PAWL_OK;
  }
  if (code != PAWL_OK) return pawl_fail(err, code, "%s", why.message);
  const char *name =
      json_string_value(json_object_get(user, forge->is_gitlab ? "username" : "login"));
  if (!name) return pawl_fail(err, PAWL_PROTOCOL, "the server does not name the user of the token");
  *login = pawl_arena_copy(forge->arena, name);
  return PAWL_OK;
}

bool pawl_forge_is_ours(const json_t *post, const char *own_login) {
  const json_t *user = json_object_get(post, "user"), *author = json_object_get(post, "author");
  const char *login = json_string_value(json_object_get(user, "login"));
  const char *name = login ? login : json_string_value(json_object_get(author, "username"));
  return name && !strcmp(name, own_login);
}
