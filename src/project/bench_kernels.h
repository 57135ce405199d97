/* SPDX-License-Identifier: Apache-2.0 */
/* Ready kernels timed on the suite's cases: a row of results each. */
#ifndef PAWL_PROJECT_BENCH_KERNELS_H
#define PAWL_PROJECT_BENCH_KERNELS_H

#include "model/result.h"
#include "project/kernels.h"
#include "project/selection.h"
#include "worker/fork_server.h"

/* Commit, hardware and time of the results; an empty list of rows. */
void pawl_results_begin(const struct pawl_git *git, struct pawl_devices *devices,
                        struct pawl_results *results);

struct pawl_bench_selection {
  const char *only_case, *assignments; /* --case, --set; NULL: all, none */
  int samples, warmup;                 /* 0 and -1: the suite's */
  /* Leaves a kernel and case out when it says so; may be NULL. */
  bool (*skip)(const void *context, const char *kernel, const char *case_name);
  const void *context;
  /* Sees each row as soon as it is measured; may be NULL. */
  void (*measured)(void *watcher, const struct pawl_result *row);
  void *watcher;
  int64_t deadline_ns; /* as in struct pawl_bench_options; 0: none */
  struct pawl_selection part;
  struct pawl_fork_server *
      fork_server; /* of references in Python, to be used and kept; NULL: one of this bench's own */
};

/* A Python script on a GPU whose times are not judged: a fork server may start its processes. */
bool pawl_bench_may_fork(const struct pawl_kernel_spec *spec);
/* Times ready kernels (and says so of those that are not ready), one row a kernel and case. The
   rows are appended to `results`, whose document owns what they borrow. */
pawl_status pawl_bench_kernels(struct pawl_project *project,
                               const struct pawl_ready_kernel *kernels, size_t count,
                               const struct pawl_bench_selection *selection,
                               struct pawl_results *results, struct pawl_error *err);

/* The same of the kernels named (all when none is): builds what is not up to date first. PAWL_USAGE
   with the nearest name. */
pawl_status pawl_bench_named(struct pawl_project *project, char *const *names, int count,
                             const struct pawl_bench_selection *selection,
                             struct pawl_results *results, struct pawl_error *err);

#endif
