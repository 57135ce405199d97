/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the working tree's base in history and the rules that judge it. */
#pragma once

#include "project/project.h"

struct pawl_change_base {
  const char *main_branch; /* for example "origin/main"; NULL: there is none */
  const char *merge_base;  /* 40 hex digits; HEAD itself on main; NULL: unknown */
  bool on_main;            /* HEAD is part of main: it may record baselines */
  /* the change's own suite, if the base's gate lets a change accept losses; it removes the cases
   * and checks that it lacks; NULL: a change removes nothing */
  const struct pawl_suite *change;
};

/* Reads the change_base. main is $GITHUB_BASE_REF of origin if that is set; else the first that
 * exists of the target of origin/HEAD, origin/main, origin/master, main and master. Fails with
 * PAWL_CONFIG if this repository does not have the branch of $GITHUB_BASE_REF. */
pawl_status pawl_change_base_read(const struct pawl_git *git, struct pawl_arena *arena,
                                  struct pawl_change_base *out, struct pawl_error *err);

/* Makes the merge base's suite the judge. Its gate, cases, checks, measurement and operators apply.
   The working tree keeps its sources, flags and parameters, and the cases and checks that have no
   base. `notices` gets every difference. Fills in change_base->change. */
pawl_status pawl_change_base_adopt_policy(struct pawl_project *project,
                                          struct pawl_change_base *change_base,
                                          struct pawl_strings *notices, struct pawl_error *err);

/* Sets *out if `pawl run` counts a loss that this tree accepts: on main always, else by the merge
 * base's `accept`. */
pawl_status pawl_change_base_accepts(struct pawl_project *project, bool *out,
                                     struct pawl_error *err);

/* Opens the suite of `commit` in a git worktree below .pawl/worktrees, once a run. Fetches a
 * missing commit from origin. Fails with PAWL_NO_INPUT if pawl cannot get the commit, and with
 * PAWL_CONFIG if pawl cannot read its pawl.yaml. */
pawl_status pawl_change_base_tree(struct pawl_project *project, const char *commit,
                                  struct pawl_project **out, struct pawl_error *err);

/* Reads a file of the suite's folder at `commit`. Fails with PAWL_NO_INPUT if it is absent. */
pawl_status pawl_change_base_file(const struct pawl_paths *paths, const struct pawl_git *git,
                                  const char *commit, const char *name, const char **text,
                                  size_t *length, struct pawl_error *err);
