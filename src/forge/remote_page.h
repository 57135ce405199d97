/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/memory.h"

/* Returns the page of a remote's repository, as "https://github.com/owner/name" for
 * git@host:owner/name.git, ssh://git@host:22/owner/name and https://user@host/owner/name.git.
 * Returns NULL if there is no page or the remote is a folder. */
const char *pawl_remote_page(const char *remote, struct pawl_arena *arena);
