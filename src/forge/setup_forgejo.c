/* SPDX-License-Identifier: Apache-2.0 */
/* Checks Forgejo and Gitea (/api/swagger of the host). Whether runs of outside contributors wait
 * for an approval is no setting there, and no call tells it. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "forge/event_plan.h"
#include "forge/setup_rows.h"

#define FORGEJO ".forgejo/workflows/pawl.yml"
#define GITEA ".gitea/workflows/pawl.yml"

static const char *workflow_of(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(checking->setup->root, GITEA);
  return pawl_file_exists(path) ? GITEA : FORGEJO;
}

static void check_repository(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *repository = pawl_setup_ask(checking, "default branch", "", "/settings");
  if (!repository) return;
  pawl_setup_check_branch(checking, repository);
  const bool on = json_is_true(json_object_get(repository, "has_actions"));
  pawl_setup_add(checking, "actions", true, on, on ? "on" : "off: no workflow runs",
                 pawl_setup_page(checking, "/settings/units"));
}

/* Returns a variable of the repository, "" if there is none. The API gives each by its name. */
static const char *ask_variable(const struct setup_checking *checking, const char *name) {
  const char *path = pawl_arena_printf(checking->forge->arena, "/actions/variables/%s", name);
  const struct pawl_forge_call call = {.method = "GET", .path = path, .repeatable = true};
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  struct pawl_error ignored = {0};
  long status;
  if (pawl_forge_send(checking->forge, &call, &status, &answer, &ignored) != PAWL_OK) answer = NULL;
  return pawl_arena_copy(checking->forge->arena, pawl_setup_text(answer, "data"));
}

/* Takes a variable of the repository in place of a workflow's. */
static void take_variable(const struct setup_checking *checking, const char *name) {
  const char *value = ask_variable(checking, name);
  const char *usual = pawl_workflow_default(checking->text, name, checking->forge->arena);
  unsetenv(name);
  if (*value || usual) setenv(name, *value ? value : usual, 1);
}

/* No call of Forgejo 11 and Gitea 1.23 lists the machines. A job that waits has found none. */
static void check_runner(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer =
      pawl_setup_ask(checking, "runner", "/actions/tasks?limit=1", "/settings/actions/runners");
  if (!answer) return;
  const json_t *newest = json_array_get(json_object_get(answer, "workflow_runs"), 0);
  const char *status = pawl_setup_text(newest, "status");
  const bool waits = !strcmp(status, "waiting") || !strcmp(status, "blocked");
  pawl_setup_add(checking, "runner", false, *status && !waits,
                 !*status ? "no job has run here yet"
                 : waits  ? "the newest job waits for a machine"
                          : "a machine took the newest job",
                 pawl_setup_page(checking, "/settings/actions/runners"));
}

static void check_machines(const struct setup_checking *checking) {
  struct pawl_arena *arena = checking->forge->arena;
  struct pawl_forge_settings settings;
  struct pawl_forge_plan plan;
  struct pawl_error why = {0};
  take_variable(checking, "PAWL_RUNNER");
  take_variable(checking, "PAWL_REPORT_RUNNER");
  take_variable(checking, "PAWL_CODE_RUNNER");
  pawl_forge_settings_read(arena, &settings);
  const bool good = pawl_forge_plan(checking->forge, &settings, &plan, &why) == PAWL_OK;
  pawl_setup_add(checking, "settings", true, good,
                 good ? settings.runner : pawl_arena_copy(arena, why.message),
                 pawl_setup_page(checking, "/settings/actions/variables"));
  check_runner(checking);
  const bool on_gitea = !strcmp(workflow_of(checking), GITEA);
  pawl_setup_check_bundle(
      checking, on_gitea ? ".gitea/actions/pawl/action.yml" : ".forgejo/actions/pawl/action.yml",
      ask_variable(checking, "PAWL_BUNDLE_URL"), false);
}

/* Returns the rule of the default branch, or NULL. */
static const json_t *rule_of(const struct setup_checking *checking, const json_t *rules) {
  for (size_t i = 0; i < json_array_size(rules); i++) {
    const json_t *rule = json_array_get(rules, i);
    if (!strcmp(pawl_setup_text(rule, "rule_name"), checking->setup->branch) ||
        !strcmp(pawl_setup_text(rule, "branch_name"), checking->setup->branch))
      return rule;
  }
  return NULL;
}

static bool requires_pawl(const json_t *rule) {
  const json_t *contexts = json_object_get(rule, "status_check_contexts");
  for (size_t i = 0; i < json_array_size(contexts); i++) {
    const char *name = json_string_value(json_array_get(contexts, i));
    if (name && !strcmp(name, "pawl"))
      return json_is_true(json_object_get(rule, "enable_status_check"));
  }
  return false;
}

static void check_protection(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *rules =
      pawl_setup_ask(checking, "protected branch", "/branch_protections", "/settings/branches");
  if (!rules) return;
  const json_t *rule = rule_of(checking, rules);
  const bool required = requires_pawl(rule);
  const bool closed = rule && (!json_is_true(json_object_get(rule, "enable_push")) ||
                               json_is_true(json_object_get(rule, "enable_push_whitelist")));
  const char *branches = pawl_setup_page(checking, "/settings/branches");
  pawl_setup_add(
      checking, "protected branch", false, rule,
      rule ? checking->setup->branch : "everybody who may write can push to the default branch",
      branches);
  pawl_setup_add(checking, "required check", false, required,
                 required ? "pawl" : "the status 'pawl' is not required", branches);
  pawl_setup_add(
      checking, "baseline", false, !closed,
      closed ? "the branch is closed for the token of a workflow" : "the branch takes pushes",
      "let the push rule of the branch name the account that commits the baseline");
}

void pawl_setup_check_forgejo(struct setup_checking *checking) {
  const char *workflow = workflow_of(checking);
  pawl_setup_check_files(checking, workflow, !strcmp(workflow, GITEA) ? "gitea" : "forgejo");
  pawl_setup_check_pushed(checking, workflow);
  check_repository(checking);
  check_machines(checking);
  check_protection(checking);
}
