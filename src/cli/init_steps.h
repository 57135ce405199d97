/* SPDX-License-Identifier: Apache-2.0 */
/* What is left to do by hand after the workflows were written. */
#ifndef PAWL_CLI_INIT_STEPS_H
#define PAWL_CLI_INIT_STEPS_H

#include "base/text.h"
#include "forge/workflow_files.h"

/* A numbered list: each step with its command or its page in the settings. `forge`: github, gitlab
   or forgejo; `folder`: what init was asked for, so that a command repeats it. */
void pawl_init_steps(const struct pawl_workflow_setup *setup, const char *forge, const char *folder,
                     struct pawl_text *out);

#endif
