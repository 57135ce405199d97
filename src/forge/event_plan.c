/* SPDX-License-Identifier: Apache-2.0 */
#include "forge/event_plan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/text.h"

/* GitHub's own Linux machines, by name:
 * https://docs.github.com/actions/reference/runners/github-hosted-runners. A prefix would also fit
 * a user's machine. */
static const char *const hosted_labels[] = {"ubuntu-latest",    "ubuntu-24.04",
                                            "ubuntu-22.04",     "ubuntu-slim",
                                            "ubuntu-24.04-arm", "ubuntu-22.04-arm"};
/* A self-hosted machine has some of these labels without being given them. */
static const char *const implicit_labels[] = {"self-hosted", "linux", "x64", "arm64"};

static const char *setting(struct pawl_arena *arena, const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && *value ? pawl_arena_copy(arena, value) : otherwise;
}

static bool is_true(const char *name) {
  const char *value = getenv(name);
  return value && !strcmp(value, "true");
}

void pawl_forge_settings_read(struct pawl_arena *arena, struct pawl_forge_settings *out) {
  *out = (struct pawl_forge_settings){
      .runner = setting(arena, "PAWL_RUNNER", "[\"self-hosted\", \"gpu\"]"),
      .report_runner = setting(arena, "PAWL_REPORT_RUNNER", "\"ubuntu-24.04\""),
      .code_runner = setting(arena, "PAWL_CODE_RUNNER", NULL),
      .shards = setting(arena, "PAWL_SHARDS", "1"),
      .only_labeled = is_true("PAWL_ONLY_LABELED"),
      .allow_forks = is_true("PAWL_RUN_CODE_OF_FORKS_ON_OUR_MACHINES"),
  };
}

/* --- labels --- */

/* Reads the labels into a new reference to a list. *group is NULL if there is none. */
static pawl_status read_labels(const char *name, const char *text, struct pawl_arena *arena,
                               json_t **out, const char **group, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
  json_t *labels = json_is_object(value) ? json_object_get(value, "labels") : value;
  *group = pawl_arena_copy(arena, json_string_value(json_object_get(value, "group")));
  PAWL_CLEANUP(pawl_json_release) json_t *list = json_array();
  if (json_is_string(labels)) json_array_append(list, labels);
  for (size_t i = 0; i < json_array_size(labels); i++)
    json_array_append(list, json_array_get(labels, i));
  bool good = json_array_size(list) > 0 || *group;
  for (size_t i = 0; i < json_array_size(list); i++)
    good = good && json_is_string(json_array_get(list, i));
  if (!good)
    return pawl_fail(
        err, PAWL_USAGE,
        "%s is '%.100s', but labels are JSON: \"ubuntu-24.04\" or [\"self-hosted\", \"gpu\"]", name,
        text);
  *out = json_incref(list);
  return PAWL_OK;
}

static bool event_plan_is_in(const char *label, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!strcasecmp(names[i], label)) return true;
  return false;
}

/* Returns whether the host runs the machine. Elsewhere than on GitHub, anybody gives these
 * names. */
static bool is_hosted(const struct pawl_forge *forge, const json_t *labels, const char *group) {
  return !forge->follows_github && !group && json_array_size(labels) == 1 &&
         event_plan_is_in(json_string_value(json_array_get(labels, 0)), hosted_labels,
                          PAWL_COUNT(hosted_labels));
}

/* Returns whether a machine with `labels` takes a job that asks for `wanted`. */
static bool takes(const json_t *labels, const json_t *wanted) {
  for (size_t i = 0; i < json_array_size(wanted); i++) {
    const char *label = json_string_value(json_array_get(wanted, i));
    bool has = event_plan_is_in(label, implicit_labels, PAWL_COUNT(implicit_labels));
    for (size_t j = 0; j < json_array_size(labels); j++)
      has = has || !strcasecmp(json_string_value(json_array_get(labels, j)), label);
    if (!has) return false;
  }
  return true;
}

/* Returns the names of a runner's labels, a new reference. */
static json_t *labels_of(const json_t *runner) {
  json_t *names = json_array();
  const json_t *labels = json_object_get(runner, "labels");
  for (size_t i = 0; i < json_array_size(labels); i++) {
    json_t *name = json_object_get(json_array_get(labels, i), "name");
    if (json_is_string(name)) json_array_append(names, name);
  }
  return names;
}

pawl_status pawl_forge_find_runner(const struct pawl_forge *forge, const char *labels,
                                   const json_t *runners, bool *hosted, const char **name,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *wanted = NULL;
  const char *group;
  PAWL_TRY(read_labels("PAWL_RUNNER", labels, forge->arena, &wanted, &group, err));
  *hosted = is_hosted(forge, wanted, group);
  *name = NULL;
  for (size_t i = 0; i < json_array_size(runners) && !*name; i++) {
    const json_t *runner = json_array_get(runners, i);
    const char *status = json_string_value(json_object_get(runner, "status"));
    PAWL_CLEANUP(pawl_json_release) json_t *has = labels_of(runner);
    if (status && !strcmp(status, "online") && takes(has, wanted))
      *name = pawl_arena_copy(forge->arena, json_string_value(json_object_get(runner, "name")));
  }
  return PAWL_OK;
}

/* --- the decision --- */

/* Checks the machine that the variable names, on which the change's code runs. */
static pawl_status check_runner(const struct pawl_forge *forge,
                                const struct pawl_forge_settings *settings, const char *variable,
                                const char *runner, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *measuring = NULL, *reporting = NULL;
  const char *group, *report_group;
  PAWL_TRY(read_labels(variable, runner, forge->arena, &measuring, &group, err));
  PAWL_TRY(read_labels("PAWL_REPORT_RUNNER", settings->report_runner, forge->arena, &reporting,
                       &report_group, err));
  if (is_hosted(forge, measuring, group)) return PAWL_OK;
  const bool apart = group && report_group && strcmp(group, report_group) != 0;
  if (!is_hosted(forge, reporting, report_group) && !apart && takes(measuring, reporting))
    return pawl_fail(
        err, PAWL_NOT_PERMITTED,
        "refused: the machine of %s runs the change's code and could take the job that "
        "posts, whose token may write; name another machine with PAWL_REPORT_RUNNER",
        variable);
  if (forge->is_pull_request && forge->is_fork && !settings->allow_forks)
    return pawl_fail(
        err, PAWL_NOT_PERMITTED,
        "refused: this pull request comes from the fork '%.140s', and its code would run on a "
        "machine of yours; review it and push its branch to this repository, or let throw-away "
        "machines run forks with the variable PAWL_RUN_CODE_OF_FORKS_ON_OUR_MACHINES",
        forge->head_repository ? forge->head_repository : "unknown");
  return PAWL_OK;
}

static pawl_status check_runners(const struct pawl_forge *forge,
                                 const struct pawl_forge_settings *settings,
                                 struct pawl_error *err) {
  PAWL_TRY(check_runner(forge, settings, "PAWL_RUNNER", settings->runner, err));
  if (!settings->code_runner) return PAWL_OK;
  return check_runner(forge, settings, "PAWL_CODE_RUNNER", settings->code_runner, err);
}

/* The events of GitHub and Forgejo that a workflow can name. A row without an action is for all
   other actions of its event. pawl measures code that is new to the branch or the pull request. It
   passes over events that change no code, because the check of their commit stands already.
   https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows */
static const struct event_row {
  const char *event, *action;
  const char *why_not; /* NULL: it measures */
} event_rows[] = {
    {"pull_request", "opened", NULL},
    {"pull_request", "reopened", NULL},
    {"pull_request", "synchronize", NULL},
    {"pull_request", "edited", "only the text of the pull request changed"},
    {"pull_request", "labeled", "a label changes no code"},
    {"pull_request", "unlabeled", "a label changes no code"},
    {"pull_request", "closed", "the pull request is closed"},
    {"pull_request", "ready_for_review", "a draft is measured at each push"},
    {"pull_request", "converted_to_draft", "a draft is measured at each push"},
    {"pull_request", NULL, "this action on the pull request changes no code"},
    {"pull_request_target", NULL,
     "its job holds secrets and must run no code of a change: use pull_request"},
    {"merge_group", "checks_requested", NULL},
    {"merge_group", NULL, "the merge group is gone"},
    {"push", NULL, NULL},
    {"workflow_dispatch", NULL, NULL},
    {"schedule", NULL, NULL},
    {"repository_dispatch", NULL, NULL},
};

static const char *why_not_event(const struct pawl_forge *forge) {
  const char *action = forge->action ? forge->action : "";
  for (size_t i = 0; i < PAWL_COUNT(event_rows); i++)
    if (!strcmp(event_rows[i].event, forge->event_name) &&
        (!event_rows[i].action || !strcmp(event_rows[i].action, action)))
      return event_rows[i].why_not;
  return pawl_arena_printf(forge->arena, "pawl does not measure on the event '%.60s'",
                           forge->event_name);
}

/* Returns why this event measures nothing, or NULL if it measures. The label that asks for a
 * measurement starts one, but only if PAWL_ONLY_LABELED needs it. */
static const char *why_not(const struct pawl_forge *forge,
                           const struct pawl_forge_settings *settings, bool *closes_check) {
  if (forge->is_gitlab || !*forge->event_name) return NULL;
  const bool is_labeled = forge->is_pull_request && pawl_text_equal(forge->action, "labeled");
  const bool asks =
      is_labeled && settings->only_labeled && pawl_text_equal(forge->added_label, PAWL_FORGE_LABEL);
  const char *reason = asks || forge->has_new_base ? NULL : why_not_event(forge);
  if (!reason && forge->is_deletion) reason = "the branch is deleted";
  if (!reason && forge->ref && pawl_starts_with(forge->ref, "refs/tags/"))
    reason = "a tag changes no code";
  if (reason || !forge->is_pull_request || !settings->only_labeled || forge->has_label)
    return reason;
  *closes_check = true;
  return "the pull request does not have the label '" PAWL_FORGE_LABEL "'";
}

static bool is_default_branch(const struct pawl_forge *forge) {
  const char *prefix = "refs/heads/";
  return !forge->is_pull_request && forge->ref && forge->default_branch &&
         pawl_starts_with(forge->ref, prefix) &&
         !strcmp(forge->ref + strlen(prefix), forge->default_branch);
}

pawl_status pawl_forge_plan(const struct pawl_forge *forge,
                            const struct pawl_forge_settings *settings, struct pawl_forge_plan *out,
                            struct pawl_error *err) {
  int64_t shards = 0;
  if (!pawl_parse_i64(settings->shards, &shards) || shards < 1 || shards > PAWL_FORGE_SHARDS)
    return pawl_fail(err, PAWL_USAGE, "PAWL_SHARDS is '%.40s', but it must be 1 to %d",
                     settings->shards, PAWL_FORGE_SHARDS);
  bool closes_check = false;
  const char *reason = why_not(forge, settings, &closes_check);
  if (!reason && !forge->is_gitlab) PAWL_TRY(check_runners(forge, settings, err));
  if (!reason && forge->is_gitlab && forge->is_fork)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "refused: this merge request comes from a fork, and its code would run on a "
                     "machine of yours; review it and push its branch to this project");
  *out = (struct pawl_forge_plan){.measure = !reason,
                                  .why_not = reason,
                                  .closes_check = closes_check,
                                  .moves_baseline = is_default_branch(forge),
                                  .shards = (int)shards};
  return PAWL_OK;
}
