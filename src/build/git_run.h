/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the git program for git.c and worktree.c. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/process.h"

#define GIT_ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Runs git in `folder`, with limits of time and output. It uses no hooks and no file-system
 * monitor. A repository's own configuration starts no program, except the content filters (such as
 * LFS) that its checkout needs. */
pawl_status pawl_git_run(const char *folder, const char *const *arguments, struct pawl_text *out,
                         struct pawl_text *errors, struct pawl_exit *how, struct pawl_error *err);

/* Does the same, and fails with `code` and "what: git's words" if git fails. */
pawl_status pawl_git_need(const char *folder, const char *const *arguments, struct pawl_text *out,
                          enum pawl_status_code code, const char *what, struct pawl_error *err);

/* Returns the first line that git prints, or NULL if it fails or prints nothing. */
const char *pawl_git_line(const char *folder, const char *const *arguments,
                          struct pawl_arena *arena);
