/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a repository on which a suite's measurements depend: for the filters of a workflow.
 */
#pragma once

#include "base/strings.h"
#include "model/suite.h"

/* Lists pawl.yaml, the sources, their includes and the files of protocol commands, relative to
 * `root` (absolute, without links), sorted. A submodule stands for its files. pawl reads includes
 * from the text, so it needs no compiler and counts every branch of the preprocessor. It does not
 * know what a build command or a measured command reads: `whole` then says that everything in the
 * suite's folder counts. */
struct pawl_suite_paths {
  struct pawl_strings files;
  bool whole;
};
pawl_status pawl_suite_paths_find(const struct pawl_suite *suite, const char *root,
                                  struct pawl_arena *arena, struct pawl_suite_paths *out,
                                  struct pawl_error *err);

/* Where `folder` lies in the repository at `git_root`. *root: the repository without links. *below:
   the folder below it, "" or "bench/". Both are in the arena. PAWL_BAD_DATA: it lies elsewhere. */
pawl_status pawl_suite_below(const char *git_root, const char *folder, struct pawl_arena *arena,
                             const char **root, const char **below, struct pawl_error *err);
