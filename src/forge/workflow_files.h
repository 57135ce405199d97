/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the workflows of a repository from templates, pawl.yaml and git. */
#pragma once

#include "forge/bundle.h"
#include "forge/suite_paths.h"

struct pawl_workflow_setup {
  const char *root;   /* the repository, absolute, without links */
  const char *below;  /* pawl.yaml's folder below it: "", or "bench/" */
  const char *branch; /* the default branch */
  const char *remote; /* the address of origin; NULL: there is none */
  const char *page;   /* the repository's page, "https://github.com/owner/name"; NULL: unknown */
  struct pawl_bundle bundle; /* the caller fills it in; without it the runners have pawl */
  struct pawl_suite_paths paths;
};

/* Reads the working tree around the suite. The default branch is origin's, else main or master if
 * there is one, else the current one. PAWL_CONFIG: a path that no workflow can name. */
pawl_status pawl_workflow_setup_read(const char *suite_path, struct pawl_arena *arena,
                                     struct pawl_workflow_setup *out, struct pawl_error *err);

/* Writes the files of a template folder to the root, "dot." for a leading dot, filled in: "@PATHS@"
   as one line for each file, "@BRANCH@", "@MEASURE@" and "@ACTION@" (of the default branch where
   the page is known, else of the same commit), @BUNDLE_URL@, @BUNDLE_SHA256@, @BUNDLE_REPOSITORY@,
   @FOLDER@ and @BELOW@. A file that is there is kept. The lists are relative to the root. */
struct pawl_workflow_files {
  struct pawl_strings written, kept;
  /* Workflows that are in the way: of the name of a kept file, but not pawl's, or of the name with
     the other ending, which the host runs too. */
  struct pawl_strings other;
};
pawl_status pawl_workflow_files_write(const struct pawl_workflow_setup *setup,
                                      const char *templates, struct pawl_arena *arena,
                                      struct pawl_workflow_files *out, struct pawl_error *err);

/* Whether .gitlab-ci.yml below the root names PAWL_GITLAB_JOBS, the file with the jobs that the
 * templates wrote. */
#define PAWL_GITLAB_JOBS ".gitlab/pawl.yml"
bool pawl_gitlab_includes_jobs(const char *root);

/* Returns the first file that the text of a workflow does not name; NULL: it names all. */
const char *pawl_workflow_lacks(const char *text, const struct pawl_suite_paths *paths);
