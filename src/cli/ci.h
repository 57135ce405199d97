/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of `pawl ci`: what the steps of a workflow run, on any code host. */
#ifndef PAWL_CLI_CI_H
#define PAWL_CLI_CI_H

#include "cli/command.h"
#include "forge/forge.h"

struct pawl_ci {
  struct pawl_cli *cli;
  struct pawl_forge forge;
  const char *suite_folder, *output; /* of pawl.yaml, and perf/out below it */
  const char *from;                  /* the downloaded artifacts */
  const char *shard, *name, *id, *token_file;
  const char *by; /* how the baseline gets to the default branch: push or pull-request; NULL: by the
                     environment */
  const char *kernel, *case_name, *case_names, *budget; /* of a tuning */
};

/* Whether this job runs on GitLab; on GitHub, Forgejo or Gitea. Neither: on a machine of a
 * developer. */
bool pawl_ci_on_gitlab(void);
bool pawl_ci_on_github(void);
/* Reads where the job runs and what it is about. The token is taken out of the environment. */
pawl_status pawl_ci_read_forge(struct pawl_ci *ci, struct pawl_error *err);

/* The code of the change can read all that its machine holds, so that it must hold no token that
   writes: PAWL_NOT_PERMITTED. */
pawl_status pawl_ci_refuse_tokens(struct pawl_error *err);

/* Decides what to measure and hands on `measure` and `shards`; opens the check run of a change that
 * is measured. */
enum pawl_status_code pawl_ci_plan(struct pawl_ci *ci, struct pawl_error *err);
/* The whole loop, on a machine without a token that writes; on the default branch it moves the
 * baseline. */
enum pawl_status_code pawl_ci_measure(struct pawl_ci *ci, struct pawl_error *err);
/* Joins the parts, closes the check run and keeps the comment: whatever failed, the check run is
 * closed last. */
enum pawl_status_code pawl_ci_report(struct pawl_ci *ci, struct pawl_error *err);
/* Commits what the parts moved in the baseline. */
enum pawl_status_code pawl_ci_baseline(struct pawl_ci *ci, struct pawl_error *err);
/* Searches for better parameters; proposes those that another job found in a draft pull request. */
enum pawl_status_code pawl_ci_tune(struct pawl_ci *ci, struct pawl_error *err);
enum pawl_status_code pawl_ci_propose(struct pawl_ci *ci, struct pawl_error *err);

#endif
