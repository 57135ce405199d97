/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a build. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"
#include "base/seal.h"
#include "build/toolchain.h"
#include "model/kernel_spec.h"
#include "model/measure_spec.h"
#include "process/jobs.h"

struct pawl_build_options {
  /* the suite's folder, or a worktree: relative paths of the kernel start here */
  const char *folder;
  const char *cache_folder; /* .pawl of the repository: build/ and objects/ below it */
  const char *include_dir;  /* pawl's own include folder */
  const struct pawl_param_value *overrides; /* -D of the command line, over the kernel's params */
  size_t override_count;
  const char *cuda_arch; /* "sm_90a"; NULL: of the GPU at hand, else sm_80 */
  bool line_info;        /* machine code names its source lines */
  /* flags after all others, for a tool that checks the code; NULL: none; NULL-terminated */
  const char *const *check_flags;
  const struct pawl_seal_key *seal_key; /* seals the outputs */
  /* NULL: each build asks its compilers and reads its files anew */
  struct pawl_known_compilers *compilers;
  const char *output_folder; /* pawl writes there, and no compiler reads there; NULL: none */
  double timeout_seconds;    /* for each command */
  enum pawl_isolate isolate; /* the sandbox of the commands; 0: as AVAILABLE */
  /* the only paths outside of the repository that the suite may show: build/outside.h; NULL: it may
     show any */
  const struct pawl_strings *outside;
  /* paths of the user's repository that builds of either version see, also if git ignores them */
  struct pawl_strings files; /* relative to `user_folder`, the folder of the user's suite */
  const char *user_folder;
  struct pawl_jobs *jobs; /* the jobs that the commands belong to; NULL: none */
  struct pawl_log *log;
};
