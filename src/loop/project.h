/* SPDX-License-Identifier: Apache-2.0 */
/* A user's repository, opened: its suite, where it stands in git, what of it is at work. */
#ifndef PAWL_LOOP_PROJECT_H
#define PAWL_LOOP_PROJECT_H

#include <stdbool.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "build/build.h"
#include "build/git.h"
#include "loop/devices.h"
#include "oracle/oracle.h"
#include "suite/read.h"

#define PAWL_DEFAULT_SEED 42u                   /* of inputs and orders */
#define PAWL_BASELINE_PATH "perf/baseline.json" /* in the suite's folder */

struct pawl_project_options {
  const char *cache_folder;                 /* builds and caches; NULL: .pawl of the suite's folder */
  const char *folder;                       /* where to look for the suite; "." */
  const char *suite;                        /* path of pawl.yaml, relative to the folder */
  const char *device;                       /* --device N or UUID; NULL: the first of each kind */
  const char *gpu_lost;                     /* --gpu-lost REASON; NULL: as far as is known the GPU works */
  const struct pawl_param_value *overrides; /* -D */
  size_t override_count;
  bool line_info; /* kernels are built so that a finding in their machine code has a line */
  /* The reader of a command's `parse`; its `read` is NULL when there is none of that name. May be NULL: only "wall" is
     known. */
  struct pawl_times_reader (*find_reader)(const char *format);
  struct pawl_log *log;
};

/* An operator that has been started. */
struct pawl_project_operator {
  struct pawl_project_operator *next;
  struct pawl_oracle oracle;
  bool gpu_considered; /* whether the GPU can answer has been found out */
};

struct pawl_project {
  struct pawl_project_options options;
  struct pawl_suite suite;
  const char *home;         /* pawl's own files */
  const char *cache_folder; /* .pawl */
  const char *include_dir, *worker_program;
  struct pawl_git git;    /* commit NULL outside git or before the first commit */
  const char *git_reason; /* why there is no commit; NULL when there is */
  struct pawl_devices devices;
  const char *cuda_arch; /* what kernels are built for where there is no GPU; NULL: sm_80 */
  bool cuda_ready;       /* a CUDA kernel has been made ready to run */
  struct pawl_project_operator *operators;
  struct pawl_project *operator_tree; /* whose operators are used: another tree's, or NULL for our own */
  struct pawl_project *trees, *next;  /* other commits of this repository, opened: loop/lineage.h */
  const char *tree_commit;            /* of such a tree; NULL: the working tree */
  struct pawl_lock tree_lock;         /* of such a tree: keeps it from being changed */
  struct pawl_arena arena;
};

pawl_status pawl_project_open(struct pawl_project *project, const struct pawl_project_options *options,
                              struct pawl_error *err);
void pawl_project_close(struct pawl_project *project);

/* Holds the GPU's clock from now on, where the suite asks for it, until the project closes. */
void pawl_project_lock_clocks(struct pawl_project *project);

/* A path relative to the suite's folder, in the arena. */
const char *pawl_project_path(struct pawl_project *project, const char *relative);

#define PAWL_OUTPUT_FOLDER "perf/out"
/* Makes the folder for output that nobody gave a place, which git ignores; the path is in the arena. */
pawl_status pawl_project_output(struct pawl_project *project, const char **out, struct pawl_error *err);

/* A path below pawl's own files, in the arena. */
const char *pawl_project_home_path(struct pawl_project *project, const char *relative);

/* The suite's own operator of that name, and the tree that it is taken from; NULL: it ships with pawl. */
const struct pawl_operator_spec *pawl_project_operator_spec(struct pawl_project *project, const char *name,
                                                            struct pawl_project **tree);
/* Of one request to an operator, in seconds. */
double pawl_project_operator_timeout(const struct pawl_project *project);

/* How this project's code is built; cuda: for the GPU at hand. */
struct pawl_build_options pawl_project_build_options(struct pawl_project *project, bool cuda);

/* The case of the suite's commands: the first without an operator, else one of the name PAWL_COMMAND_CASE. */
struct pawl_case pawl_command_case(const struct pawl_suite *suite);

#endif
