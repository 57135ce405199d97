/* SPDX-License-Identifier: Apache-2.0 */
/* Files that git ignores, in builds by compilers. A build may need them, such as a generated
 * header, but only the user's tree has them, so they would tell the change from the base. The
 * builds of either version see those of the user's tree: docs/adr/sandboxed-builds.md. */
#pragma once

#include "build/box.h"

/* Shows those of the user's tree at the same place in this tree. A file that the version itself has
 * stays. Fails with PAWL_CONFIG if there are too many, or as git. */
pawl_status pawl_ignored_show(struct pawl_build_box *box, struct pawl_error *err);
