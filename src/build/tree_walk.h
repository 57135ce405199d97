/* SPDX-License-Identifier: Apache-2.0 */
/* Visits all files below a folder, in no order. */
#pragma once

#include <stdbool.h>

struct pawl_tree_item {
  int folder;         /* an open descriptor of the item's folder */
  const char *name;   /* in that folder */
  const char *path;   /* from the root of the walk */
  unsigned char type; /* DT_REG, DT_DIR, DT_LNK ... of readdir(3); never DT_UNKNOWN */
};

/* Visits every file, folder and link below `root`. It follows no link. It does not enter a folder
 * whose absolute path is in `skipped` (NULL ends it). It enters a folder whose name begins with a
 * dot only if `hidden` is set, and never .git and .pawl. */
void pawl_tree_walk(const char *root, const char *const *skipped, bool hidden,
                    void (*visit)(void *context, const struct pawl_tree_item *item), void *context);

/* Returns whether such a walk, without `hidden`, visits the file at this absolute path, if it
 * exists. */
bool pawl_tree_visits(const char *root, const char *const *skipped, const char *path);
