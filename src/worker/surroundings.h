/* SPDX-License-Identifier: Apache-2.0 */
/* Names the files that a worker of a repository's code sees. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/strings.h"

struct pawl_surroundings;

/* The paths of a tree that git knows and ignores. pawl lists them for the first process that sees
 * the tree. Many runs start no process. */
struct pawl_tree_files {
  /* The paths below the tree that the process gets as copies. NULL: the process sees the folder
   * itself, because it is too large to copy, and its writes there end with it. */
  const char *const *copied;
  struct pawl_strings beside; /* submodules: paths that the process sees in addition */
  /* Paths that git ignores. Only the user's tree has them, so neither version sees them, except a
   * command, which may build there. */
  struct pawl_strings ignored;
  /* Sets the three above; NULL: git does not know the tree. */
  void (*list)(struct pawl_tree_files *files, const struct pawl_surroundings *around);
  struct pawl_arena arena; /* holds the paths */
  pthread_mutex_t lock;
  bool listed;
  struct pawl_tree_files *next; /* the files of other surroundings */
};

/* All paths but those below `tree` are absolute and without links. */
struct pawl_surroundings {
  const char *tree;              /* the top of the repository, or the suite's folder */
  struct pawl_tree_files *files; /* pawl_surroundings_files() */
  struct pawl_strings own;       /* pawl's own folders */
  struct pawl_strings hidden;    /* folders that the process never sees, among them pawl's own */
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

/* Returns the files of the tree. Any thread may ask. */
const struct pawl_tree_files *pawl_surroundings_files(const struct pawl_surroundings *around);
