/* SPDX-License-Identifier: Apache-2.0 */
/* Names the files that a worker of a repository's code sees. */
#pragma once

#include "base/strings.h"

/* All paths but those below `tree` are absolute and without links. */
struct pawl_surroundings {
  const char *tree; /* the top of the repository, or the suite's folder */
  /* The paths below `tree` that the process gets as copies. NULL: the process sees the folder
   * itself, because it is too large to copy, and its writes there end with it. */
  const char *const *copied;
  struct pawl_strings beside; /* submodules: paths below `tree` that the process sees in addition */
  /* Paths below `tree` that git ignores. Only the user's tree has them, so neither version sees
   * them, except a command, which may build there. */
  struct pawl_strings ignored;
  struct pawl_strings hidden; /* folders that the process never sees */
  /* Paths that the suite names in measure.files, and those of its interpreters. A path below
   * `user_tree` is seen in the tree. */
  struct pawl_strings allowed;
  struct pawl_strings inputs; /* the paths of measure.files alone */
  /* Pairs of a program's name and the file that it starts, where a wrapper finds the file. */
  struct pawl_strings programs;
  const char *user_tree; /* the user's tree, also for a worktree; its files are seen at `tree` */
  const char *pawl_home; /* pawl's own files */
  const char *user_home; /* NULL: unknown */
};
