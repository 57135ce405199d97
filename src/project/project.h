/* SPDX-License-Identifier: Apache-2.0 */
/* A user's repository. A function takes only the part that it needs. A function that builds or
 * starts something takes the whole. */
#pragma once

#include <stdbool.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/seal.h"
#include "build/build.h"
#include "build/git.h"
#include "build/instructions.h"
#include "oracle/oracle.h"
#include "project/devices.h"
#include "project/paths.h"
#include "suite/read.h"
#include "worker/fork_server.h"
#include "worker/shutdown.h"

#define PAWL_DEFAULT_SEED 42u /* seed of inputs and orders */

struct pawl_project_options {
  const char *cache_folder;     /* builds and caches; NULL: .pawl in the suite's folder */
  const char *folder;           /* the suite's folder, such as "." */
  const char *suite;            /* path of pawl.yaml, relative to the folder */
  const char *device;           /* --device N or UUID; NULL: the first of each kind */
  struct pawl_devices *devices; /* devices of the parent project; NULL: it finds its own */
  const char *commit;           /* the commit of a clean worktree; NULL: git says */
  const char *tree;             /* the top of the clean worktree; NULL: git says */
  /* The project of the working tree, whose rules hold for the clean worktree; NULL: none. */
  const struct pawl_project *parent;
  const struct pawl_seal_key *seal_key; /* NULL: this user's key, at the first seal */
  /* compilers of the parent project; NULL: it asks its own */
  struct pawl_known_compilers *compilers;
  struct pawl_fork_servers *fork_servers;   /* the parent's servers; NULL: its own */
  double wait_seconds;                      /* --wait, for the turn on a device; 0: the default */
  const char *gpu_lost;                     /* --gpu-lost REASON; NULL: no known fault */
  const struct pawl_param_value *overrides; /* -D */
  size_t override_count;
  const char *const *check_flags; /* as in struct pawl_build_options */
  bool line_info;                 /* builds record source lines for findings in machine code */
  double line_seconds;            /* the time limit of each of its commands; 0: the usual one */
  /* the working tree is a pull request's: the suite of its base decides which paths outside of the
   * repository its builds see */
  bool pull_request;
  const char *oracle_commit; /* the base of `oracle: base`; NULL: project/base_oracle.h finds it */
  bool only_lists;           /* nothing is measured, so git does not look for uncommitted changes */
  bool trusts_outputs;       /* --trust-outputs: project/base_oracle.h */
  bool judges_code; /* a kernel whose GPU is absent is ready for a look at its machine code */
  /* the reader for a command's `parse`, with `read` NULL if no reader has that name; NULL: only
   * "wall" is known */
  struct pawl_benchmarks_reader (*find_reader)(const char *format);
  struct pawl_log *log;
};

struct pawl_started_operator {
  struct pawl_started_operator *next;
  struct pawl_oracle oracle;
  bool gpu_considered; /* pawl has decided whether the GPU computes the answers */
};

/* Operators give the expected answers. */
struct pawl_operators {
  struct pawl_started_operator *started;
  struct pawl_project *tree; /* the commit whose operators judge; NULL: the working tree's judge */
};

struct pawl_project {
  struct pawl_project_options options;
  struct pawl_paths paths;
  struct pawl_suite suite;
  struct pawl_git git; /* `reason` says why if `commit` is NULL */
  struct pawl_devices devices;
  struct pawl_operators operators;
  struct pawl_tree *trees;                 /* other commits of this repository */
  struct pawl_program_tree *program_tree;  /* project/program_code.h */
  const struct pawl_base_file *base_files; /* project/change_base.c: what it has read */
  struct pawl_base_answer *base_answers;   /* for kernels with `oracle: base` */
  /* processes of finished blocks, which end before pawl measures anything else */
  struct pawl_shutdown shutdown;
  struct pawl_seal_key own_key;              /* for options without one: pawl_project_seal_key() */
  struct pawl_known_compilers own_compilers; /* for options without any: pawl_project_compilers() */
  struct pawl_fork_servers own_fork_servers; /* for options without any */
  struct pawl_listings listings;             /* machine code that tools list beside other work */
  const struct pawl_surroundings *surroundings; /* pawl_project_surroundings() */
  struct pawl_tree_files *tree_files;           /* these and the earlier surroundings have */
  const struct pawl_strings *outside; /* as pawl_build_options; of the parent, for trees */
  struct pawl_arena arena;
};

/* Another commit of this repository, in a worktree of pawl's own: project/change_base.h. */
struct pawl_tree {
  struct pawl_tree *next;
  const char *commit;
  struct pawl_lock lock; /* protects the worktree from changes */
  struct pawl_project project;
};

/* Applies PAWL_ISOLATION_VARIABLE, by which a user who runs code of strangers demands a sandbox. It
 * overrides the suites of the change and of the base. Fails with PAWL_CONFIG for another value. */
pawl_status pawl_require_isolation(struct pawl_measure_spec *measure, struct pawl_error *err);

pawl_status pawl_project_open(struct pawl_project *project,
                              const struct pawl_project_options *options, struct pawl_error *err);
/* Asks the processes of operators and devices to end and returns at once. Only pawl_project_close
   may follow. */
void pawl_project_dismiss(struct pawl_project *project);
void pawl_project_close(struct pawl_project *project);
/* Ends the operators; the next question restarts them. */
void pawl_operators_release(struct pawl_operators *operators);
void pawl_tree_close(struct pawl_tree *tree); /* frees `tree` too */

/* Returns the suite's own operator of that name, and its tree, or NULL if pawl ships it. */
const struct pawl_operator_spec *pawl_project_operator_spec(struct pawl_project *project,
                                                            const char *name,
                                                            struct pawl_project **tree);

/* Returns the options for builds of this project's code; with `cuda`, for the present GPU. */
struct pawl_build_options pawl_project_build_options(struct pawl_project *project, bool cuda);

/* Returns the key that seals the files that pawl keeps between runs. If this user's key is
 * unusable, pawl says so once and makes a key for this run alone. */
const struct pawl_seal_key *pawl_project_seal_key(struct pawl_project *project);

/* Returns the compilers with known versions, which the project and its other commits share. */
struct pawl_known_compilers *pawl_project_compilers(struct pawl_project *project);

/* Returns the servers that fork Python processes, which the project and its other commits share. */
struct pawl_fork_servers *pawl_project_fork_servers(struct pawl_project *project);

/* Returns the timeout of one request to an operator, in seconds. */
double pawl_operator_timeout(const struct pawl_measure_spec *spec);

/* Returns the case of the suite's commands: the first case without an operator, else one with the
 * name PAWL_COMMAND_CASE. */
struct pawl_case pawl_command_case(const struct pawl_suite *suite);
