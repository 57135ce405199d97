/* SPDX-License-Identifier: Apache-2.0 */
/* Orders the commits of the history by the repository: each comes after its parents, whatever their
 * dates say. This is git's corrected commit date (generation number 2). */
#pragma once

#include "store/store.h"

/* Asks git in `folder` for the commits that nobody has ordered yet, and for the default branch of
 * `origin`. Commits that git does not know keep their dates. If git is missing or the store is busy
 * or cannot be written, nothing happens, and the next caller tries again. */
void pawl_store_learn(struct pawl_store *store, const char *folder);
