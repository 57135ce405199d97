/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the workflows of a repository from templates, pawl.yaml and git. */
#pragma once

#include "forge/bundle.h"
#include "forge/suite_paths.h"

struct pawl_workflow_setup {
  const char *root;  /* the repository, absolute, without links */
  const char *below; /* pawl.yaml's folder below the root: "" or "bench/" */
  const char *branch;
  const char *remote; /* the address of origin, or NULL */
  const char *page;   /* the repository's page, "https://github.com/owner/name"; NULL: unknown */
  struct pawl_bundle bundle; /* the caller fills it in; without it, the runners have pawl */
  struct pawl_suite_paths paths;
  bool has_server; /* the suite keeps its history on a server, which outlasts a job */
  bool has_gpu;    /* a kernel or a reference runs on a GPU */
  bool on_gitea;   /* the caller says so: the files of Forgejo lie in .gitea */
};

/* Reads the working tree around the suite. The default branch is origin's, else main or master if
 * it exists, else the current one. Fails with PAWL_CONFIG if no workflow can name a path of the
 * suite. */
pawl_status pawl_workflow_setup_read(const char *suite_path, struct pawl_arena *arena,
                                     struct pawl_workflow_setup *out, struct pawl_error *err);

/* Fills in the files of a template folder and writes them to the root, with a leading "." for
 * "dot.". "@PATHS@" becomes one line for each file. "@MEASURE@" and "@ACTION@" name the default
 * branch if the page is known, else the same commit. The other words name the branch, the bundle,
 * the folder and the machine that measures; "# @CPU@" begins a line for suites without a GPU. A
 * file that is there stays. The lists are relative to the root. */
struct pawl_workflow_files {
  struct pawl_strings written, kept;
  /* workflows that are in the way: a file with the name of a template that is not pawl's, or a
   * workflow with the other ending, which the host runs too */
  struct pawl_strings other;
};
pawl_status pawl_workflow_files_write(const struct pawl_workflow_setup *setup,
                                      const char *templates, struct pawl_arena *arena,
                                      struct pawl_workflow_files *out, struct pawl_error *err);

/* Returns whether .gitlab-ci.yml below the root names PAWL_GITLAB_JOBS, the file with the jobs that
 * the templates wrote. */
#define PAWL_GITLAB_JOBS ".gitlab/pawl.yml"
bool pawl_gitlab_includes_jobs(const char *root);

/* Returns the labels that a workflow's environment has for an absent variable of the repository,
 * "NAME: ${{ vars.NAME || 'LABELS' }}", or NULL. */
const char *pawl_workflow_default(const char *text, const char *variable, struct pawl_arena *arena);

/* Returns the first file that the text of a workflow does not name; NULL: it names all. */
const char *pawl_workflow_lacks(const char *text, const struct pawl_suite_paths *paths);
