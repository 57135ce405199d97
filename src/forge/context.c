/* SPDX-License-Identifier: Apache-2.0 */
/* Reads from the runner's environment where a job runs and what it is about. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/secret.h"
#include "base/untrusted.h"
#include "forge/forge.h"

#define EVENT_LIMIT ((size_t)32 << 20)
#define TOKEN_LIMIT ((size_t)4096)

/* Returns the variable, or NULL if it is unset or empty. */
static const char *context_variable(struct pawl_arena *arena, const char *name) {
  const char *value = getenv(name);
  return value && *value ? pawl_arena_copy(arena, value) : NULL;
}

static const char *variable_or(struct pawl_arena *arena, const char *name, const char *fallback) {
  const char *value = context_variable(arena, name);
  return value ? value : fallback;
}

static const char *without_final_slash(struct pawl_arena *arena, const char *url) {
  char *copy = pawl_arena_copy(arena, url);
  for (size_t end = strlen(copy); end > 0 && copy[end - 1] == '/'; end--) copy[end - 1] = '\0';
  return copy;
}

static bool is_only(const char *text, const char *letters) {
  return text && *text && text[strspn(text, letters)] == '\0';
}

static bool is_commit(const char *text) {
  return is_only(text, "0123456789abcdef") && (strlen(text) == 40 || strlen(text) == 64);
}

static bool is_repository(const char *text) {
  static const char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./";
  const char *slash = text ? strchr(text, '/') : NULL;
  return slash && slash != text && slash[1] && !strchr(slash + 1, '/') && is_only(text, letters) &&
         !strstr(text, "..") && strcmp(slash, "/.") != 0;
}

/* --- token --- */

pawl_status pawl_forge_take_token(struct pawl_arena *arena, const char *file, const char *first,
                                  const char *second, const char **token, struct pawl_error *err) {
  const char *found = context_variable(arena, first);
  if (!found && second) found = context_variable(arena, second);
  unsetenv(first);
  if (second) unsetenv(second);
  if (file) {
    struct stat info;
    PAWL_CLEANUP(pawl_secret_clear) struct pawl_text text = {0};
    if (!stat(file, &info) && info.st_mode & (S_IRGRP | S_IROTH))
      return pawl_fail(err, PAWL_NOT_PERMITTED,
                       "others can read the token in '%s'; run chmod 600 on it", file);
    PAWL_TRY(pawl_file_read(file, TOKEN_LIMIT, &text, err));
    char *copy = pawl_arena_copy(arena, pawl_text_string(&text));
    copy[strcspn(copy, "\r\n")] = '\0';
    found = copy;
  }
  for (const char *p = found ? found : ""; *p; p++)
    if (*p <= ' ' || *p > '~')
      return pawl_fail(err, PAWL_USAGE,
                       "the token contains impossible characters; is it the right file?");
  *token = found && *found ? found : NULL;
  return PAWL_OK;
}

/* --- event --- */

/* Returns a string by a path of keys, "head.repo.full_name", or NULL. */
static const char *text_at(const json_t *value, const char *path) {
  char key[64];
  while (*path) {
    const size_t length = strcspn(path, ".");
    if (length >= sizeof key) return NULL;
    memcpy(key, path, length);
    key[length] = '\0';
    value = json_object_get(value, key);
    path += length + (path[length] == '.');
  }
  return json_string_value(value);
}

static const char *copy_at(struct pawl_forge *forge, const json_t *value, const char *path) {
  return pawl_arena_copy(forge->arena, text_at(value, path));
}

static void set_head(struct pawl_forge *forge, const char *sha, const char *branch,
                     const char *repository, const char *owner) {
  if (is_commit(sha)) forge->sha = pawl_arena_copy(forge->arena, sha);
  forge->head_branch = pawl_arena_copy(forge->arena, branch);
  forge->head_repository =
      is_repository(repository) ? pawl_arena_copy(forge->arena, repository) : NULL;
  forge->head_owner = pawl_arena_copy(forge->arena, owner);
  /* a repository that is gone is no reason to trust it */
  forge->is_fork =
      !forge->head_repository || strcmp(forge->head_repository, forge->repository) != 0;
}

static void read_pull_request(struct pawl_forge *forge, const json_t *pull) {
  forge->is_pull_request = true;
  const json_t *labels = json_object_get(pull, "labels");
  for (size_t i = 0; i < json_array_size(labels); i++) {
    const char *name = text_at(json_array_get(labels, i), "name");
    if (name && !strcmp(name, PAWL_FORGE_LABEL)) forge->has_label = true;
  }
  forge->number = json_integer_value(json_object_get(pull, "number"));
  const char *base = text_at(pull, "base.sha");
  if (is_commit(base)) forge->base_sha = pawl_arena_copy(forge->arena, base);
  set_head(forge, text_at(pull, "head.sha"), text_at(pull, "head.ref"),
           text_at(pull, "head.repo.full_name"), text_at(pull, "head.repo.owner.login"));
}

/* Reads the commit that a queue of pull requests would merge, for which it asks for a run. */
static void read_merge_group(struct pawl_forge *forge, const json_t *group) {
  const char *head = text_at(group, "head_sha"), *base = text_at(group, "base_sha");
  if (is_commit(head)) forge->sha = pawl_arena_copy(forge->arena, head);
  if (is_commit(base)) forge->base_sha = pawl_arena_copy(forge->arena, base);
}

static void set_run(struct pawl_forge *forge, long long id, long long attempt) {
  if (id <= 0) return;
  forge->run_key = pawl_arena_printf(forge->arena, "%lld.%lld", id, attempt > 0 ? attempt : 1);
  forge->run_url = pawl_arena_printf(forge->arena, "%s/%s/actions/runs/%lld", forge->server_url,
                                     forge->repository, id);
}

static void read_workflow_run(struct pawl_forge *forge, const json_t *run) {
  const char *event = text_at(run, "event");
  forge->is_pull_request = event && !strcmp(event, "pull_request");
  set_head(forge, text_at(run, "head_sha"), text_at(run, "head_branch"),
           text_at(run, "head_repository.full_name"), text_at(run, "head_repository.owner.login"));
  forge->run_conclusion = copy_at(forge, run, "conclusion");
  set_run(forge, json_integer_value(json_object_get(run, "id")),
          json_integer_value(json_object_get(run, "run_attempt")));
}

static pawl_status read_event(struct pawl_forge *forge, struct pawl_error *err) {
  const char *path = context_variable(forge->arena, "GITHUB_EVENT_PATH");
  if (!path) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *event = NULL;
  PAWL_TRY(pawl_untrusted_read(path, EVENT_LIMIT, &event, err));
  forge->default_branch = copy_at(forge, event, "repository.default_branch");
  forge->action = copy_at(forge, event, "action");
  forge->added_label = copy_at(forge, event, "label.name");
  const json_t *pull = json_object_get(event, "pull_request"),
               *run = json_object_get(event, "workflow_run"),
               *group = json_object_get(event, "merge_group");
  if (pull) read_pull_request(forge, pull);
  if (run) read_workflow_run(forge, run);
  if (group) read_merge_group(forge, group);
  forge->has_new_base = json_object_get(json_object_get(event, "changes"), "base") != NULL;
  forge->is_deletion = json_is_true(json_object_get(event, "deleted"));
  if (forge->number < 0 || forge->number > 2147483647)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s': the pull request has an impossible number", path);
  return PAWL_OK;
}

pawl_status pawl_forge_read(struct pawl_forge *forge, const char *token_file,
                            struct pawl_error *err) {
  struct pawl_arena *arena = forge->arena;
  PAWL_TRY(
      pawl_forge_take_token(arena, token_file, "GITHUB_TOKEN", "GH_TOKEN", &forge->token, err));
  forge->repository = context_variable(arena, "GITHUB_REPOSITORY");
  if (!is_repository(forge->repository))
    return pawl_fail(err, PAWL_USAGE, "no repository: GITHUB_REPOSITORY is not 'owner/name'");
  forge->api_url =
      without_final_slash(arena, variable_or(arena, "GITHUB_API_URL", "https://api.github.com"));
  forge->server_url =
      without_final_slash(arena, variable_or(arena, "GITHUB_SERVER_URL", "https://github.com"));
  forge->event_name = variable_or(arena, "GITHUB_EVENT_NAME", "");
  forge->ref = context_variable(arena, "GITHUB_REF");
  forge->follows_github =
      context_variable(arena, "FORGEJO_ACTIONS") || context_variable(arena, "GITEA_ACTIONS");
  forge->run_key = "local";
  const char *sha = context_variable(arena, "GITHUB_SHA");
  if (is_commit(sha)) forge->sha = sha;
  int64_t id = 0, attempt = 0;
  if (pawl_parse_i64(variable_or(arena, "GITHUB_RUN_ID", ""), &id) &&
      pawl_parse_i64(variable_or(arena, "GITHUB_RUN_ATTEMPT", "1"), &attempt))
    set_run(forge, id, attempt);
  return read_event(forge, err);
}
