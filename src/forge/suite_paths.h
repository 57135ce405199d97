/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files of a repository on which a suite's measurements depend, for the filters of a
 * workflow. */
#pragma once

#include "base/strings.h"
#include "model/suite.h"

/* Lists pawl.yaml, the sources, their includes and the files of protocol commands, sorted and
 * relative to `root` (absolute, without links). A submodule stands for its files. pawl reads
 * includes from the text, so it needs no compiler and counts every branch of the preprocessor. pawl
 * does not know which files a build command or a measured command reads. `whole` then says that
 * everything in the suite's folder counts. */
struct pawl_suite_paths {
  struct pawl_strings files;
  bool whole;
};
pawl_status pawl_suite_paths_find(const struct pawl_suite *suite, const char *root,
                                  struct pawl_arena *arena, struct pawl_suite_paths *out,
                                  struct pawl_error *err);

/* Finds where `folder` lies in the repository at `git_root`. *root is the repository without links,
 * *below is "" or "bench/"; both are in the arena. Fails with PAWL_BAD_DATA if it lies
 * elsewhere. */
pawl_status pawl_suite_below(const char *git_root, const char *folder, struct pawl_arena *arena,
                             const char **root, const char **below, struct pawl_error *err);
