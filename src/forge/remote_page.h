/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/memory.h"

/* The page of a remote's repository: "https://github.com/owner/name" of git@host:owner/name.git, of
   ssh://git@host:22/owner/name, of https://user@host/owner/name.git. NULL: it has none, or is a
   folder. */
const char *pawl_remote_page(const char *remote, struct pawl_arena *arena);
