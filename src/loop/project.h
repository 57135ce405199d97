/* SPDX-License-Identifier: Apache-2.0 */
/* A user's repository, opened: its suite, this machine's devices, the operators at work, and how to get from a kernel
   of the suite to something that runs. */
#ifndef PAWL_LOOP_PROJECT_H
#define PAWL_LOOP_PROJECT_H

#include <stdbool.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "build/build.h"
#include "build/git.h"
#include "check/check.h"
#include "device/cuda/clocks.h"
#include "device/device.h"
#include "oracle/oracle.h"
#include "suite/read.h"

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

struct pawl_project_operator; /* an operator that has been started */

struct pawl_project {
  struct pawl_project_options options;
  struct pawl_suite suite;
  const char *home;         /* pawl's own files */
  const char *cache_folder; /* .pawl */
  const char *include_dir, *worker_program;
  struct pawl_git git;    /* commit NULL outside git or before the first commit */
  const char *git_reason; /* why there is no commit; NULL when there is */
  struct pawl_project_operator *operators;
  struct pawl_project *operator_tree; /* whose operators are used: another tree's, or NULL for our own */
  struct pawl_project *trees, *next;  /* other commits of this repository, opened: loop/lineage.h */
  const char *tree_commit;            /* of such a tree; NULL: the working tree */
  struct pawl_lock tree_lock;         /* of such a tree: keeps it from being changed */
  struct pawl_device devices[3];      /* by kind; .kind 0: not looked for or absent */
  const char *device_reason[3];
  bool device_probed[3];
  bool cuda_ready;                   /* a CUDA kernel has been made ready to run */
  const char *gpu_lost;              /* why the GPU does not work any more; NULL: it does */
  struct pawl_clock_lock clock_lock; /* held until the project closes */
  const char *cuda_arch;             /* what kernels are built for where there is no GPU; NULL: sm_80 */
  const char *clocks;                /* "locked", "not locked: why"; NULL: the suite does not ask for it */
  struct pawl_arena arena;
};

pawl_status pawl_project_open(struct pawl_project *project, const struct pawl_project_options *options,
                              struct pawl_error *err);
void pawl_project_close(struct pawl_project *project);

/* Holds the GPU's clock from now on, where the suite asks for it, until the project closes. Where it cannot be held
   that is said, and goes into the results: the measurement is then as it would be without. */
void pawl_project_lock_clocks(struct pawl_project *project);
void pawl_project_unlock_clocks(struct pawl_project *project);

/* A path relative to the suite's folder, in the arena. */
const char *pawl_project_path(struct pawl_project *project, const char *relative);

/* The device that kernels of a kind run on; NULL with the reason when there is none. */
const struct pawl_device *pawl_project_device(struct pawl_project *project, int32_t kind, const char **reason);

/* The operator, started on first use: the suite's own, else a shipped one. PAWL_CONFIG names the nearest. */
pawl_status pawl_project_oracle(struct pawl_project *project, const char *name, struct pawl_oracle **oracle,
                                struct pawl_error *err);
/* What the operators' problems have cost so far. */
struct pawl_time_spent pawl_project_spent(const struct pawl_project *project);
/* The suite's own operator of that name, and the tree that it is taken from; NULL: it ships with pawl. */
const struct pawl_operator_spec *pawl_project_operator_spec(struct pawl_project *project, const char *name,
                                                            struct pawl_project **tree);
/* Has the GPU compute the operator's answers, where there is a GPU oracle, the suite allows it, and this machine can
   build and run it; says why not. */
void pawl_project_use_gpu_oracle(struct pawl_project *project, struct pawl_oracle *oracle);

/* How this project's code is built; cuda: for the GPU at hand. */
struct pawl_build_options pawl_project_build_options(struct pawl_project *project, bool cuda);

/* A kernel made ready to run, or why it cannot be. */
struct pawl_ready_kernel {
  const struct pawl_kernel_spec *spec;
  enum pawl_outcome outcome; /* OK, BUILD or ABSENT */
  const char *reason;        /* NULL when OK: one line */
  const char *diagnostics;   /* the compiler's words; NULL when there are none */
  struct pawl_build_result build;
  struct pawl_worker_options worker; /* filled in when OK; tensors are the oracle's */
};

/* Threads that a CPU kernel gets. */
int pawl_project_threads(const struct pawl_project *project);

/* Builds (or looks for) one kernel. A kernel that does not build is an outcome; a missing tool is PAWL_UNAVAILABLE,
   or the outcome ABSENT when the kernel is optional. */
pawl_status pawl_project_ready(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_ready_kernel *out, struct pawl_error *err);

/* The kernels named (all when none is), references included. PAWL_USAGE with the nearest name. */
pawl_status pawl_project_kernels(struct pawl_project *project, char *const *names, int count,
                                 const struct pawl_kernel_spec ***out, size_t *out_count, struct pawl_error *err);

/* The case of the suite's commands: the first without an operator, else one of the name PAWL_COMMAND_CASE. */
struct pawl_case pawl_project_command_case(const struct pawl_project *project);

/* The cases of an operator, or the one named `only`, with `assignments` (--set) applied; resolved. */
pawl_status pawl_project_cases(struct pawl_project *project, const struct pawl_oracle *oracle, const char *only,
                               const char *assignments, struct pawl_case **out, size_t *count, struct pawl_error *err);

#endif
