/* SPDX-License-Identifier: Apache-2.0 */
/* A code host seen from a job that runs on it: GitHub, GitHub Enterprise, and Forgejo and Gitea,
   whose API follows it. Everything that says where to write comes from the runner (environment and
   event file), never from a run's output. */
#pragma once

#include "base/json.h"
#include "base/log.h"
#include "net/http.h"

#define PAWL_FORGE_BODY_LIMIT \
  ((size_t)65535) /* bytes of a comment or a check's text; the limit is in characters */
#define PAWL_FORGE_LABEL "benchmark"
#define PAWL_FORGE_SUMMARY_LIMIT ((size_t)1 << 20) /* bytes of a step's summary */

struct pawl_forge {
  struct pawl_arena *arena;
  struct pawl_log *log;
  struct pawl_http_policy http;
  /* Sends and asks nothing. It prints the requests, as if the host had no comment or check yet. */
  bool dry_run;
  const char *token;      /* NULL: none */
  const char *api_url;    /* without a final slash */
  const char *server_url; /* for links */
  const char *repository; /* "owner/name" */
  const char *event_name; /* "pull_request", "workflow_run", "push"; "" outside a workflow */
  const char *sha;        /* the head's commit, 40 or 64 hexadecimal digits; NULL: unknown */
  const char *default_branch;
  const char *ref;         /* "refs/heads/main"; NULL: unknown */
  const char *action;      /* the event's action: "opened", "labeled", "completed"; NULL: none */
  const char *added_label; /* the label of a "labeled" event; else NULL */
  const char *base_sha; /* the base of a pull request or merge group at this event; NULL: unknown */
  bool has_new_base;    /* "edited" gave the pull request another base */
  bool is_deletion;     /* the push deleted its branch */
  const char *run_conclusion; /* how a workflow run ended: "success", "cancelled"; NULL: no end */
  bool has_label;             /* the pull request has the label PAWL_FORGE_LABEL */
  const char *run_url;        /* the workflow run that measured; NULL: unknown */
  const char *run_key;        /* "123.1": the run and its attempt; "local" outside a workflow */
  long long number;           /* the number of the event's pull request; 0: another event */
  const char *head_owner, *head_repository,
      *head_branch; /* where the change comes from; NULL: unknown */
  bool is_pull_request, is_fork;
  bool follows_github; /* Forgejo or Gitea: no check runs, other rules on who wrote a comment */
  bool is_gitlab;      /* `repository` is the project's number */
};

/* Reads GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_SERVER_URL, GITHUB_EVENT_NAME, GITHUB_EVENT_PATH,
   GITHUB_SHA, GITHUB_REF, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT. The token is taken from `token_file`,
   else GITHUB_TOKEN, else GH_TOKEN; both are then removed from the environment, so that no child
   gets them. PAWL_USAGE: what is missing; PAWL_BAD_DATA: the event file. `forge` keeps arena, log,
   http and dry_run as they are. */
pawl_status pawl_forge_read(struct pawl_forge *forge, const char *token_file,
                            struct pawl_error *err);

/* The same for a job of GitLab CI: CI_API_V4_URL, CI_PROJECT_ID, CI_COMMIT_SHA, CI_PROJECT_URL,
   CI_JOB_ID, CI_DEFAULT_BRANCH, CI_COMMIT_BRANCH and, of a merge request, CI_MERGE_REQUEST_IID and
   the two projects; the token is GITLAB_TOKEN. */
pawl_status pawl_forge_read_gitlab(struct pawl_forge *forge, const char *token_file,
                                   struct pawl_error *err);
/* The token of `file`, else of the environment's `first`, else of `second` (may be NULL); removes
   both from the environment. NULL when there is none. */
pawl_status pawl_forge_take_token(struct pawl_arena *arena, const char *file, const char *first,
                                  const char *second, const char **token, struct pawl_error *err);

/* One call of the API below /repos/{owner}/{name}, or below the API itself if `path` starts with
 * "//". `body` may be NULL. An answer in the 200s is PAWL_OK, 401 and 403 are PAWL_NOT_PERMITTED,
 * 404 is PAWL_NO_INPUT, 429 and 5xx are PAWL_TRY_AGAIN, all others are PAWL_PROTOCOL with the
 * server's words. status is the server's in each case; 0: no answer. `answer` (a new reference, may
 * be NULL) is JSON or PAWL_PROTOCOL. */
struct pawl_forge_call {
  const char *method, *path;
  const json_t *body;
  bool repeatable; /* as in struct pawl_http_request */
};
pawl_status pawl_forge_send(struct pawl_forge *forge, const struct pawl_forge_call *call,
                            long *status, json_t **answer, struct pawl_error *err);
/* All pages of a list, joined: a new reference to an array. */
pawl_status pawl_forge_list(struct pawl_forge *forge, const char *path, json_t **out,
                            struct pawl_error *err);

/* Finds the job's pull requests: the one of its own event, else all open ones from the head's
 * repository and branch that are still at the head's commit. None if they have moved on.
 * PAWL_USAGE: the event is about no pull request. */
#define PAWL_FORGE_PULLS 20
struct pawl_forge_pulls {
  long long numbers[PAWL_FORGE_PULLS];
  size_t count;
};
pawl_status pawl_forge_pull_requests(struct pawl_forge *forge, struct pawl_forge_pulls *out,
                                     struct pawl_error *err);

/* *newer: the pull request has moved on from the commit of this job. False where the server does
   not know the pull request. */
pawl_status pawl_forge_has_newer_commit(struct pawl_forge *forge, long long number, bool *newer,
                                        struct pawl_error *err);

/* Waits before the code looks for a request that may have arrived and sends it again. Each attempt
 * (from 1) waits longer. */
void pawl_forge_pause(struct pawl_forge *forge, int attempt);
