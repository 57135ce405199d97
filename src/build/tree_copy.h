/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a build's command where the machine has no namespaces: a copy of the repository in a
 * new folder, whose name says nothing. So the command cannot tell the base's tree from the change's
 * by its path, and what it writes there ends with it: docs/adr/sandboxed-builds.md. */
#pragma once

#include <sys/types.h>

#include "build/box.h"

/* A larger tree stays where it is, because each start of a build or a worker would copy it. */
#define PAWL_COPIED_FILES 2000
#define PAWL_COPIED_BYTES ((off_t)32 << 20)

struct pawl_tree_copy {
  const char *folder; /* the copy; NULL: the command sees the tree itself */
  const struct pawl_sandbox_view
      *views; /* the views of the box; the copy takes the place of the tree */
  size_t view_count;
};

/* Copies the repository without git's and pawl's own folders, all other files and their times.
 * Makes no copy if the box wants none or the tree is too large for one. Fails with
 * PAWL_CANNOT_WRITE. All text is in the arena. */
pawl_status pawl_tree_copy_make(struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                                struct pawl_arena *arena, struct pawl_error *err);
/* Returns our path as the command finds it. */
const char *pawl_tree_copy_path(const struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                                const char *path, struct pawl_arena *arena);
void pawl_tree_copy_remove(struct pawl_tree_copy *copy); /* for PAWL_CLEANUP */
