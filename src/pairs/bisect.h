/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the commit that changed a kernel on a case. docs/adr/bisect.md has the reasons. */
#pragma once

#include "pairs/bisect_report.h"
#include "project/project.h"

/* Searches between the two commits. Answers that an interrupted search got are in
 * .pawl/bisect/KERNEL-HASH.json, and the next search of the same kernel, shape and hardware takes
 * them. Fails with PAWL_USAGE for an unknown kernel or case, with PAWL_NO_INPUT for an unknown
 * revision, and with PAWL_FAILED if an end does not build. Strings live in the project's arena. */
pawl_status pawl_bisect(struct pawl_project *project, const struct pawl_bisect_options *options,
                        struct pawl_bisect_report *out, struct pawl_error *err);
