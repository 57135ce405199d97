/* SPDX-License-Identifier: Apache-2.0 */
/* Writes check runs (https://docs.github.com/en/rest/checks/runs), or commit statuses if there are
 * none. */
#include <string.h>

#include "forge/post.h"

#define BATCH 50 /* annotations of one request */
#define ATTEMPTS 3

struct check_run {
  long long id; /* 0: none */
  size_t annotations;
  bool completed;
};

static pawl_status need_commit(const struct pawl_forge *forge, struct pawl_error *err) {
  if (forge->sha) return PAWL_OK;
  return pawl_fail(err, PAWL_USAGE, "no commit for the report: the event and GITHUB_SHA name none");
}

static const char *external_id(const struct pawl_forge *forge) {
  return pawl_arena_printf(forge->arena, "pawl %s", forge->run_key);
}

/* Finds the check run that an earlier step of this run opened. */
static pawl_status check_run_find(struct pawl_forge *forge, const char *name, struct check_run *out,
                                  struct pawl_error *err) {
  *out = (struct check_run){0};
  if (forge->dry_run) return PAWL_OK;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_printf(&path, "/commits/%s/check-runs?filter=all&per_page=100&check_name=", forge->sha);
  pawl_url_escape(name, &path);
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  long status;
  const struct pawl_forge_call call = {.method = "GET", .path = path.data, .repeatable = true};
  PAWL_TRY(pawl_forge_send(forge, &call, &status, &answer, err));
  const char *ours = external_id(forge);
  const json_t *runs = json_object_get(answer, "check_runs");
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i);
    const char *id = json_string_value(json_object_get(run, "external_id"));
    const char *state = json_string_value(json_object_get(run, "status"));
    if (!id || strcmp(id, ours) != 0) continue;
    out->id = json_integer_value(json_object_get(run, "id"));
    out->completed = state && !strcmp(state, "completed");
    const json_t *output = json_object_get(run, "output");
    out->annotations = (size_t)json_integer_value(json_object_get(output, "annotations_count"));
  }
  return PAWL_OK;
}

/* Opens the check run unless this run has one already. Sets *refused if the token may not. */
static pawl_status open_run(struct pawl_forge *forge, const char *name, struct check_run *run,
                            bool *refused, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *body = json_object();
  pawl_json_set_string(body, "name", name);
  pawl_json_set_string(body, "head_sha", forge->sha);
  pawl_json_set_string(body, "status", "in_progress");
  pawl_json_set_string(body, "external_id", external_id(forge));
  if (forge->run_url) pawl_json_set_string(body, "details_url", forge->run_url);
  const struct pawl_forge_call call = {.method = "POST", .path = "/check-runs", .body = body};
  enum pawl_status_code code = PAWL_OK;
  *refused = false;
  for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
    long status = 0;
    PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
    code = check_run_find(forge, name, run, err);
    if (code == PAWL_OK && run->id) return PAWL_OK;
    if (code == PAWL_OK || code == PAWL_NOT_PERMITTED || code == PAWL_NO_INPUT)
      code = pawl_forge_send(forge, &call, &status, &answer, err);
    *refused =
        (code == PAWL_NOT_PERMITTED && status == 403) || (code == PAWL_NO_INPUT && status == 404);
    if (code == PAWL_OK) run->id = json_integer_value(json_object_get(answer, "id"));
    /* a request that broke off may have arrived: look again */
    if (code != PAWL_IO && code != PAWL_TRY_AGAIN) return code;
    if (attempt < ATTEMPTS) pawl_forge_pause(forge, attempt);
  }
  return code;
}

static json_t *annotations_json(const struct pawl_annotation *items, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *object = json_object();
    pawl_json_set_string(object, "path", items[i].path);
    pawl_json_set_int(object, "start_line", items[i].line);
    pawl_json_set_int(object, "end_line", items[i].line);
    pawl_json_set_string(object, "annotation_level", items[i].is_error ? "failure" : "warning");
    pawl_json_set_string(object, "title", items[i].title);
    pawl_json_set_string(object, "message", items[i].message);
    json_array_append_new(list, object);
  }
  return list;
}

/* A stranger could have invented the times of a fork, and a row without an answer may hide a loss.
   GitHub's rules let "neutral" pass. */
static bool check_run_needs_person(const struct pawl_forge *forge,
                                   const struct pawl_stored_run *verdict) {
  return forge->is_fork || verdict->conclusion == PAWL_CONCLUSION_INCONCLUSIVE ||
         verdict->conclusion == PAWL_CONCLUSION_NEEDS_GPU;
}

const char *pawl_forge_conclusion(const struct pawl_forge *forge,
                                  const struct pawl_forge_report *report) {
  const struct pawl_stored_run *verdict = report->verdict;
  if (report->nothing) return report->unasked ? "neutral" : "success";
  if (!verdict) return report->cancelled ? "cancelled" : "failure";
  if (pawl_conclusion_fails(verdict->conclusion)) return "failure";
  if (check_run_needs_person(forge, verdict)) return "action_required";
  return pawl_conclusion_is_good(verdict->conclusion) ? "success" : "neutral";
}

/* Sends one PATCH with a title and a summary, because the server wants both each time. The last
 * PATCH closes the run. */
static pawl_status patch(struct pawl_forge *forge, long long id,
                         const struct pawl_forge_report *report, const char *text,
                         const struct pawl_annotation *batch, size_t count, bool last,
                         struct pawl_error *err) {
  char line[140];
  PAWL_CLEANUP(pawl_json_release) json_t *body = json_object();
  json_t *output = json_object();
  pawl_json_set_string(output, "title", pawl_forge_title(report, line));
  pawl_json_set_string(output, "summary", text);
  if (count > 0) pawl_json_set(output, "annotations", annotations_json(batch, count));
  pawl_json_set_string(body, "status", last ? "completed" : "in_progress");
  if (last) pawl_json_set_string(body, "conclusion", pawl_forge_conclusion(forge, report));
  pawl_json_set(body, "output", output);
  const char *path = pawl_arena_printf(forge->arena, "/check-runs/%lld", id);
  /* PATCH appends its annotations, so a second send would repeat them */
  const struct pawl_forge_call call = {
      .method = "PATCH", .path = path, .body = body, .repeatable = count == 0};
  long status;
  return pawl_forge_send(forge, &call, &status, NULL, err);
}

static pawl_status fill_run(struct pawl_forge *forge, const char *name, struct check_run run,
                            const struct pawl_forge_report *report,
                            const struct pawl_annotation *annotations, size_t count,
                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (report->verdict)
    pawl_forge_body(forge, report->verdict, PAWL_FORGE_BODY_LIMIT, &text);
  else
    pawl_forge_no_verdict_body(forge, report, &text);
  for (int failures = 0;;) {
    const size_t done =
        run.annotations < count ? run.annotations : count; /* the order never changes */
    const size_t batch = count - done < BATCH ? count - done : BATCH;
    const bool last = done + batch == count;
    const enum pawl_status_code status =
        patch(forge, run.id, report, pawl_text_string(&text), count > 0 ? annotations + done : NULL,
              batch, last, err);
    if (status == PAWL_OK && last) return PAWL_OK;
    if (status == PAWL_OK) {
      run.annotations = done + batch;
      continue;
    }
    if ((status != PAWL_IO && status != PAWL_TRY_AGAIN) || ++failures == ATTEMPTS) return status;
    pawl_forge_pause(forge, failures);
    PAWL_TRY(check_run_find(forge, name, &run, err)); /* asks how many arrived */
    if (run.completed && run.annotations >= count) return PAWL_OK;
  }
}

/* Closes the run even if the host refuses the report or its annotations. */
static pawl_status close_run(struct pawl_forge *forge, const char *name, struct check_run run,
                             const struct pawl_forge_report *report,
                             const struct pawl_annotation *annotations, size_t count,
                             struct pawl_error *err) {
  struct pawl_error ignored = {0};
  const enum pawl_status_code status = fill_run(forge, name, run, report, annotations, count, err);
  if (status == PAWL_OK) return PAWL_OK;
  const char *text = "pawl could not post the report here: see the log of the run.\n";
  if (patch(forge, run.id, report, text, NULL, 0, true, &ignored) != PAWL_OK)
    pawl_log_warning(forge->log, "the check run stays open: %s", ignored.message);
  return status;
}

/* Sets a commit status with `headline` as its description. */
static pawl_status set_status(struct pawl_forge *forge, const char *state, const char *headline,
                              const char *name, struct pawl_error *err) {
  PAWL_TRY(need_commit(forge, err));
  PAWL_CLEANUP(pawl_json_release) json_t *body = json_object();
  pawl_json_set_string(body, "state", state);
  pawl_json_set_string(body, "context", name);
  pawl_json_set_string(body, "description", headline);
  if (forge->run_url) pawl_json_set_string(body, "target_url", forge->run_url);
  long status;
  /* the newest status of a context counts, so a repeated send changes nothing */
  const struct pawl_forge_call call = {
      .method = "POST",
      .path = pawl_arena_printf(forge->arena, "/statuses/%s", forge->sha),
      .body = body,
      .repeatable = true};
  return pawl_forge_send(forge, &call, &status, NULL, err);
}

/* Sets a commit status if pawl cannot write check runs. A NULL `report` means pending. */
static pawl_status say_as_status(struct pawl_forge *forge, const struct pawl_forge_report *report,
                                 const char *name, struct pawl_error *err) {
  char line[140];
  if (!report) return set_status(forge, "pending", "measuring", name, err);
  const char *conclusion = pawl_forge_conclusion(forge, report), *state = "success";
  if (!strcmp(conclusion, "action_required"))
    state = "pending";
  else if (!strcmp(conclusion, "failure") || !strcmp(conclusion, "cancelled"))
    state = report->verdict ? "failure" : "error";
  return set_status(forge, state, pawl_forge_title(report, line), name, err);
}

static void say_instead(const struct pawl_forge *forge) {
  pawl_log_info(forge->log,
                "this token cannot create check runs: pawl sets a commit status instead");
}

static pawl_status end_by_status(struct pawl_forge *forge, const struct pawl_forge_report *report,
                                 const char *name, struct pawl_error *err) {
  say_instead(forge);
  return say_as_status(forge, report, name, err);
}

pawl_status pawl_forge_check_begin(struct pawl_forge *forge, const char *name,
                                   struct pawl_error *err) {
  PAWL_TRY(need_commit(forge, err));
  struct check_run run;
  bool refused = forge->follows_github; /* Forgejo and Gitea have none */
  if (!refused) {
    const enum pawl_status_code status = open_run(forge, name, &run, &refused, err);
    if (!refused) return status;
  }
  say_instead(forge);
  return say_as_status(forge, NULL, name, err);
}

pawl_status pawl_forge_check_end(struct pawl_forge *forge, const struct pawl_forge_report *report,
                                 const struct pawl_suite *suite, const char *name,
                                 struct pawl_error *err) {
  PAWL_TRY(need_commit(forge, err));
  if (forge->follows_github) return end_by_status(forge, report, name, err);
  size_t count = 0;
  const struct pawl_annotation *annotations = NULL;
  if (report->verdict)
    annotations = pawl_forge_annotations(report->verdict, suite, forge->arena, &count);
  struct check_run run;
  bool refused;
  const enum pawl_status_code status = open_run(forge, name, &run, &refused, err);
  if (refused) return end_by_status(forge, report, name, err);
  if (status != PAWL_OK) return status;
  return close_run(forge, name, run, report, annotations, count, err);
}

pawl_status pawl_forge_check_settle(struct pawl_forge *forge,
                                    const struct pawl_forge_report *report, const char *name,
                                    struct pawl_error *err) {
  PAWL_TRY(need_commit(forge, err));
  struct check_run run = {0};
  PAWL_TRY(check_run_find(forge, name, &run, err));
  if (!run.id || run.completed) return PAWL_OK;
  return close_run(forge, name, run, report, NULL, 0, err);
}
