/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the repository for a build: the files that git knows or would add. For a build command
 * all of them have one time. So neither times nor files that git ignores tell the base from the
 * change. With namespaces the command's root folder has the copies. Without them, commands
 * and compilers have copies in a new folder, whose name says nothing, and what they write there
 * ends with them: docs/adr/sandboxed-builds.md. */
#pragma once

#include <sys/types.h>

#include "build/box.h"

/* A larger tree stays where it is, because each start of a build or a worker would copy it. */
#define PAWL_COPIED_FILES 2000
#define PAWL_COPIED_BYTES ((off_t)32 << 20)

struct pawl_tree_copy {
  const char *folder; /* the new folder; NULL: none, with namespaces or of a large tree */
  /* the views of the box; the copies take the place of the tree */
  const struct pawl_sandbox_view *views;
  size_t view_count;
};

/* Makes no copies if the box wants none or if the tree is too large. Compilers have copies with
 * their times, and so has a tree that git does not know, of all its files. Fails with
 * PAWL_CANNOT_WRITE. All text is in the arena. */
pawl_status pawl_tree_copy_make(struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                                struct pawl_arena *arena, struct pawl_error *err);
/* Returns our path as the command finds it. */
const char *pawl_tree_copy_path(const struct pawl_tree_copy *copy, const struct pawl_build_box *box,
                                const char *path, struct pawl_arena *arena);
/* Returns a sentence about a path that git ignores and whose name is in the words of a failed
 * build, or NULL. */
const char *pawl_tree_ignored(const struct pawl_build_box *box, const char *words,
                              struct pawl_arena *arena);
void pawl_tree_copy_remove(struct pawl_tree_copy *copy); /* for PAWL_CLEANUP */
