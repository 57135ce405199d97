/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "process/jobs.h"

/* A build command, run in `folder` with stdout and stderr in the file `output`. Credentials do not
   reach it. When the time is up, or its jobs are to end, it is ended by SIGTERM, so that Ninja ends
   its compilers, and by SIGKILL two seconds later. */
struct pawl_build_command {
  const char *const *argv, *const *environment;
  const char *folder, *output;
  double seconds;
  struct pawl_jobs *jobs; /* the jobs that the command belongs to; NULL: none */
  /* The command runs in a full sandbox, and only its writes into this folder stay. The command
     fails with PAWL_UNAVAILABLE where the machine allows no such sandbox. NULL: no sandbox. */
  const char *shared;
};
pawl_status pawl_build_command_run(const struct pawl_build_command *command, struct pawl_exit *how,
                                   struct pawl_error *err);

/* The first `limit` bytes of what a command has written; NUL bytes become '?'. */
pawl_status pawl_build_output_read(const char *path, size_t limit, struct pawl_text *out,
                                   struct pawl_error *err);
