/* SPDX-License-Identifier: Apache-2.0 */
/* A job's facts, and calls of its code host: GitHub, GitHub Enterprise, Forgejo, Gitea or GitLab.
 * The runner's environment and event file say where to write, never a run's output. */
#pragma once

#include "base/json.h"
#include "base/log.h"
#include "net/http.h"

/* bytes of a comment or a check's text; the hosts count characters */
#define PAWL_FORGE_BODY_LIMIT ((size_t)65535)
#define PAWL_FORGE_LABEL "benchmark"
#define PAWL_FORGE_SUMMARY_LIMIT ((size_t)1 << 20) /* bytes of a step's summary */

struct pawl_forge {
  struct pawl_arena *arena;
  struct pawl_log *log;
  struct pawl_http_policy http;
  /* sends nothing: prints the requests, as if the host had no comment or check yet */
  bool dry_run;
  const char *token;   /* NULL: none */
  const char *api_url; /* without a final slash */
  const char *server_url;
  const char *repository; /* "owner/name" */
  const char *event_name; /* "pull_request", "workflow_run", "push"; "" outside a workflow */
  const char *sha;        /* the head's commit, 40 or 64 hexadecimal digits; NULL: unknown */
  const char *default_branch;
  const char *ref;         /* "refs/heads/main"; NULL: unknown */
  const char *action;      /* the event's action: "opened", "labeled", "completed"; NULL: none */
  const char *added_label; /* the label of a "labeled" event; else NULL */
  const char *base_sha; /* the base of a pull request or merge group at this event; NULL: unknown */
  bool has_new_base;    /* the event "edited" gave the pull request another base */
  bool is_deletion;     /* the push deleted its branch */
  /* how a workflow run ended: "success", "cancelled"; NULL: it did not end */
  const char *run_conclusion;
  bool has_label;      /* the pull request has the label PAWL_FORGE_LABEL */
  const char *run_url; /* the workflow run that measured; NULL: unknown */
  const char *run_key; /* "123.1": the run and its attempt; "local" outside a workflow */
  long long number;    /* the event's pull request; 0: another event */
  /* where the change comes from; NULL: unknown */
  const char *head_owner, *head_repository, *head_branch;
  bool is_pull_request, is_fork;
  /* Forgejo or Gitea: no check runs, and other rules for who wrote a comment */
  bool follows_github;
  bool is_gitlab; /* `repository` is the project's number */
};

/* Reads GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_SERVER_URL, GITHUB_EVENT_NAME, GITHUB_EVENT_PATH,
 * GITHUB_SHA, GITHUB_REF, GITHUB_RUN_ID and GITHUB_RUN_ATTEMPT, and the token as
 * pawl_forge_take_token does with GITHUB_TOKEN and GH_TOKEN. `forge` keeps arena, log, http and
 * dry_run. PAWL_USAGE names the missing variable. Fails with PAWL_BAD_DATA if the event file is not
 * valid. */
pawl_status pawl_forge_read(struct pawl_forge *forge, const char *token_file,
                            struct pawl_error *err);

/* Does the same for a job of GitLab CI with CI_API_V4_URL, CI_PROJECT_ID, CI_COMMIT_SHA,
 * CI_PROJECT_URL, CI_JOB_ID, CI_DEFAULT_BRANCH, CI_COMMIT_BRANCH and GITLAB_TOKEN. For a merge
 * request it also reads CI_MERGE_REQUEST_IID and the two projects. */
pawl_status pawl_forge_read_gitlab(struct pawl_forge *forge, const char *token_file,
                                   struct pawl_error *err);
/* Takes the token from `file`, else from the variable `first`, else from `second`; each may be
 * NULL. Removes both variables from the environment, so no child gets them. *token is NULL if there
 * is none. */
pawl_status pawl_forge_take_token(struct pawl_arena *arena, const char *file, const char *first,
                                  const char *second, const char **token, struct pawl_error *err);

/* Calls the API below /repos/{owner}/{name}, or below the API's root if `path` starts with "//".
 * `body` may be NULL. Returns PAWL_OK for a status in the 200s, PAWL_NOT_PERMITTED for 401 and 403,
 * PAWL_NO_INPUT for 404, and PAWL_TRY_AGAIN for 429 and 5xx. Every other status is PAWL_PROTOCOL
 * with the server's words, and so is an answer that is not JSON. *status is 0 without an answer.
 * *answer is a new reference; `answer` may be NULL. */
struct pawl_forge_call {
  const char *method, *path;
  const json_t *body;
  bool repeatable; /* as in struct pawl_http_request */
};
pawl_status pawl_forge_send(struct pawl_forge *forge, const struct pawl_forge_call *call,
                            long *status, json_t **answer, struct pawl_error *err);
/* Joins all pages of a list into an array, which is a new reference. */
pawl_status pawl_forge_list(struct pawl_forge *forge, const char *path, json_t **out,
                            struct pawl_error *err);

/* Finds the pull request of the job's event. Without one, finds all open pull requests from the
 * head's repository and branch that are still at the head's commit. Fails with PAWL_USAGE if the
 * event is about no pull request. */
#define PAWL_FORGE_PULLS 20
struct pawl_forge_pulls {
  long long numbers[PAWL_FORGE_PULLS];
  size_t count;
};
pawl_status pawl_forge_pull_requests(struct pawl_forge *forge, struct pawl_forge_pulls *out,
                                     struct pawl_error *err);

/* Sets *newer if the pull request has moved on from the commit of this job. *newer is false if the
 * server does not know the pull request. */
pawl_status pawl_forge_has_newer_commit(struct pawl_forge *forge, long long number, bool *newer,
                                        struct pawl_error *err);

/* Waits for a request that may have arrived before pawl looks for its effect and sends it again.
 * Each attempt (from 1) waits longer. */
void pawl_forge_pause(struct pawl_forge *forge, int attempt);
