/* SPDX-License-Identifier: Apache-2.0 */
/* How git.c and worktree.c run the git program. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "process/process.h"

#define GIT_ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Runs git in `folder`, bounded in time and output. No hooks and no file-system monitor: a
   repository's own configuration starts no program, except the content filters (LFS, say) that its
   checkout needs. */
pawl_status pawl_git_run(const char *folder, const char *const *arguments, struct pawl_text *out,
                         struct pawl_text *errors, struct pawl_exit *how, struct pawl_error *err);

/* The same, and git has to succeed: if it does not, `code` and "what: git's words". */
pawl_status pawl_git_need(const char *folder, const char *const *arguments, struct pawl_text *out,
                          enum pawl_status_code code, const char *what, struct pawl_error *err);
