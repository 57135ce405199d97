/* SPDX-License-Identifier: Apache-2.0 */
/* Files that git ignores, in builds by compilers. Only the user's tree has them, so they would tell
 * the change from the base. Compilers see none of them. If a build does not work without them, the
 * builds of both versions see those of the user's tree: docs/adr/sandboxed-builds.md. */
#pragma once

#include "build/box.h"

/* Hides them from the compilers of the box, where these see the tree itself. */
void pawl_ignored_hide(struct pawl_build_box *box);
/* Shows those of the user's tree at the same place in this tree. A file that the version itself has
 * stays. Returns false if there are none, or too many. */
bool pawl_ignored_show(struct pawl_build_box *box);
