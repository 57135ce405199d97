/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of `pawl ci`, which workflow steps run on any code host. */
#pragma once

#include "cli/command.h"
#include "forge/forge.h"

struct pawl_ci {
  struct pawl_cli *cli;
  struct pawl_forge forge;
  const char *suite_folder, *output; /* pawl.yaml's folder, and perf/out below it */
  const char *from;                  /* the downloaded artifacts */
  const char *shard, *name, *id, *token_file;
  /* The way of the baseline to the default branch: push or pull-request; NULL: by the
     environment. */
  const char *by;
  const char *kernel, *case_name, *case_names, *budget; /* options of a tuning */
};

/* Return whether this job runs on GitLab, or on GitHub, Forgejo or Gitea. Both are false on a
 * developer's machine. */
bool pawl_ci_on_gitlab(void);
bool pawl_ci_on_github(void);
/* Reads the job's place and subject, and removes the token from the environment. */
pawl_status pawl_ci_read_forge(struct pawl_ci *ci, struct pawl_error *err);

/* Fails with PAWL_NOT_PERMITTED if the environment has a token that can write, which the code of
 * the change could read. */
pawl_status pawl_ci_refuse_tokens(struct pawl_error *err);

/* Adds "NAME=VALUE" to the job's outputs, or prints it if there is no output file. */
pawl_status pawl_ci_hand_on(const char *name, const char *value, struct pawl_error *err);

/* Decides what to measure, passes on `measure` and `shards`, and opens the check run of a measured
   change. */
enum pawl_status_code pawl_ci_plan(struct pawl_ci *ci, struct pawl_error *err);
/* Runs the whole loop on a machine without a token that can write. On the default branch it moves
   the baseline. */
enum pawl_status_code pawl_ci_measure(struct pawl_ci *ci, struct pawl_error *err);
/* Proves on a machine without a GPU that a change alters no machine code, and passes on `measure`:
   false if the verdict in the output stands without a measurement. Else it is true, there is no
   output, and the machine with the GPU decides. */
enum pawl_status_code pawl_ci_prove(struct pawl_ci *ci, struct pawl_error *err);
/* Joins the shards, keeps the comment current and closes the check run last, even after a
   failure. */
enum pawl_status_code pawl_ci_report(struct pawl_ci *ci, struct pawl_error *err);
/* Commits the shards' moves of the baseline. */
enum pawl_status_code pawl_ci_baseline(struct pawl_ci *ci, struct pawl_error *err);
/* `tune` searches for better parameters. `propose` opens a draft pull request with another job's
   result. */
enum pawl_status_code pawl_ci_tune(struct pawl_ci *ci, struct pawl_error *err);
enum pawl_status_code pawl_ci_propose(struct pawl_ci *ci, struct pawl_error *err);
/* Searches for the commit behind the newest loss of the history that nobody has noted anything on,
 * and notes it there. */
enum pawl_status_code pawl_ci_bisect(struct pawl_ci *ci, struct pawl_error *err);
/* Keeps an issue for each change of the history that needs a person. */
enum pawl_status_code pawl_ci_issues(struct pawl_ci *ci, struct pawl_error *err);
/* Makes ready what every action of the command line needs. */
void pawl_ci_prepare(struct pawl_ci *ci, struct pawl_cli *cli);
