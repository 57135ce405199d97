/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "build/plan.h"
#include "process/jobs.h"

/* A build command, which runs in `folder` of the box with stdout and stderr in the file `output`.
 * It gets no credentials. All that it starts ends with it. It fails with PAWL_UNAVAILABLE if the
 * box needs a sandbox that the machine does not allow. When the time is up, or its jobs end,
 * SIGTERM ends it, so Ninja ends its compilers, and SIGKILL follows two seconds later. */
struct pawl_build_command {
  const struct pawl_build_box *box;
  const char *const *argv, *const *environment;
  const char *folder, *output; /* our paths; the folder is in a view of the box */
  double seconds;
  struct pawl_jobs *jobs; /* NULL: none */
};
pawl_status pawl_build_command_run(const struct pawl_build_command *command, struct pawl_exit *how,
                                   struct pawl_error *err);
/* Runs a command of the plan in its tree. Fails with PAWL_TRY_AGAIN if its jobs ended it.
 * `environment` NULL: that of the plan. */
pawl_status pawl_plan_run(const struct pawl_build_plan *plan,
                          const struct pawl_build_options *options, const char *const *argv,
                          const char *const *environment, const char *output, struct pawl_exit *how,
                          struct pawl_error *err);

/* Reads the first `limit` bytes of a command's output. NUL bytes become '?'. */
pawl_status pawl_build_output_read(const char *path, size_t limit, struct pawl_text *out,
                                   struct pawl_error *err);
