/* SPDX-License-Identifier: Apache-2.0 */
/* Posts the report as a comment, a check run, a commit status, a step's summary or annotations. A
 * repeated post edits the earlier one and adds nothing. */
#pragma once

#include "forge/forge.h"
#include "model/suite.h"
#include "record/stored_run.h"

/* The author of commits if git has no name. */
#define PAWL_FORGE_BOT_NAME "github-actions[bot]"
#define PAWL_FORGE_BOT_EMAIL "41898282+github-actions[bot]@users.noreply.github.com"

struct pawl_forge_report {
  const struct pawl_stored_run *verdict; /* NULL: there is none that pawl can post */
  const char *why;     /* why there is no verdict, one line from outside pawl; NULL: unknown */
  bool cancelled;      /* there is no verdict because somebody cancelled the run */
  const char *nothing; /* why there was nothing to measure, or NULL */
  bool unasked;        /* nothing was measured because nobody asked for it */
};

/* Writes the report in Markdown from the verdict, at most `limit` bytes. If whole sections do not
 * fit, the body leaves them out and a line names them. The body contains nothing of report.md. */
void pawl_forge_body(const struct pawl_forge *forge, const struct pawl_stored_run *verdict,
                     size_t limit, struct pawl_text *out);
/* Writes the body of a run without a verdict: the reason and the link. */
void pawl_forge_no_verdict_body(const struct pawl_forge *forge,
                                const struct pawl_forge_report *report, struct pawl_text *out);
/* Returns plain text of at most 139 bytes without anything from outside: "regression: 2 slower, 2
 * unchanged". */
const char *pawl_forge_title(const struct pawl_forge_report *report, char out[140]);

/* Posts one comment. It finds an earlier comment by its marker over all pages and edits it. It
 * posts a new comment when the verdict turns to failed, because edits notify nobody. Without a
 * verdict it only edits. `id` tells several suites apart: [A-Za-z0-9_-]. */
pawl_status pawl_forge_comment(struct pawl_forge *forge, const struct pawl_forge_report *report,
                               const char *id, struct pawl_error *err);

/* Asks for the name of the token's account. */
pawl_status pawl_forge_own_login(struct pawl_forge *forge, const char **login,
                                 struct pawl_error *err);
/* Returns whether this account wrote a comment or an issue. Anybody can write pawl's hidden line.
 */
bool pawl_forge_is_ours(const json_t *post, const char *own_login);
/* Fails with PAWL_USAGE if `id` is not valid. */
pawl_status pawl_forge_check_id(const char *id, struct pawl_error *err);

/* Returns how a check run of the report concludes: "success", "neutral", "action_required",
 * "failure" or "cancelled". Statuses of other hosts follow from it. */
const char *pawl_forge_conclusion(const struct pawl_forge *forge,
                                  const struct pawl_forge_report *report);

/* Opens and closes the check run `name` on the head. It opens as in progress, so a runner that dies
 * leaves a visible failure. It closes with the verdict, the report and the annotations. If the
 * token cannot create check runs (403, 404), a commit status says the same in short. A fork's
 * measurement, an inconclusive verdict and one that needs a GPU end as "action_required", which a
 * required check does not let pass, because a person must decide. A run without a verdict is failed
 * or cancelled. */
pawl_status pawl_forge_check_begin(struct pawl_forge *forge, const char *name,
                                   struct pawl_error *err);
pawl_status pawl_forge_check_end(struct pawl_forge *forge, const struct pawl_forge_report *report,
                                 const struct pawl_suite *suite, const char *name,
                                 struct pawl_error *err);
/* Closes this run's open check run without a verdict, because nobody else will. */
pawl_status pawl_forge_check_settle(struct pawl_forge *forge,
                                    const struct pawl_forge_report *report, const char *name,
                                    struct pawl_error *err);

/* Posts the verdict as a commit status of GitLab, which is an entry of the commit's pipeline. A
 * conclusion that needs a person is "failed", because "Pipelines must succeed" lets "success" alone
 * pass. */
pawl_status pawl_forge_gitlab_status(struct pawl_forge *forge,
                                     const struct pawl_forge_report *report, const char *name,
                                     struct pawl_error *err);

/* Writes the report into the file that GITHUB_STEP_SUMMARY names, in place of pawl's earlier text.
 * Fails with PAWL_USAGE if the variable is not set. */
pawl_status pawl_forge_summary(struct pawl_forge *forge, const struct pawl_stored_run *verdict,
                               struct pawl_error *err);

/* A finding at a place of the source. */
struct pawl_annotation {
  bool is_error; /* else a warning */
  const char *path;
  int line;
  const char *title, *message;
};
/* Lists the findings in the arena, errors first. `suite` tells the source of each kernel; if it is
 * NULL, every finding is at pawl.yaml. A path from the run's output counts only if it is a source
 * of the suite. */
struct pawl_annotation *pawl_forge_annotations(const struct pawl_stored_run *verdict,
                                               const struct pawl_suite *suite,
                                               struct pawl_arena *arena, size_t *count);
/* Prints workflow commands. GitHub shows 10 errors and 10 warnings of a step. pawl prints no more,
 * and a last line counts the others. */
void pawl_forge_workflow_commands(const struct pawl_annotation *annotations, size_t count,
                                  struct pawl_text *out);

/* Opens a draft pull request from `branch`, or updates the open one. */
pawl_status pawl_forge_open_pull_request(struct pawl_forge *forge, const char *branch,
                                         const char *base, const char *title, const char *body,
                                         struct pawl_error *err);

/* Fails with PAWL_NOT_PERMITTED if the job is about a pull request or another branch, which do not
 * move the baseline. */
pawl_status pawl_forge_may_push_baseline(const struct pawl_forge *forge, const char *branch,
                                         struct pawl_error *err);
/* Commits the moves of a run's parts to perf/baseline.json of `folder` on `branch` of origin, and
 * nothing else. `parts` are the parts' baseline files, at least one. If others pushed meanwhile,
 * their moves stay, and the faster of two entries wins. With `by_pull_request` the commit goes to
 * its own branch, with a draft pull request. Fails with PAWL_NOT_PERMITTED if the branch is
 * protected, and with PAWL_TRY_AGAIN if others pushed first each time. */
#define PAWL_FORGE_BASELINE_BRANCH "pawl-baseline"
pawl_status pawl_forge_push_baseline(struct pawl_forge *forge, const char *folder,
                                     char *const *parts, int count, const char *branch,
                                     bool by_pull_request, struct pawl_error *err);
