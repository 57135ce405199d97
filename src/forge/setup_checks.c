/* SPDX-License-Identifier: Apache-2.0 */
/* Checks GitHub: https://docs.github.com/en/rest. */
#include "forge/setup_checks.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "forge/event_plan.h"

#define WORKFLOW ".github/workflows/pawl.yml"
#define MEASURING ".github/workflows/pawl-measure.yml"
#define TUNING ".github/workflows/pawl-autotune.yml"
#define ACTION ".github/actions/pawl/action.yml"

#define WORKFLOW_LIMIT ((size_t)1 << 20)

struct setup_checking {
  struct pawl_forge *forge;
  const struct pawl_workflow_setup *setup;
  const char *page; /* the repository's page, for remedies */
  const char *text; /* the workflow's; "" if there is none */
  struct pawl_setup_checks *out;
};

/* --- rows --- */

static void setup_add(const struct setup_checking *checking, const char *name, bool required,
                      bool ok, const char *found, const char *remedy) {
  if (checking->out->count == PAWL_SETUP_CHECKS) return;
  checking->out->items[checking->out->count++] = (struct pawl_setup_check){
      .name = name, .ok = ok, .required = required, .found = found, .remedy = remedy};
}

static const char *setup_page(const struct setup_checking *checking, const char *below) {
  return pawl_arena_printf(checking->forge->arena, "%s%s", checking->page, below);
}

/* Returns the string of an object's key, or "". The object owns it. */
static const char *setup_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* Returns the first object of a list whose key has the text, or NULL. */
static const json_t *setup_find(const json_t *list, const char *key, const char *text) {
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!strcmp(setup_text(json_array_get(list, i), key), text)) return json_array_get(list, i);
  return NULL;
}

/* Asks the API and returns the answer as a new reference. If there is none, adds a row that says
 * why and returns NULL. `where` is the setting's place below the repository's page. */
static json_t *setup_ask(const struct setup_checking *checking, const char *name, const char *path,
                         const char *where) {
  struct pawl_error why = {0};
  json_t *answer = NULL;
  long status;
  const struct pawl_forge_call call = {.method = "GET", .path = path, .repeatable = true};
  if (pawl_forge_send(checking->forge, &call, &status, &answer, &why) == PAWL_OK) return answer;
  setup_add(checking, name, false, false,
            pawl_arena_printf(checking->forge->arena, "cannot be asked: %s", why.message),
            setup_page(checking, where));
  return NULL;
}

/* --- checks --- */

/* Checks that the workflow is there and names all files that pawl measures, and takes its text. */
static void setup_check_files(struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(checking->setup->root, WORKFLOW);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error why = {0};
  if (pawl_file_read(path, WORKFLOW_LIMIT, &text, &why) != PAWL_OK) {
    setup_add(checking, "workflow", true, false, "there is no " WORKFLOW,
              "pawl init --forge github");
    return;
  }
  checking->text = pawl_arena_copy(checking->forge->arena, pawl_text_string(&text));
  const char *lacks = pawl_workflow_lacks(checking->text, &checking->setup->paths);
  setup_add(checking, "workflow", true, !lacks,
            lacks ? pawl_arena_printf(checking->forge->arena, WORKFLOW " does not name '%s'", lacks)
                  : "names all files that are measured",
            "remove it and run pawl init --forge github");
}

/* Checks where the machines get pawl: the action's PINNED_URL or the value of the variable
 * PAWL_BUNDLE_URL, "" if there is none. Machines of the host have no pawl, so they need a bundle.
 */
static void setup_check_bundle(const struct setup_checking *checking, const char *variable,
                               bool needed) {
  static const char pin[] = "PINNED_URL: \"";
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(checking->setup->root, ACTION);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored = {0};
  const char *url = variable, *pinned = NULL;
  if (!*url && pawl_file_read(path, WORKFLOW_LIMIT, &text, &ignored) == PAWL_OK)
    pinned = strstr(pawl_text_string(&text), pin);
  if (pinned) pinned += strlen(pin);
  if (pinned)
    url = pawl_arena_printf(checking->forge->arena, "%.*s", (int)strcspn(pinned, "\""), pinned);
  setup_add(checking, "bundle", needed && !*url, *url,
            *url     ? url
            : needed ? "none is named, and a machine of the host has no pawl"
                     : "none is named: each machine must have pawl",
            "remove " ACTION
            " and run pawl init --forge github --bundle URL, or set "
            "PAWL_BUNDLE_URL and PAWL_BUNDLE_SHA256");
}

static void setup_check_branch(const struct setup_checking *checking, const json_t *repository) {
  struct pawl_arena *arena = checking->forge->arena;
  const char *branch = pawl_arena_copy(arena, setup_text(repository, "default_branch"));
  const bool same = !strcmp(branch, checking->setup->branch);
  setup_add(checking, "default branch", true, same,
            same ? branch
                 : pawl_arena_printf(arena, "'%s' on the host, but '%s' here", branch,
                                     checking->setup->branch),
            "git remote set-head origin --auto, then remove the workflow and run pawl init "
            "--forge again");
}

/* Checks that the job that measures comes from the default branch, so no pull request can change
 * its steps. */
static void check_measuring(const struct setup_checking *checking) {
  if (!*checking->text) return; /* another row fails */
  const char *wanted = pawl_arena_printf(checking->forge->arena, "%s/" MEASURING "@%s",
                                         checking->forge->repository, checking->setup->branch);
  const bool fixed = strstr(checking->text, wanted) != NULL;
  setup_add(checking, "measuring job", false, fixed,
            fixed ? wanted : WORKFLOW " does not take it from the default branch",
            "remove it and run pawl init --forge github");
}

/* Checks the workflow on the host, which knows only the default branch's. */
static void check_workflow(const struct setup_checking *checking) {
  const char *state = "no " WORKFLOW " on the default branch";
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer =
      setup_ask(checking, "on that branch", "/actions/workflows?per_page=100", "/actions");
  if (!answer) return;
  const json_t *workflow = setup_find(json_object_get(answer, "workflows"), "path", WORKFLOW);
  if (workflow) state = pawl_arena_copy(checking->forge->arena, setup_text(workflow, "state"));
  setup_add(checking, "on that branch", true, !strcmp(state, "active"), state,
            "commit it and push it to the default branch");
}

static void check_approval(const struct setup_checking *checking) {
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer =
      setup_ask(checking, "approval", "/actions/permissions/fork-pr-contributor-approval",
                "/settings/actions");
  if (!answer) return;
  const char *policy =
      pawl_arena_copy(checking->forge->arena, setup_text(answer, "approval_policy"));
  setup_add(
      checking, "approval", true, !strcmp(policy, "all_external_contributors"), policy,
      setup_page(checking, "/settings/actions: require approval for all external contributors"));
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
  json_t *answer = setup_ask(checking, "variables", "/actions/variables?per_page=30",
                             "/settings/variables/actions");
  if (!answer) return NULL;
  const char *usual = pawl_workflow_default(checking->text, "PAWL_RUNNER", checking->forge->arena);
  const json_t *variables = json_object_get(answer, "variables");
  for (size_t i = 0; i < PAWL_COUNT(names); i++) {
    const json_t *found = setup_find(variables, "name", names[i]);
    unsetenv(names[i]);
    if (found) setenv(names[i], setup_text(found, "value"), 1);
  }
  if (usual) setenv("PAWL_RUNNER", usual, 0);
  return pawl_arena_copy(checking->forge->arena,
                         setup_text(setup_find(variables, "name", "PAWL_BUNDLE_URL"), "value"));
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
    setup_add(checking, "runner group", false, false,
              "none: every workflow of a pull request can use the machine", remedy);
    return;
  }
  const char *path = pawl_arena_printf(
      arena, "//orgs/%.*s/actions/runner-groups?per_page=100&visible_to_repository=%s",
      (int)(slash - name), name, slash + 1);
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer = setup_ask(checking, "runner group", path, "/settings/actions/runners");
  if (!answer) return;
  const json_t *group = setup_find(json_object_get(answer, "runner_groups"), "name", wanted);
  const bool closed = group && is_closed(checking, group);
  setup_add(checking, "runner group", false, closed,
            closed ? "serves only the workflow that measures"
            : group
                ? pawl_arena_printf(arena, "'%s' serves other workflows too", wanted)
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
  setup_add(checking, "settings", true, good,
            good ? settings.runner : pawl_arena_copy(arena, why.message),
            setup_page(checking, "/settings/variables/actions"));
  PAWL_CLEANUP(pawl_json_release)
  json_t *answer =
      setup_ask(checking, "runner", "/actions/runners?per_page=100", "/settings/actions/runners");
  if (!answer ||
      pawl_forge_find_runner(checking->forge, settings.runner, json_object_get(answer, "runners"),
                             &hosted, &runner, &why) != PAWL_OK)
    return;
  const bool lacks_gpu = hosted && checking->setup->has_gpu;
  setup_add(checking, "runner", lacks_gpu, !lacks_gpu && (hosted || runner),
            lacks_gpu
                ? "a machine of GitHub, which has no GPU; the variable PAWL_RUNNER names another"
            : hosted ? "a machine of GitHub"
            : runner ? runner
                     : pawl_arena_printf(arena, "none is online with %s", settings.runner),
            setup_page(checking, "/settings/actions/runners/new"));
  setup_check_bundle(checking, bundle, hosted);
  if (hosted) return;
  check_approval(checking);
  check_group(checking, settings.runner);
}

static bool requires(const json_t *rules, const char *context) {
  for (size_t i = 0; i < json_array_size(rules); i++) {
    const json_t *given = json_object_get(json_array_get(rules, i), "parameters");
    if (setup_find(json_object_get(given, "required_status_checks"), "context", context))
      return true;
  }
  return false;
}

static bool is_protected(const json_t *rules) {
  static const char *const types[] = {"pull_request", "update", "required_status_checks"};
  for (size_t i = 0; i < PAWL_COUNT(types); i++)
    if (setup_find(rules, "type", types[i])) return true;
  return false;
}

static void check_rules(const struct setup_checking *checking) {
  const char *by = getenv("PAWL_BASELINE_BY");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_add(&path, "/rules/branches/");
  pawl_url_escape(checking->setup->branch, &path);
  PAWL_CLEANUP(pawl_json_release)
  json_t *rules = setup_ask(checking, "required check", path.data, "/settings/rules");
  if (!rules) return;
  const bool required = requires(rules, "pawl"), closed = is_protected(rules);
  const bool proposes = by && !strcmp(by, "pull-request");
  setup_add(checking, "required check", false, required,
            required ? "pawl" : "the check 'pawl' is not required",
            setup_page(checking, "/settings/rules"));
  setup_add(checking, "baseline", false, !closed || proposes,
            !closed    ? "the branch takes pushes"
            : proposes ? "by pull request"
                       : "the branch is protected",
            "the secret PAWL_BASELINE_TOKEN, or the variable PAWL_BASELINE_BY set to pull-request");
}

/* --- the repository --- */

/* Returns the path of the repository behind the host of its page, or NULL. */
static const char *setup_path(const struct pawl_workflow_setup *setup) {
  const char *slash = setup->page ? strchr(setup->page + strlen("https://"), '/') : NULL;
  return slash ? slash + 1 : NULL;
}

/* Returns the page or the file that shows another code host, or NULL. */
static const char *find_other_host(const struct pawl_workflow_setup *setup) {
  static const char *const pages[] = {"https://gitlab.com/", "https://codeberg.org/"};
  static const char *const files[] = {WORKFLOW, PAWL_GITLAB_JOBS, ".forgejo/workflows/pawl.yml",
                                      ".gitea/workflows/pawl.yml"};
  for (size_t i = 0; i < PAWL_COUNT(pages); i++)
    if (setup->page && pawl_starts_with(setup->page, pages[i])) return pages[i];
  for (size_t i = 0; i < PAWL_COUNT(files); i++) {
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(setup->root, files[i]);
    if (pawl_file_exists(path)) return i ? files[i] : NULL;
  }
  return NULL;
}

pawl_status pawl_forge_read_setup(struct pawl_forge *forge, const struct pawl_workflow_setup *setup,
                                  const char *token_file, struct pawl_error *err) {
  const char *path = setup_path(setup), *other = find_other_host(setup);
  if (other)
    return pawl_fail(err, PAWL_USAGE,
                     "--forge checks the settings of GitHub alone, and this repository is of "
                     "another host ('%s'); pawl guide code-host lists the settings",
                     other);
  if (!path && !getenv("GITHUB_REPOSITORY"))
    return pawl_fail(err, PAWL_USAGE,
                     "no repository: git has no remote 'origin' on GitHub; run git remote add "
                     "origin https://github.com/OWNER/NAME");
  if (path) setenv("GITHUB_REPOSITORY", path, 0);
  if (path && !pawl_starts_with(setup->page, "https://github.com/"))
    setenv(
        "GITHUB_API_URL",
        pawl_arena_printf(forge->arena, "%.*s/api/v3", (int)(path - 1 - setup->page), setup->page),
        0);
  return pawl_forge_read(forge, token_file, err);
}

void pawl_forge_check_setup(struct pawl_forge *forge, const struct pawl_workflow_setup *setup,
                            struct pawl_setup_checks *out) {
  struct setup_checking checking = {forge, setup,
                                    setup->page ? setup->page : "https://HOST/OWNER/NAME", "", out};
  *out = (struct pawl_setup_checks){.count = 0};
  setup_check_files(&checking);
  check_measuring(&checking);
  PAWL_CLEANUP(pawl_json_release)
  json_t *repository = setup_ask(&checking, "default branch", "", "/settings");
  if (repository) setup_check_branch(&checking, repository);
  check_workflow(&checking);
  check_machines(&checking);
  check_rules(&checking);
}
