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
  struct pawl_strings beside; /* paths below `tree` that the process sees in addition */
  struct pawl_strings hidden; /* folders that the process never sees */
  /* Paths that the suite names in measure.files, and those of its interpreters. */
  struct pawl_strings allowed;
  /* Pairs of a program's name and the file that it starts, where a wrapper finds the file. */
  struct pawl_strings programs;
  const char *pawl_home; /* pawl's own files */
  const char *user_home; /* NULL: unknown */
};
