/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the pages of a repository on its code host. */
#pragma once

#include "base/memory.h"

/* Returns the page of a remote's repository, as "https://github.com/owner/name" for
 * git@host:owner/name.git, ssh://git@host:22/owner/name and https://user@host/owner/name.git.
 * Returns NULL if there is no page, the remote is a folder, or its address has a character that
 * cannot stand in a link. A user name or password never comes along. */
const char *pawl_remote_page(const char *remote, struct pawl_arena *arena);

/* Where a commit and a pull request have their pages: the digits or the number follow. Each host
 * spells it in its own way. */
struct pawl_remote_links {
  const char *commit, *pull; /* NULL: unknown */
};
struct pawl_remote_links pawl_remote_links(const char *remote, struct pawl_arena *arena);
/* Does the same for `origin` of the repository around a folder. */
struct pawl_remote_links pawl_remote_links_of(const char *folder, struct pawl_arena *arena);
