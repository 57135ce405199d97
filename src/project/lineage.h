/* SPDX-License-Identifier: Apache-2.0 */
/* Where the working tree stands in history: what it is judged against, and by whose rules. */
#ifndef PAWL_PROJECT_LINEAGE_H
#define PAWL_PROJECT_LINEAGE_H

#include "project/project.h"

struct pawl_lineage {
  const char *main_branch; /* "origin/main"; NULL: there is none */
  const char *merge_base;  /* with main, 40 hex digits; HEAD itself on main; NULL: unknown */
  bool on_main;            /* HEAD is part of main: it may record baselines */
};

/* main is $GITHUB_BASE_REF, else what origin/HEAD names, else origin/main, origin/master, main or
 * master. */
pawl_status pawl_lineage_read(const struct pawl_git *git, struct pawl_arena *arena,
                              struct pawl_lineage *out, struct pawl_error *err);

/* Makes the merge base's suite the judge: gate, cases, checks, measurement and operators come from
   there; sources, flags and parameters of the kernels stay the working tree's. Cases and checks
   that only the working tree has are kept: they have no base. Every difference is put into
   `notices`. */
pawl_status pawl_lineage_adopt_policy(struct pawl_project *project,
                                      const struct pawl_lineage *lineage,
                                      struct pawl_strings *notices, struct pawl_error *err);

/* Whether a loss that this tree accepts counts in `pawl run`: on main, or by the merge base's
 * `accept`. */
pawl_status pawl_lineage_accepts(const struct pawl_project *project, bool *out,
                                 struct pawl_error *err);

/* The suite as it is at `commit`, in a git worktree below .pawl/worktrees, opened once a run.
   PAWL_NO_INPUT when the commit is not to be had (it is fetched from origin if need be),
   PAWL_CONFIG when its pawl.yaml cannot be read. */
pawl_status pawl_lineage_tree(struct pawl_project *project, const char *commit,
                              struct pawl_project **out, struct pawl_error *err);

/* The text of a file of the suite's folder at `commit`; PAWL_NO_INPUT when it has none. */
pawl_status pawl_lineage_file(const struct pawl_places *places, const struct pawl_git *git,
                              const char *commit, const char *name, const char **text,
                              size_t *length, struct pawl_error *err);

#endif
