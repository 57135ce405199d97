/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "build/box.h"
#include "process/jobs.h"

/* A build command, run in `folder` of the box with stdout and stderr in the file `output`.
   Credentials do not reach it. All that it starts ends with it. Fails with PAWL_UNAVAILABLE where
   the box needs a sandbox that the machine does not allow. When the time is up, or its jobs are to
   end, it is ended by SIGTERM, so that Ninja ends its compilers, and by SIGKILL two seconds later.
 */
struct pawl_build_command {
  const struct pawl_build_box *box;
  const char *const *argv, *const *environment;
  const char *folder, *output; /* our paths; the folder is in a view of the box */
  double seconds;
  struct pawl_jobs *jobs; /* the jobs that the command belongs to; NULL: none */
};
pawl_status pawl_build_command_run(const struct pawl_build_command *command, struct pawl_exit *how,
                                   struct pawl_error *err);

/* The first `limit` bytes of what a command has written; NUL bytes become '?'. */
pawl_status pawl_build_output_read(const char *path, size_t limit, struct pawl_text *out,
                                   struct pawl_error *err);
