/* SPDX-License-Identifier: Apache-2.0 */
/* How a build is to be done. */
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
  const char *folder; /* the tree that relative paths of the kernel start in: the suite's folder, or
                         a worktree */
  const char *cache_folder; /* .pawl of the repository: build/ and objects/ below it */
  const char *include_dir;  /* pawl's own include folder */
  const struct pawl_param_value *overrides; /* -D of the command line, over the kernel's params */
  size_t override_count;
  const char *cuda_arch;                /* "sm_90a"; NULL: of the GPU at hand, else sm_80 */
  bool line_info;                       /* machine code says which source line it is of */
  const struct pawl_seal_key *seal_key; /* seals the outputs */
  struct pawl_known_compilers
      *compilers;            /* NULL: each build asks its compilers and reads its files anew */
  const char *output_folder; /* pawl writes there, no compiler reads there; NULL: none */
  double timeout_seconds;    /* for each command */
  enum pawl_isolate isolate; /* the sandbox of the commands; 0: as AVAILABLE */
  struct pawl_jobs *jobs;    /* that the commands belong to; NULL: none */
  struct pawl_log *log;
};
