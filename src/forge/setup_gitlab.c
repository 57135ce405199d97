/* SPDX-License-Identifier: Apache-2.0 */
/* Checks GitLab: https://docs.gitlab.com/api/projects/, /runners/, /project_level_variables/ and
 * /protected_branches/. */
#include <string.h>

#include "forge/setup_rows.h"

#define CI_PAGE "/-/settings/ci_cd"
#define TAG "gpu"
#define SCOPE "pawl-report"

static const char *api_path(const struct setup_checking *checking, const char *below) {
  return pawl_arena_printf(checking->forge->arena, "//projects/%s%s", checking->forge->repository,
                           below);
}

static void check_project(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *project = pawl_setup_ask(checking, "default branch", api_path(checking, ""), "/edit");
  if (!project) return;
  pawl_setup_check_branch(checking, project);
  /* only members who may see the setting get it */
  const json_t *forks =
      json_object_get(project, "ci_allow_fork_pipelines_to_run_in_parent_project");
  const json_t *pushes = json_object_get(project, "ci_push_repository_for_job_token_allowed");
  pawl_setup_add(checking, "pipelines of forks", json_is_boolean(forks), json_is_false(forks),
                 json_is_false(forks)  ? "do not run in this project"
                 : json_is_true(forks) ? "a member can run the code of a fork on your machines"
                                       : "cannot be asked: this token may not see the setting",
                 pawl_setup_page(checking, CI_PAGE
                                 "#js-general-pipeline-settings: run no pipelines for forks here"));
  pawl_setup_add(checking, "baseline", false, json_is_true(pushes),
                 json_is_true(pushes) ? "the job token may push"
                                      : "the job token may not push the moved baseline",
                 pawl_setup_page(checking, CI_PAGE "#js-token-access: allow Git push requests"));
}

static void check_protected(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_add(&path, "/protected_branches?per_page=100&search=");
  pawl_url_escape(checking->setup->branch, &path);
  PAWL_CLEANUP(pawl_json_release)
  json_t *rules = pawl_setup_ask(checking, "protected branch", api_path(checking, path.data),
                                 "/-/settings/repository");
  if (!rules) return;
  const json_t *rule = NULL;
  for (size_t i = 0; i < json_array_size(rules); i++)
    if (!strcmp(pawl_setup_text(json_array_get(rules, i), "name"), checking->setup->branch))
      rule = json_array_get(rules, i);
  pawl_setup_add(
      checking, "protected branch", false, rule,
      rule ? checking->setup->branch
           : "every developer can push to the default branch, and move the baseline",
      pawl_setup_page(checking, "/-/settings/repository#js-protected-branches-settings"));
}

/* Returns whether the job that measures asks for a machine with a GPU. */
static bool is_tagged(const struct setup_checking *checking) {
  return strstr(checking->text, "tags: [" TAG "]") != NULL;
}

/* Checks that the code of a change cannot get the token that posts. */
static void check_token(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *variables =
      pawl_setup_ask(checking, "GITLAB_TOKEN", api_path(checking, "/variables?per_page=100"),
                     CI_PAGE "#js-cicd-variables-settings");
  if (!variables) return;
  bool found = false, closed = true, masked = true;
  const char *bundle = "";
  for (size_t i = 0; i < json_array_size(variables); i++) {
    const json_t *variable = json_array_get(variables, i);
    if (!strcmp(pawl_setup_text(variable, "key"), "PAWL_BUNDLE_URL"))
      bundle = pawl_arena_copy(checking->forge->arena, pawl_setup_text(variable, "value"));
    if (strcmp(pawl_setup_text(variable, "key"), "GITLAB_TOKEN") != 0) continue;
    found = true;
    closed = closed && !strcmp(pawl_setup_text(variable, "environment_scope"), SCOPE);
    masked = masked && json_is_true(json_object_get(variable, "masked"));
  }
  pawl_setup_add(checking, "GITLAB_TOKEN", found, found && closed && masked,
                 !found    ? "there is none: pawl posts nothing"
                 : !closed ? "the job that measures has it too"
                 : !masked ? "it is not masked in the logs"
                           : "masked, only for " SCOPE,
                 pawl_setup_page(checking, CI_PAGE
                                 "#js-cicd-variables-settings: masked, environment scope " SCOPE));
  pawl_setup_check_bundle(checking, PAWL_GITLAB_JOBS, bundle, !is_tagged(checking));
}

/* Checks who else can run code on the machine that measures. */
static void check_scope(const struct setup_checking *checking, long long id) {
  const char *path = pawl_arena_printf(checking->forge->arena, "//runners/%lld", id);
  PAWL_CLEANUP(pawl_json_release)
  json_t *runner = pawl_setup_ask(checking, "runner's scope", path, CI_PAGE "#js-runners-settings");
  if (!runner) return;
  const bool own = !strcmp(pawl_setup_text(runner, "runner_type"), "project_type");
  const bool locked = json_is_true(json_object_get(runner, "locked"));
  const bool untagged = json_is_true(json_object_get(runner, "run_untagged"));
  pawl_setup_add(
      checking, "runner's scope", false, own && locked && !untagged,
      !own       ? "other projects of the group or the instance use the machine too"
      : !locked  ? "maintainers of other projects can add the machine to theirs"
      : untagged ? "it takes jobs without a tag"
                 : "only this project, only jobs with its tag",
      pawl_setup_page(checking, CI_PAGE
                      "#js-runners-settings: a runner of this project, locked, no untagged jobs"));
}

/* Returns the id of an online machine that has the tag, or any tag if it is NULL; 0: none. */
static long long find_runner(const struct setup_checking *checking, const char *row,
                             const char *tag) {
  struct pawl_arena *arena = checking->forge->arena;
  const char *path = pawl_arena_printf(arena, "/runners?per_page=100%s%s", tag ? "&tag_list=" : "",
                                       tag ? tag : "");
  PAWL_CLEANUP(pawl_json_release)
  json_t *runners =
      pawl_setup_ask(checking, row, api_path(checking, path), CI_PAGE "#js-runners-settings");
  if (!runners) return 0;
  const json_t *online = NULL;
  for (size_t i = 0; i < json_array_size(runners) && !online; i++)
    if (!strcmp(pawl_setup_text(json_array_get(runners, i), "status"), "online"))
      online = json_array_get(runners, i);
  pawl_setup_add(checking, row, false, online,
                 online ? pawl_arena_copy(arena, pawl_setup_text(online, "description"))
                 : tag  ? pawl_arena_printf(arena, "none is online with the tag %s", tag)
                        : "none is online",
                 pawl_setup_page(checking, CI_PAGE "#js-runners-settings"));
  return json_integer_value(json_object_get(online, "id"));
}

static void check_runners(const struct setup_checking *checking) {
  if (!is_tagged(checking) && checking->setup->has_gpu) {
    pawl_setup_add(checking, "runner", true, false,
                   "the suite needs a GPU, but its job takes a machine without a tag",
                   "remove " PAWL_GITLAB_JOBS " and run pawl init --forge gitlab");
    return;
  }
  const long long id = find_runner(checking, "runner", is_tagged(checking) ? TAG : NULL);
  if (!is_tagged(checking)) return;
  if (id) check_scope(checking, id);
  find_runner(checking, "report runner", SCOPE);
}

static void check_pipeline(const struct setup_checking *checking) {
  const bool included = pawl_gitlab_includes_jobs(checking->setup->root);
  pawl_setup_add(checking, "pipeline", true, included,
                 included ? ".gitlab-ci.yml includes " PAWL_GITLAB_JOBS
                          : ".gitlab-ci.yml does not include " PAWL_GITLAB_JOBS,
                 "add the line include: [{local: " PAWL_GITLAB_JOBS
                 "}], and the stages measure and report");
}

void pawl_setup_check_gitlab(struct setup_checking *checking) {
  pawl_setup_check_files(checking, PAWL_GITLAB_JOBS, "gitlab");
  pawl_setup_check_pushed(checking, PAWL_GITLAB_JOBS);
  check_pipeline(checking);
  check_project(checking);
  check_protected(checking);
  check_token(checking);
  check_runners(checking);
}
