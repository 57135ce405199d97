/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the manual steps that follow the workflows. */
#pragma once

#include "base/text.h"
#include "forge/workflow_files.h"

/* Appends a numbered list; each step has its command or settings page. `forge` is github, gitlab,
   forgejo or gitea. `folder` is the folder given to init, for a command that repeats it. */
void pawl_init_steps(const struct pawl_workflow_setup *setup, const char *forge, const char *folder,
                     struct pawl_text *out);
