/* SPDX-License-Identifier: Apache-2.0 */
/* A merge request's pipeline: https://docs.gitlab.com/ci/variables/predefined_variables/ */
#include <stdlib.h>
#include <string.h>

#include "forge/forge.h"

static pawl_status need_number(const char *name, long long *out, struct pawl_error *err) {
  const char *const text = getenv(name);
  int64_t number = 0;
  if (!text || !pawl_parse_i64(text, &number) || number <= 0)
    return pawl_fail(err, PAWL_USAGE, "this is no merge request's pipeline: %s is no number", name);
  *out = number;
  return PAWL_OK;
}

static const char *text_of(struct pawl_arena *arena, const char *name) {
  const char *const text = getenv(name);
  return text && *text ? pawl_arena_copy(arena, text) : NULL;
}

pawl_status pawl_forge_read_gitlab(struct pawl_forge *forge, const char *token_file, struct pawl_error *err) {
  struct pawl_arena *const arena = forge->arena;
  long long project = 0, job = 0;
  PAWL_TRY(pawl_forge_take_token(arena, token_file, "GITLAB_TOKEN", NULL, &forge->token, err));
  forge->is_gitlab = forge->is_pull_request = true;
  forge->event_name = "merge_request";
  forge->api_url = text_of(arena, "CI_API_V4_URL");
  if (!forge->api_url) return pawl_fail(err, PAWL_USAGE, "this is no pipeline of GitLab: CI_API_V4_URL is not set");
  PAWL_TRY(need_number("CI_PROJECT_ID", &project, err));
  PAWL_TRY(need_number("CI_MERGE_REQUEST_IID", &forge->number, err));
  forge->repository = pawl_arena_printf(arena, "%lld", project);
  const char *const sha = text_of(arena, "CI_COMMIT_SHA"), *const url = text_of(arena, "CI_PROJECT_URL");
  if (sha && strlen(sha) >= 40 && strspn(sha, "0123456789abcdef") == strlen(sha)) forge->sha = sha;
  forge->run_key = "local";
  if (need_number("CI_JOB_ID", &job, NULL) != PAWL_OK) return PAWL_OK;
  forge->run_key = pawl_arena_printf(arena, "%lld", job);
  if (url) forge->run_url = pawl_arena_printf(arena, "%s/-/jobs/%lld", url, job);
  return PAWL_OK;
}
