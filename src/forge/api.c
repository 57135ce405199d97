/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/untrusted.h"
#include "forge/forge.h"
#include "report/escape.h"

#define PAGES 50 /* 100 items each */
#define PAGE_LIMIT \
  ((size_t)64 << 20) /* 100 comments of 65 536 characters, each written as up to 6 bytes */
#define SERVER_WORDS 300

static const char *address(struct pawl_forge *forge, const char *path) {
  if (pawl_starts_with(path, forge->api_url)) return path;
  if (pawl_starts_with(path, "//"))
    return pawl_arena_printf(forge->arena, "%s%s", forge->api_url, path + 1);
  return pawl_arena_printf(forge->arena, "%s/repos/%s%s", forge->api_url, forge->repository, path);
}

static void print_call(const char *method, const char *url, const json_t *body) {
  printf("%s %s\n", method, url);
  if (!body) return;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_json_write_text(body, true, &text);
  fputs(pawl_text_string(&text), stdout);
}

/* Adds "; body: is too long":
 * https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api */
static void add_why(const json_t *fault, struct pawl_text *out) {
  static const char *const keys[] = {"field", "code", "message"};
  const char *separator = "; ";
  if (json_is_string(fault)) {
    pawl_text_add(out, separator);
    pawl_clean_text(json_string_value(fault), false, out);
  }
  for (size_t i = 0; i < PAWL_COUNT(keys); i++) {
    const char *word = json_string_value(json_object_get(fault, keys[i]));
    if (!word) continue;
    pawl_text_add(out, separator);
    pawl_clean_text(word, false, out);
    separator = ": ";
  }
}

/* Writes the server's own words as one clean line, or "". */
static void server_words(const struct pawl_text *body, struct pawl_text *out) {
  PAWL_CLEANUP(pawl_json_release) json_t *answer = NULL;
  struct pawl_error ignored = {0};
  if (pawl_untrusted_parse(pawl_text_string(body), body->length, "answer", &answer, &ignored) !=
      PAWL_OK)
    return;
  const char *message = json_string_value(json_object_get(answer, "message"));
  if (!message) return;
  pawl_clean_text(message, false, out);
  /* a 422 has errors: each is a text or an object */
  const json_t *errors = json_object_get(answer, "errors");
  for (size_t i = 0; i < json_array_size(errors) && out->length < SERVER_WORDS; i++)
    add_why(json_array_get(errors, i), out);
  if (out->length > SERVER_WORDS) out->data[out->length = SERVER_WORDS] = '\0';
}

static enum pawl_status_code fail_answer(const struct pawl_http_response *response,
                                         const char *method, const char *url,
                                         struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text words = {0};
  server_words(&response->body, &words);
  const bool limited = pawl_http_wait_after(response, true, 1, (double)time(NULL)) >= 0;
  const enum pawl_status_code code = limited ? PAWL_TRY_AGAIN
                                     : response->status == 401 || response->status == 403
                                         ? PAWL_NOT_PERMITTED
                                     : response->status == 404 ? PAWL_NO_INPUT
                                                               : PAWL_PROTOCOL;
  const char *advice = response->status == 401      ? "; is the token valid?"
                       : code == PAWL_NOT_PERMITTED ? "; the job's 'permissions' must allow it"
                       : limited                    ? "; try again later"
                                                    : "";
  return pawl_fail(err, code, "%s %.*s: HTTP %ld%s%s%s", method, (int)strcspn(url, "?"), url,
                   response->status, words.length ? ": " : "", pawl_text_string(&words), advice);
}

static pawl_status send_text(struct pawl_forge *forge, const struct pawl_forge_call *call,
                             const char *url, struct pawl_http_response *response,
                             struct pawl_error *err) {
  static const char *const github[] = {"Accept: application/vnd.github+json",
                                       "Content-Type: application/json",
                                       "X-GitHub-Api-Version: 2022-11-28", NULL};
  static const char *const compatible[] = {"Accept: application/json",
                                           "Content-Type: application/json", NULL};
  if (!forge->token)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "no token: set %s for this step, or name a file with --token-file",
                     forge->is_gitlab ? "GITLAB_TOKEN" : "GITHUB_TOKEN");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (call->body) pawl_json_write_text(call->body, true, &text);
  const struct pawl_http_request request = {.method = call->method,
                                            .url = url,
                                            .credential = forge->token,
                                            .headers = forge->follows_github ? compatible : github,
                                            .body = call->body ? text.data : NULL,
                                            .body_length = text.length,
                                            .repeatable = call->repeatable};
  return pawl_http_send(&forge->http, &request, response, err);
}

static pawl_status api_read_answer(const struct pawl_http_response *response, const char *url,
                                   json_t **answer, struct pawl_error *err) {
  if (!answer) return PAWL_OK;
  json_t *value = NULL;
  if (pawl_untrusted_parse(pawl_text_string(&response->body), response->body.length, "answer",
                           &value, NULL) != PAWL_OK ||
      !(json_is_object(value) || json_is_array(value))) {
    json_decref(value);
    return pawl_fail(err, PAWL_PROTOCOL, "%.*s: the answer is not valid JSON",
                     (int)strcspn(url, "?"), url);
  }
  *answer = value;
  return PAWL_OK;
}

pawl_status pawl_forge_send(struct pawl_forge *forge, const struct pawl_forge_call *call,
                            long *status, json_t **answer, struct pawl_error *err) {
  const char *url = address(forge, call->path);
  *status = 0;
  if (forge->dry_run) {
    print_call(call->method, url, call->body);
    if (answer) *answer = json_object();
    *status = 200;
    return PAWL_OK;
  }
  struct pawl_http_response response = {0};
  PAWL_TRY(send_text(forge, call, url, &response, err));
  *status = response.status;
  const enum pawl_status_code code = response.status / 100 == 2
                                         ? api_read_answer(&response, url, answer, err)
                                         : fail_answer(&response, call->method, url, err);
  pawl_http_response_clear(&response);
  return code;
}

/* Adds one page. *next is the address of the following page, or NULL. */
static pawl_status add_page(struct pawl_forge *forge, const char *url, json_t *list,
                            const char **next, struct pawl_error *err) {
  struct pawl_http_response response = {0};
  const struct pawl_forge_call call = {.method = "GET", .repeatable = true};
  /* others write the items, so a page of their longest comments must fit */
  const size_t limit = forge->http.body_limit;
  forge->http.body_limit = PAGE_LIMIT;
  const enum pawl_status_code sent = send_text(forge, &call, url, &response, err);
  forge->http.body_limit = limit;
  if (sent != PAWL_OK) return sent;
  PAWL_CLEANUP(pawl_json_release) json_t *page = NULL;
  enum pawl_status_code status = response.status / 100 == 2
                                     ? api_read_answer(&response, url, &page, err)
                                     : fail_answer(&response, "GET", url, err);
  if (status == PAWL_OK && !json_is_array(page))
    status = pawl_fail(err, PAWL_PROTOCOL, "%.*s: the answer is not a list", (int)strcspn(url, "?"),
                       url);
  *next = NULL;
  if (status == PAWL_OK && *response.next) *next = pawl_arena_copy(forge->arena, response.next);
  pawl_http_response_clear(&response);
  if (status != PAWL_OK) return status;
  json_array_extend(list, page);
  /* the token goes to the API that the runner named, and nowhere else */
  const size_t length = strlen(forge->api_url);
  if (*next && (!pawl_starts_with(*next, forge->api_url) || (*next)[length] != '/'))
    return pawl_fail(err, PAWL_PROTOCOL, "%.*s: the next page is on another host",
                     (int)strcspn(url, "?"), url);
  return PAWL_OK;
}

pawl_status pawl_forge_list(struct pawl_forge *forge, const char *path, json_t **out,
                            struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *list = json_array();
  const char *url = address(forge, path);
  for (int page = 0; url && !forge->dry_run; page++) {
    if (page == PAGES)
      return pawl_fail(err, PAWL_PROTOCOL, "%.*s: more than %d pages", (int)strcspn(url, "?"), url,
                       PAGES);
    PAWL_TRY(add_page(forge, url, list, &url, err));
  }
  *out = json_incref(list);
  return PAWL_OK;
}

/* --- the pull request --- */

void pawl_forge_pause(struct pawl_forge *forge, int attempt) {
  const double seconds = (double)(1 << (attempt < 6 ? attempt - 1 : 5));
  pawl_log_detail(forge->log, "waiting for %.0f s before attempt %d", seconds, attempt + 1);
  pawl_sleep_seconds(seconds + (double)(getpid() % 100) / 200); /* not in step with others */
}

static bool is_at_head(const struct pawl_forge *forge, const json_t *pull) {
  const json_t *head = json_object_get(pull, "head");
  const char *sha = json_string_value(json_object_get(head, "sha"));
  const char *repository =
      json_string_value(json_object_get(json_object_get(head, "repo"), "full_name"));
  return sha && forge->sha && !strcmp(sha, forge->sha) && repository && forge->head_repository &&
         !strcmp(repository, forge->head_repository);
}

pawl_status pawl_forge_has_newer_commit(struct pawl_forge *forge, long long number, bool *newer,
                                        struct pawl_error *err) {
  *newer = false;
  if (forge->dry_run || !forge->sha) return PAWL_OK;
  PAWL_CLEANUP(pawl_json_release) json_t *pull = NULL;
  long status;
  const char *path = forge->is_gitlab
                         ? pawl_arena_printf(forge->arena, "//projects/%s/merge_requests/%lld",
                                             forge->repository, number)
                         : pawl_arena_printf(forge->arena, "/pulls/%lld", number);
  const struct pawl_forge_call call = {.method = "GET", .path = path, .repeatable = true};
  const enum pawl_status_code code = pawl_forge_send(forge, &call, &status, &pull, err);
  if (code == PAWL_NO_INPUT) return PAWL_OK;
  if (code != PAWL_OK) return code;
  const json_t *head = forge->is_gitlab ? pull : json_object_get(pull, "head");
  const char *sha = json_string_value(json_object_get(head, "sha"));
  *newer = sha && strcmp(sha, forge->sha) != 0;
  return PAWL_OK;
}

pawl_status pawl_forge_pull_requests(struct pawl_forge *forge, struct pawl_forge_pulls *out,
                                     struct pawl_error *err) {
  if (!forge->is_pull_request)
    return pawl_fail(err, PAWL_USAGE, "this job has no pull request: its event is '%s'",
                     forge->event_name);
  *out = (struct pawl_forge_pulls){{forge->number}, forge->number > 0};
  if (forge->number > 0) return PAWL_OK;
  if (!forge->head_owner || !forge->head_branch || !forge->sha)
    return pawl_fail(err, PAWL_BAD_DATA, "the event does not name the source of the pull request");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text path = {0};
  pawl_text_add(&path, "/pulls?state=open&per_page=100&head=");
  pawl_url_escape(forge->head_owner, &path);
  pawl_text_add(&path, ":");
  pawl_url_escape(forge->head_branch, &path);
  if (forge->dry_run) print_call("GET", address(forge, path.data), NULL);
  PAWL_CLEANUP(pawl_json_release) json_t *pulls = NULL;
  PAWL_TRY(pawl_forge_list(forge, path.data, &pulls, err));
  for (size_t i = 0; i < json_array_size(pulls); i++) {
    const json_t *pull = json_array_get(pulls, i);
    const long long number = json_integer_value(json_object_get(pull, "number"));
    if (is_at_head(forge, pull) && number > 0 && out->count < PAWL_FORGE_PULLS)
      out->numbers[out->count++] = number;
  }
  if (forge->dry_run) out->count = 1; /* a dry run acts as if there were one */
  if (out->count == 0)
    pawl_log_warning(forge->log,
                     "no open pull request has the head %.12s any more: pawl posts nothing",
                     forge->sha);
  return PAWL_OK;
}
