/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/setup_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "forge/event_plan.h"

#define WORKFLOW ".github/workflows/pawl.yml"
#define MEASURING ".github/workflows/pawl-measure.yml"
#define TUNING ".github/workflows/pawl-autotune.yml"
#define ACTION ".github/actions/pawl/action.yml"

/* --- checks --- */

/* Checks that the job that measures comes from the default branch, so no pull request can change
 * its steps. */
static void check_measuring(const struct setup_checking *checking) {
  if (!*checking->text) return; /* another row fails */
  const char *wanted = pawl_arena_printf(checking->forge->arena, "%s/" MEASURING "@%s",
                                         checking->forge->repository, checking->setup->branch);
  const bool fixed = strstr(checking->text, wanted) != NULL;
  pawl_setup_add(checking, "measuring job", false, fixed,
                 fixed ? wanted : WORKFLOW " does not take it from the default branch",
                 "remove it and run pawl init --forge github");
}

/* Checks the workflow on the host, which knows only the default branch's. */
static void check_workflow(const struct setup_checking *checking) {
  const char *state = "no " WORKFLOW " on the default branch";
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer =
      pawl_setup_ask(checking, "on that branch", "/actions/workflows?per_page=100", "/actions");
  if (!answer) return;
  const json_t *workflows = json_object_get(answer, "workflows");
  for (size_t i = 0; i < json_array_size(workflows); i++)
    if (!strcmp(pawl_setup_text(json_array_get(workflows, i), "path"), WORKFLOW))
      state = pawl_arena_copy(checking->forge->arena,
                              pawl_setup_text(json_array_get(workflows, i), "state"));
  pawl_setup_add(checking, "on that branch", true, !strcmp(state, "active"), state,
                 "commit it and push it to the default branch");
}

static void check_approval(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer =
      pawl_setup_ask(checking, "approval", "/actions/permissions/fork-pr-contributor-approval",
                     "/settings/actions");
  if (!answer) return;
  const char *policy =
      pawl_arena_copy(checking->forge->arena, pawl_setup_text(answer, "approval_policy"));
  pawl_setup_add(
      checking, "approval", true, !strcmp(policy, "all_external_contributors"), policy,
      pawl_setup_page(checking,
                      "/settings/actions: require approval for all external contributors"));
}

/* Takes the variables of the repository in place of those of a workflow, and returns the address of
 * its bundle, "" if it names none. Returns NULL if it cannot read them. */
static const char *take_variables(const struct setup_checking *checking) {
  static const char *const names[] = {"PAWL_RUNNER",
                                      "PAWL_REPORT_RUNNER",
                                      "PAWL_CODE_RUNNER",
                                      "PAWL_SHARDS",
                                      "PAWL_ONLY_LABELED",
                                      "PAWL_BASELINE_BY",
                                      "PAWL_RUN_CODE_OF_FORKS_ON_OUR_MACHINES"};
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer = pawl_setup_ask(checking, "variables", "/actions/variables?per_page=30",
                                  "/settings/variables/actions");
  if (!answer) return NULL;
  const char *bundle = "";
  const char *usual = pawl_workflow_default(checking->text, "PAWL_RUNNER", checking->forge->arena);
  const json_t *variables = json_object_get(answer, "variables");
  for (size_t i = 0; i < json_array_size(variables); i++)
    if (!strcmp(pawl_setup_text(json_array_get(variables, i), "name"), "PAWL_BUNDLE_URL"))
      bundle = pawl_arena_copy(checking->forge->arena,
                               pawl_setup_text(json_array_get(variables, i), "value"));
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    unsetenv(names[i]);
    for (size_t j = 0; j < json_array_size(variables); j++)
      if (!strcmp(pawl_setup_text(json_array_get(variables, j), "name"), names[i]))
        setenv(names[i], pawl_setup_text(json_array_get(variables, j), "value"), 1);
  }
  if (usual) setenv("PAWL_RUNNER", usual, 0);
  return bundle;
}

/* Returns whether only the workflows that measure may use the group, by their files of the default
 * branch. */
static bool is_closed(const struct setup_checking *checking, const json_t *group) {
  static const char *const names[] = {MEASURING, TUNING};
  const json_t *allowed = json_object_get(group, "selected_workflows");
  bool closed = json_is_true(json_object_get(group, "restricted_to_workflows")) &&
                json_array_size(allowed) > 0;
  for (size_t i = 0; i < json_array_size(allowed); i++) {
    const char *found = json_string_value(json_array_get(allowed, i));
    bool ours = false;
    for (size_t j = 0; j < PAWL_COUNT(names); j++)
      ours =
          ours ||
          (found && !strcmp(found, pawl_arena_printf(checking->forge->arena, "%s/%s@refs/heads/%s",
                                                     checking->forge->repository, names[j],
                                                     checking->setup->branch)));
    closed = closed && ours;
  }
  return closed;
}

/* Checks the organisation's group of the machine that measures. */
static void check_group(const struct setup_checking *checking, const char *runner) {
  struct pawl_arena *arena = checking->forge->arena;
  const char *name = checking->forge->repository, *slash = strchr(name, '/');
  const char *remedy = "let the group serve " MEASURING " and " TUNING
                       " of the default branch alone, and name it in PAWL_RUNNER";
  PAWL_CLEANUP(pawl_json_release) json_t *labels = json_loads(runner, JSON_DECODE_ANY, NULL);
  const char *wanted = json_string_value(json_object_get(labels, "group"));
  if (!wanted) {
    pawl_setup_add(checking, "runner group", false, false,
                   "none: every workflow of a pull request can use the machine", remedy);
    return;
  }
  const char *path = pawl_arena_printf(
      arena, "//orgs/%.*s/actions/runner-groups?per_page=100&visible_to_repository=%s",
      (int)(slash - name), name, slash + 1);
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer = pawl_setup_ask(checking, "runner group", path, "/settings/actions/runners");
  if (!answer) return;
  const json_t *groups = json_object_get(answer, "runner_groups"), *group = NULL;
  for (size_t i = 0; i < json_array_size(groups); i++)
    if (!strcmp(pawl_setup_text(json_array_get(groups, i), "name"), wanted))
      group = json_array_get(groups, i);
  const bool closed = group && is_closed(checking, group);
  pawl_setup_add(
      checking, "runner group", false, closed,
      closed  ? "serves only the workflow that measures"
      : group ? pawl_arena_printf(arena, "'%s' serves other workflows too", wanted)
              : pawl_arena_printf(arena, "there is no group '%s' for this repository", wanted),
      remedy);
}

static void check_machines(const struct setup_checking *checking) {
  struct pawl_arena *arena = checking->forge->arena;
  struct pawl_forge_settings settings;
  struct pawl_forge_plan plan;
  struct pawl_error why = {0};
  const char *runner = NULL;
  bool hosted = false;
  const char *bundle = take_variables(checking);
  if (!bundle) return;
  pawl_forge_settings_read(arena, &settings);
  const bool good = pawl_forge_plan(checking->forge, &settings, &plan, &why) == PAWL_OK;
  pawl_setup_add(checking, "settings", true, good,
                 good ? settings.runner : pawl_arena_copy(arena, why.message),
                 pawl_setup_page(checking, "/settings/variables/actions"));
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer = pawl_setup_ask(checking, "runner", "/actions/runners?per_page=100",
                                  "/settings/actions/runners");
  if (!answer ||
      pawl_forge_find_runner(checking->forge, settings.runner, json_object_get(answer, "runners"),
                             &hosted, &runner, &why) != PAWL_OK)
    return;
  const bool lacks_gpu = hosted && checking->setup->has_gpu;
  pawl_setup_add(
      checking, "runner", lacks_gpu, !lacks_gpu && (hosted || runner),
      lacks_gpu ? "a machine of GitHub, which has no GPU; the variable PAWL_RUNNER names another"
      : hosted  ? "a machine of GitHub"
      : runner  ? runner
                : pawl_arena_printf(arena, "none is online with %s", settings.runner),
      pawl_setup_page(checking, "/settings/actions/runners/new"));
  pawl_setup_check_bundle(checking, ACTION, bundle, hosted);
  if (hosted) return;
  check_approval(checking);
  check_group(checking, settings.runner);
}

static bool requires(const json_t *rules, const char *context) {
  for (size_t i = 0; i < json_array_size(rules); i++) {
    const json_t *given = json_object_get(json_array_get(rules, i), "parameters");
    const json_t *checks = json_object_get(given, "required_status_checks");
    for (size_t j = 0; j < json_array_size(checks); j++)
      if (!strcmp(pawl_setup_text(json_array_get(checks, j), "context"), context)) return true;
  }
  return false;
}

static bool is_protected(const json_t *rules) {
  static const char *const types[] = {"pull_request", "update", "required_status_checks"};
  for (size_t i = 0; i < json_array_size(rules); i++)
    for (size_t j = 0; j < PAWL_COUNT(types); j++)
      if (!strcmp(pawl_setup_text(json_array_get(rules, i), "type"), types[j])) return true;
  return false;
}

static void check_rules(const struct setup_checking *checking) {
  const char *by = getenv("PAWL_BASELINE_BY");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_add(&path, "/rules/branches/");
  pawl_url_escape(checking->setup->branch, &path);
  PAWL_CLEANUP(pawl_json_release)
  json_t *rules = pawl_setup_ask(checking, "required check", path.data, "/settings/rules");
  if (!rules) return;
  const bool required = requires(rules, "pawl"), closed = is_protected(rules);
  const bool proposes = by && !strcmp(by, "pull-request");
  pawl_setup_add(checking, "required check", false, required,
                 required ? "pawl" : "the check 'pawl' is not required",
                 pawl_setup_page(checking, "/settings/rules"));
  pawl_setup_add(
      checking, "baseline", false, !closed || proposes,
      !closed    ? "the branch takes pushes"
      : proposes ? "by pull request"
                 : "the branch is protected",
      "the secret PAWL_BASELINE_TOKEN, or the variable PAWL_BASELINE_BY set to pull-request");
}

void pawl_setup_check_github(struct setup_checking *checking) {
  pawl_setup_check_files(checking, WORKFLOW, "github");
  check_measuring(checking);
  PAWL_CLEANUP(pawl_json_release)
  json_t *repository = pawl_setup_ask(checking, "default branch", "", "/settings");
  if (repository) pawl_setup_check_branch(checking, repository);
  check_workflow(checking);
  check_machines(checking);
  check_rules(checking);
}
