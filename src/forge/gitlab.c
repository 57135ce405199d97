/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a pipeline of GitLab (https://docs.gitlab.com/ci/variables/predefined_variables/), and sets
 * a commit's status there: https://docs.gitlab.com/api/commits/#set-commit-pipeline-status */
#include <stdlib.h>
#include <string.h>

#include "forge/post.h"

static pawl_status need_number(const char *name, long long *out, struct pawl_error *err) {
  const char *text = getenv(name);
  int64_t number = 0;
  if (!text || !pawl_parse_i64(text, &number) || number <= 0)
    return pawl_fail(err, PAWL_USAGE, "this is not a GitLab pipeline: %s is not a number", name);
  *out = number;
  return PAWL_OK;
}

static const char *text_of(struct pawl_arena *arena, const char *name) {
  const char *text = getenv(name);
  return text && *text ? pawl_arena_copy(arena, text) : NULL;
}

pawl_status pawl_forge_read_gitlab(struct pawl_forge *forge, const char *token_file,
                                   struct pawl_error *err) {
  struct pawl_arena *arena = forge->arena;
  long long project = 0, job = 0;
  PAWL_TRY(pawl_forge_take_token(arena, token_file, "GITLAB_TOKEN", NULL, &forge->token, err));
  forge->is_gitlab = true;
  forge->is_pull_request = text_of(arena, "CI_MERGE_REQUEST_IID") != NULL;
  forge->event_name = forge->is_pull_request ? "merge_request" : "push";
  forge->default_branch = text_of(arena, "CI_DEFAULT_BRANCH");
  const char *branch = text_of(arena, "CI_COMMIT_BRANCH");
  if (branch) forge->ref = pawl_arena_printf(arena, "refs/heads/%s", branch);
  forge->api_url = text_of(arena, "CI_API_V4_URL");
  if (!forge->api_url)
    return pawl_fail(err, PAWL_USAGE, "this is not a GitLab pipeline: CI_API_V4_URL is not set");
  PAWL_TRY(need_number("CI_PROJECT_ID", &project, err));
  if (forge->is_pull_request) PAWL_TRY(need_number("CI_MERGE_REQUEST_IID", &forge->number, err));
  const char *source = text_of(arena, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID");
  forge->is_fork =
      forge->is_pull_request && (!source || strcmp(source, getenv("CI_PROJECT_ID")) != 0);
  forge->repository = pawl_arena_printf(arena, "%lld", project);
  const char *sha = text_of(arena, "CI_COMMIT_SHA"), *url = text_of(arena, "CI_PROJECT_URL");
  if (sha && strlen(sha) >= 40 && strspn(sha, "0123456789abcdef") == strlen(sha)) forge->sha = sha;
  forge->run_key = "local";
  if (need_number("CI_JOB_ID", &job, NULL) != PAWL_OK) return PAWL_OK;
  forge->run_key = pawl_arena_printf(arena, "%lld", job);
  if (url) forge->run_url = pawl_arena_printf(arena, "%s/-/jobs/%lld", url, job);
  return PAWL_OK;
}

/* Asks whether the status has this state, because GitLab refuses to set a state again. */
static pawl_status gitlab_is_set(struct pawl_forge *forge, const char *name, const char *state,
                                 bool *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  long status;
  pawl_text_printf(&path, "//projects/%s/repository/commits/%s/statuses?per_page=100&name=",
                   forge->repository, forge->sha);
  pawl_url_escape(name, &path);
  const struct pawl_forge_call call = {.method = "GET", .path = path.data, .repeatable = true};
  PAWL_TRY(pawl_forge_send(forge, &call, &status, &answer, err));
  *out = false;
  for (size_t i = 0; i < json_array_size(answer); i++) {
    const char *found = json_string_value(json_object_get(json_array_get(answer, i), "status"));
    *out = *out || (found && !strcmp(found, state));
  }
  return PAWL_OK;
}

pawl_status pawl_forge_gitlab_status(struct pawl_forge *forge,
                                     const struct pawl_forge_report *report, const char *name,
                                     struct pawl_error *err) {
  char line[140];
  /* GitLab has no state for a person's decision, and a pending status holds its pipeline for ever
   */
  const char *conclusion = pawl_forge_conclusion(forge, report);
  const bool passes = !strcmp(conclusion, "success") || !strcmp(conclusion, "neutral");
  const char *state = passes ? "success" : "failed";
  if (!forge->sha)
    return pawl_fail(err, PAWL_USAGE, "no commit for the report: CI_COMMIT_SHA is not set");
  PAWL_CLEANUP(pawl_json_release) json_t *body = json_object();
  pawl_json_set_string(body, "state", state);
  pawl_json_set_string(body, "name", name);
  pawl_json_set_string(body, "description", pawl_forge_title(report, line));
  if (forge->run_url) pawl_json_set_string(body, "target_url", forge->run_url);
  const char *path =
      pawl_arena_printf(forge->arena, "//projects/%s/statuses/%s", forge->repository, forge->sha);
  const struct pawl_forge_call call = {
      .method = "POST", .path = path, .body = body, .repeatable = true};
  long status = 0;
  const enum pawl_status_code code = pawl_forge_send(forge, &call, &status, NULL, err);
  if (code == PAWL_OK || status != 400) return code;
  bool set = false;
  struct pawl_error ignored = {0};
  return gitlab_is_set(forge, name, state, &set, &ignored) == PAWL_OK && set ? PAWL_OK : code;
}
