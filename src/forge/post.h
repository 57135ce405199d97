/* SPDX-License-Identifier: Apache-2.0 */
/* What is posted: the report as a comment, a check run, a commit status, a step's summary,
   annotations. Each can be repeated: what is there already is edited, not added again. */
#ifndef PAWL_FORGE_POST_H
#define PAWL_FORGE_POST_H

#include "forge/forge.h"
#include "model/suite.h"
#include "record/stored_run.h"

/* Who commits where git names nobody. */
#define PAWL_FORGE_BOT_NAME "github-actions[bot]"
#define PAWL_FORGE_BOT_EMAIL "41898282+github-actions[bot]@users.noreply.github.com"

/* What is said of a run. */
struct pawl_forge_report {
  const struct pawl_stored_run *verdict; /* NULL: none that can be posted */
  const char *why;     /* there is none: in one line, text from outside; NULL: unknown */
  bool cancelled;      /* there is none because the run was cancelled */
  const char *nothing; /* there is none because there was nothing to measure: why; else NULL */
  bool unasked;        /* nothing was measured because nobody asked for it */
};

/* The report in Markdown, at most `limit` bytes: what does not fit is left out by whole sections,
   and a line says which. Written from the verdict again; nothing of report.md is used. */
void pawl_forge_body(const struct pawl_forge *forge, const struct pawl_stored_run *verdict,
                     size_t limit, struct pawl_text *out);
/* The body of a run without a verdict: why, and the link. */
void pawl_forge_no_verdict_body(const struct pawl_forge *forge,
                                const struct pawl_forge_report *report, struct pawl_text *out);
/* "regression: 2 slower, 2 unchanged", at most 140 bytes, plain text without anything from outside.
 */
const char *pawl_forge_title(const struct pawl_forge_report *report, char out[140]);

/* One comment, found by its marker over all pages and edited in place; a new one when the verdict
   turns to failed, since edits notify nobody. Without a verdict, one that is there says so. `id`
   tells several suites apart: [A-Za-z0-9_-]. */
pawl_status pawl_forge_comment(struct pawl_forge *forge, const struct pawl_forge_report *report,
                               const char *id, struct pawl_error *err);

/* The name of the account that the token is of. */
pawl_status pawl_forge_own_login(struct pawl_forge *forge, const char **login,
                                 struct pawl_error *err);
/* PAWL_USAGE: not such an id. */
pawl_status pawl_forge_check_id(const char *id, struct pawl_error *err);

/* The check run `name` on the head: opened as in progress, so that a runner that dies leaves a
   visible failure behind; closed with the verdict, the report and the annotations. Where the token
   cannot create check runs (403, 404), a commit status says the same in short. What a fork measured
   and what is inconclusive needs a person: "action_required", which a required check does not let
   pass. A run without a verdict failed or was cancelled. */
pawl_status pawl_forge_check_begin(struct pawl_forge *forge, const char *name,
                                   struct pawl_error *err);
pawl_status pawl_forge_check_end(struct pawl_forge *forge, const struct pawl_forge_report *report,
                                 const struct pawl_suite *suite, const char *name,
                                 struct pawl_error *err);
/* Opens and closes the check run of a change that is not measured, so that a rule that requires the
   check lets it pass. `report->nothing` says why. */
pawl_status pawl_forge_check_pass(struct pawl_forge *forge, const struct pawl_forge_report *report,
                                  const char *name, struct pawl_error *err);
/* Closes the check run of this run without a verdict if it is there and open: nobody else will. */
pawl_status pawl_forge_check_settle(struct pawl_forge *forge,
                                    const struct pawl_forge_report *report, const char *name,
                                    struct pawl_error *err);

/* The verdict as a commit status of GitLab, which is an entry of the commit's pipeline. */
pawl_status pawl_forge_gitlab_status(struct pawl_forge *forge,
                                     const struct pawl_forge_report *report, const char *name,
                                     struct pawl_error *err);

/* Into the file that GITHUB_STEP_SUMMARY names, in place of what was written there before.
 * PAWL_USAGE: no such file. */
pawl_status pawl_forge_summary(struct pawl_forge *forge, const struct pawl_stored_run *verdict,
                               struct pawl_error *err);

/* A finding at a place of the source. */
struct pawl_annotation {
  bool is_error; /* else a warning */
  const char *path;
  int line;
  const char *title, *message;
};
/* Errors first, in the arena. `suite` says which source is a kernel's (NULL: pawl.yaml stands for
   all); no path of the run's output is used that is not one of the suite's sources. */
struct pawl_annotation *pawl_forge_annotations(const struct pawl_stored_run *verdict,
                                               const struct pawl_suite *suite,
                                               struct pawl_arena *arena, size_t *count);
/* As workflow commands; GitHub shows 10 errors and 10 warnings of a step, so no more are written
 * but a last line. */
void pawl_forge_workflow_commands(const struct pawl_annotation *annotations, size_t count,
                                  struct pawl_text *out);

/* A draft pull request from `branch`, or the open one from it brought up to date. */
pawl_status pawl_forge_open_pull_request(struct pawl_forge *forge, const char *branch,
                                         const char *base, const char *title, const char *body,
                                         struct pawl_error *err);

/* Commits what the parts of a run moved in perf/baseline.json of `folder` to `branch` of origin, in
   a commit of its own, and nothing else. `parts`: the baseline files that they left, at least one.
   When others pushed meanwhile their moves are kept and ours put on top: the faster of two entries
   stays. `by_pull_request`: the commit goes to a branch of its own, from which a draft pull request
   is opened. PAWL_NOT_PERMITTED: the job is about a pull request, or the branch is protected.
   PAWL_TRY_AGAIN: lost every race. */
#define PAWL_FORGE_BASELINE_BRANCH "pawl-baseline"
pawl_status pawl_forge_push_baseline(struct pawl_forge *forge, const char *folder,
                                     char *const *parts, int count, const char *branch,
                                     bool by_pull_request, struct pawl_error *err);

#endif
