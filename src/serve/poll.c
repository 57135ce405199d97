/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks get lost, so pawl polls the code host for queued and running jobs. It adds the jobs that
 * the queue lacks and ends those that the host no longer lists.
 * https://docs.github.com/en/rest/actions/workflow-runs,
 * https://docs.github.com/en/rest/actions/workflow-jobs,
 * https://docs.github.com/en/rest/repos/repos */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "net/http.h"
#include "serve/wake.h"

#define MOST_PAGES 100 /* pages of one list, each of 100 rows */
/* Repositories of one owner. Each takes two requests of a poll, and a token has 5000 an hour. */
#define MOST_REPOSITORIES 50
#define DEFAULT_API "https://api.github.com"

struct poll {
  struct pawl_wake *wake;
  struct pawl_text api; /* without a slash at the end */
  const char *repository;
  int64_t *runs, *jobs; /* ids found */
  size_t run_count, run_capacity, job_count, job_capacity;
  const char *owner; /* the owner of the listed repositories, with its slash */
  struct pawl_text names[MOST_REPOSITORIES];
  size_t name_count;
};

static pawl_status poll_remember(int64_t **ids, size_t *count, size_t *capacity, const json_t *id,
                                 struct pawl_error *err) {
  if (!json_is_integer(id) || json_integer_value(id) <= 0)
    return pawl_fail(err, PAWL_PROTOCOL, "the code host's list has a row without 'id'");
  *ids = pawl_grow(*ids, *count, capacity, sizeof **ids);
  (*ids)[(*count)++] = json_integer_value(id);
  return PAWL_OK;
}

static pawl_status poll_take_run(struct poll *poll, const json_t *row, struct pawl_error *err) {
  return poll_remember(&poll->runs, &poll->run_count, &poll->run_capacity,
                       json_object_get(row, "id"), err);
}

static pawl_status take_job(struct poll *poll, const json_t *row, struct pawl_error *err) {
  struct pawl_job job;
  struct pawl_wake *wake = poll->wake;
  if (pawl_job_from_api(row, poll->repository, &job, err) != PAWL_OK) {
    if (err) err->code = PAWL_PROTOCOL;
    return PAWL_PROTOCOL;
  }
  if (job.state == PAWL_JOB_QUEUED || job.state == PAWL_JOB_RUNNING)
    PAWL_TRY(poll_remember(&poll->jobs, &poll->job_count, &poll->job_capacity,
                           json_object_get(row, "id"), err));
  enum pawl_offer offer;
  uint64_t number;
  pthread_mutex_lock(&wake->lock);
  const enum pawl_status_code status =
      pawl_wake_offer(wake, &job, NULL, NULL, &offer, &number, err);
  pthread_mutex_unlock(&wake->lock);
  PAWL_TRY(status);
  if (offer != PAWL_OFFER_ACCEPTED) return PAWL_OK;
  atomic_fetch_add(&wake->metrics.recovered, 1);
  return pawl_queue_sync(&wake->queue, number, err);
}

static pawl_status get(const struct poll *poll, const char *url, struct pawl_http_response *out,
                       struct pawl_error *err) {
  static const char *const headers[] = {"Accept: application/vnd.github+json",
                                        "X-GitHub-Api-Version: 2022-11-28", NULL};
  /* Makes one short attempt. The next poll is the second, and a stop does not wait. */
  const struct pawl_http_policy policy = {
      .total_seconds = 10, .attempts = 1, .ca_file = poll->wake->config->ca_file};
  const struct pawl_http_request request = {
      .url = url, .credential = poll->wake->token.data, .headers = headers};
  if (atomic_load(&poll->wake->stopping))
    return pawl_fail(err, PAWL_TRY_AGAIN, "the service stops");
  PAWL_TRY(pawl_http_send(&policy, &request, out, err));
  if (out->status == 200) return PAWL_OK;
  const long status = out->status;
  pawl_http_response_clear(out);
  if (status == 404)
    return pawl_fail(err, PAWL_NO_INPUT, "the code host does not know '%s'", poll->repository);
  return pawl_fail(err, PAWL_UNAVAILABLE,
                   "the code host answers %ld for '%s'; can the token read its actions?", status,
                   poll->repository);
}

/* The token goes to no host but the configured one. */
static bool poll_is_ours(const struct poll *poll, const char *url) {
  return pawl_starts_with(url, poll->api.data) && url[poll->api.length] == '/';
}

/* Calls for every row of the array `key` (NULL: of the answer itself) of all pages from `url`
 * on. */
static pawl_status each_row(struct poll *poll, const char *url, const char *key,
                            pawl_status (*take)(struct poll *, const json_t *, struct pawl_error *),
                            struct pawl_error *err) {
  char next[2048];
  for (int page = 0; *url && page < MOST_PAGES; page++) {
    struct pawl_http_response response = {0};
    PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
    PAWL_TRY(get(poll, url, &response, err));
    enum pawl_status_code status =
        pawl_json_parse(pawl_text_string(&response.body), response.body.length,
                        "the code host's list", false, &document, err);
    memcpy(next, response.next, sizeof next);
    pawl_http_response_clear(&response);
    if (status != PAWL_OK) return pawl_fail(err, PAWL_PROTOCOL, "the code host's list is not JSON");
    const json_t *rows = key ? json_object_get(document, key) : document;
    if (!json_is_array(rows))
      return pawl_fail(err, PAWL_PROTOCOL, "the code host's list has no '%s'", key ? key : "array");
    for (size_t i = 0; i < json_array_size(rows); i++)
      PAWL_TRY(take(poll, json_array_get(rows, i), err));
    if (*next && !poll_is_ours(poll, next))
      return pawl_fail(err, PAWL_PROTOCOL, "the code host's next page is on another host");
    url = next;
  }
  if (*url)
    return pawl_fail(err, PAWL_PROTOCOL, "the code host's list has more than %d pages", MOST_PAGES);
  return PAWL_OK;
}

static int compare_ids(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static pawl_status poll_repository(struct poll *poll, struct pawl_error *err) {
  static const char *const states[] = {"queued", "in_progress"};
  const double asked = pawl_wake_now();
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text url = {0};
  poll->run_count = poll->job_count = 0;
  for (size_t i = 0; i < 2; i++) {
    pawl_text_clear(&url);
    pawl_text_printf(&url, "%s/repos/%s/actions/runs?status=%s&per_page=100", poll->api.data,
                     poll->repository, states[i]);
    PAWL_TRY(each_row(poll, url.data, "workflow_runs", poll_take_run, err));
  }
  for (size_t i = 0; i < poll->run_count; i++) {
    pawl_text_clear(&url);
    pawl_text_printf(&url, "%s/repos/%s/actions/runs/%lld/jobs?per_page=100", poll->api.data,
                     poll->repository, (long long)poll->runs[i]);
    PAWL_TRY(each_row(poll, url.data, "jobs", take_job, err));
  }
  if (poll->job_count) qsort(poll->jobs, poll->job_count, sizeof *poll->jobs, compare_ids);
  struct pawl_wake *wake = poll->wake;
  size_t finished = 0;
  pthread_mutex_lock(&wake->lock);
  const enum pawl_status_code status =
      pawl_queue_missing(&wake->queue, poll->repository, poll->jobs, poll->job_count, asked,
                         pawl_wake_now(), &finished, err);
  if (finished) pthread_cond_broadcast(&wake->changed);
  pthread_mutex_unlock(&wake->lock);
  atomic_fetch_add(&wake->metrics.recovered, finished);
  return status;
}

/* --- all repositories of an owner --- */

static void forget_names(struct poll *poll) {
  for (size_t i = 0; i < poll->name_count; i++) pawl_text_clear(&poll->names[i]);
  poll->name_count = 0;
}

/* Takes a repository that can have jobs. Its name goes into paths, so it must be a plain one. */
static pawl_status poll_take_name(struct poll *poll, const json_t *row, struct pawl_error *err) {
  const char *name = json_string_value(json_object_get(row, "full_name"));
  if (!name)
    return pawl_fail(err, PAWL_PROTOCOL, "the code host's list has a row without 'full_name'");
  if (strncasecmp(name, poll->owner, strlen(poll->owner)) != 0 ||
      json_is_true(json_object_get(row, "archived")) ||
      json_is_true(json_object_get(row, "disabled")))
    return PAWL_OK;
  if (!pawl_wake_config_is_repository(name))
    return pawl_fail(err, PAWL_PROTOCOL, "the code host's list has an impossible 'full_name'");
  if (poll->name_count == MOST_REPOSITORIES)
    return pawl_fail(
        err, PAWL_CONFIG,
        "'%s' has more than %d repositories: list the repositories with jobs in pawl-wake.yaml",
        poll->repository, MOST_REPOSITORIES);
  pawl_text_add(&poll->names[poll->name_count++], name);
  return PAWL_OK;
}

/* Lists an organisation's repositories that the token sees. Otherwise the owner is a user, whose
 * private repositories are only in the list of all that the token sees. */
static pawl_status list_names(struct poll *poll, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text url = {0};
  const int length = (int)strlen(poll->owner) - 1;
  pawl_text_printf(&url, "%s/orgs/%.*s/repos?per_page=100", poll->api.data, length, poll->owner);
  enum pawl_status_code status = each_row(poll, url.data, NULL, poll_take_name, err);
  if (status == PAWL_NO_INPUT) {
    forget_names(poll);
    pawl_text_clear(&url);
    pawl_text_printf(&url, "%s/user/repos?per_page=100", poll->api.data);
    status = each_row(poll, url.data, NULL, poll_take_name, err);
  }
  if (status != PAWL_OK) return status;
  if (poll->name_count) return PAWL_OK;
  return pawl_fail(err, PAWL_UNAVAILABLE, "the token sees no repository of '%s'", poll->repository);
}

static pawl_status poll_owner(struct poll *poll, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text owner = {0};
  pawl_text_add_bytes(&owner, poll->repository, strlen(poll->repository) - 1);
  poll->owner = owner.data;
  enum pawl_status_code status = list_names(poll, err);
  const size_t count = status == PAWL_OK ? poll->name_count : 0;
  for (size_t i = 0; i < count; i++) {
    /* A failure does not stop the poll of the other repositories. The first one is the result. */
    struct pawl_error failure = {0};
    poll->repository = poll->names[i].data;
    if (poll_repository(poll, &failure) != PAWL_OK && status == PAWL_OK)
      status = pawl_fail(err, failure.code, "%s", failure.message);
  }
  forget_names(poll);
  return status;
}

pawl_status pawl_wake_poll(struct pawl_wake *wake, struct pawl_error *err) {
  const char *given = wake->config->api_url ? wake->config->api_url : getenv("GITHUB_API_URL");
  struct poll poll = {.wake = wake};
  enum pawl_status_code status = PAWL_OK;
  pawl_text_add(&poll.api, given && *given ? given : DEFAULT_API);
  while (pawl_ends_with(poll.api.data, "/")) poll.api.data[--poll.api.length] = '\0';
  atomic_fetch_add(&wake->metrics.polls, 1);
  for (size_t i = 0; i < wake->config->repositories.count; i++) {
    poll.repository = wake->config->repositories.items[i];
    struct pawl_error failure = {0};
    const bool all = pawl_ends_with(poll.repository, "/*");
    if ((all ? poll_owner(&poll, &failure) : poll_repository(&poll, &failure)) == PAWL_OK ||
        status != PAWL_OK)
      continue;
    status = pawl_fail(err, failure.code, "%s", failure.message);
  }
  pawl_text_clear(&poll.api);
  pawl_free(poll.runs);
  pawl_free(poll.jobs);
  if (status != PAWL_OK) atomic_fetch_add(&wake->metrics.polls_failed, 1);
  if (status == PAWL_OK) atomic_store(&wake->metrics.last_poll, (int64_t)pawl_wake_now());
  return status;
}
