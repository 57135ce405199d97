/* SPDX-License-Identifier: Apache-2.0 */
/* A user's repository, opened, by its parts: a function takes the part that it needs. Only what
   builds or starts something takes the whole. */
#ifndef PAWL_PROJECT_PROJECT_H
#define PAWL_PROJECT_PROJECT_H

#include <stdbool.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/seal.h"
#include "build/build.h"
#include "build/git.h"
#include "oracle/oracle.h"
#include "project/devices.h"
#include "project/places.h"
#include "suite/read.h"
#include "worker/shutdown.h"

#define PAWL_DEFAULT_SEED 42u /* of inputs and orders */

struct pawl_project_options {
  const char *cache_folder;     /* builds and caches; NULL: .pawl of the suite's folder */
  const char *folder;           /* where to look for the suite; "." */
  const char *suite;            /* path of pawl.yaml, relative to the folder */
  const char *device;           /* --device N or UUID; NULL: the first of each kind */
  struct pawl_devices *devices; /* of the project whose commit this is; NULL: it finds its own */
  const char *commit;           /* that the folder is a clean worktree of; NULL: git says */
  const struct pawl_seal_key *seal_key; /* NULL: of this user, found when something is sealed */
  struct pawl_known_compilers
      *compilers;       /* of the project whose commit this is; NULL: it asks its own */
  const char *gpu_lost; /* --gpu-lost REASON; NULL: no reason to doubt the GPU */
  const struct pawl_param_value *overrides; /* -D */
  size_t override_count;
  bool line_info; /* kernels are built so that a finding in their machine code has a line */
  /* The reader of a command's `parse`; its `read` is NULL when there is none of that name. May be
     NULL: only "wall" is known. */
  struct pawl_benchmarks_reader (*find_reader)(const char *format);
  struct pawl_log *log;
};

/* An operator that has been started. */
struct pawl_started_operator {
  struct pawl_started_operator *next;
  struct pawl_oracle oracle;
  bool gpu_considered; /* whether the GPU can answer has been found out */
};

/* What gives the expected answers. */
struct pawl_operators {
  struct pawl_started_operator *started;
  struct pawl_project *tree; /* the commit whose operators judge; NULL: the working tree's do */
};

struct pawl_project {
  struct pawl_project_options options;
  struct pawl_places places;   /* where things are */
  struct pawl_suite suite;     /* what is measured, and by what rules */
  struct pawl_git git;         /* where the working tree stands; commit NULL: git.reason says why */
  struct pawl_devices devices; /* what kernels run on */
  struct pawl_operators operators; /* what their answers are compared with */
  struct pawl_tree *trees;         /* other commits */
  struct pawl_shutdown
      shutdown; /* processes of blocks that were measured: awaited before anything else is */
  struct pawl_seal_key own_key; /* where the options give none: pawl_project_seal_key() */
  struct pawl_known_compilers own_compilers; /* the same: pawl_project_compilers() */
  struct pawl_arena arena;
};

/* Another commit of this repository, opened in a worktree of pawl's own: project/lineage.h. */
struct pawl_tree {
  struct pawl_tree *next;
  const char *commit;
  struct pawl_lock lock; /* keeps the worktree from being changed */
  struct pawl_project project;
};

/* Whoever runs the code of strangers asks for a sandbox by PAWL_ISOLATION_VARIABLE, whatever the
   suite says: the suite of the change and that of the base. PAWL_CONFIG: another value. */
pawl_status pawl_require_isolation(struct pawl_measure_spec *measure, struct pawl_error *err);

pawl_status pawl_project_open(struct pawl_project *project,
                              const struct pawl_project_options *options, struct pawl_error *err);
/* Asks the processes of operators and devices to end and does not wait: only pawl_project_close may
 * follow. */
void pawl_project_dismiss(struct pawl_project *project);
void pawl_project_close(struct pawl_project *project);
/* Ends the operators: the next question starts them again. */
void pawl_operators_release(struct pawl_operators *operators);
void pawl_tree_close(struct pawl_tree *tree); /* frees it too */

/* The suite's own operator of that name, and the tree that it is taken from; NULL: it ships with
 * pawl. */
const struct pawl_operator_spec *pawl_project_operator_spec(struct pawl_project *project,
                                                            const char *name,
                                                            struct pawl_project **tree);

/* How this project's code is built; cuda: for the GPU at hand. */
struct pawl_build_options pawl_project_build_options(struct pawl_project *project, bool cuda);

/* What pawl keeps between runs is sealed with it. Where this user's key is of no use, it says so
   once and is a key of this run alone. */
const struct pawl_seal_key *pawl_project_seal_key(struct pawl_project *project);

/* The compilers whose version is known: one list serves the project and the commits that it opens.
 */
struct pawl_known_compilers *pawl_project_compilers(struct pawl_project *project);

/* Of one request to an operator, in seconds. */
double pawl_operator_timeout(const struct pawl_measure_spec *spec);

/* The case of the suite's commands: the first without an operator, else one of the name
 * PAWL_COMMAND_CASE. */
struct pawl_case pawl_command_case(const struct pawl_suite *suite);

#endif
