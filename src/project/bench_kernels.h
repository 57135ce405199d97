/* SPDX-License-Identifier: Apache-2.0 */
/* Times ready kernels on the suite's cases, one row of results each. */
#pragma once

#include "model/result.h"
#include "project/kernels.h"
#include "project/selection.h"

/* Sets the commit, hardware and time of the results, with an empty list of rows. */
void pawl_results_begin(const struct pawl_git *git, struct pawl_devices *devices,
                        struct pawl_results *results);

struct pawl_bench_selection {
  const char *only_case, *assignments; /* --case and --set; NULL: all cases, no assignments */
  int samples, warmup;                 /* 0 and -1 take the suite's numbers */
  /* If it returns true, pawl leaves the kernel and case out; may be NULL. */
  bool (*skip)(const void *context, const char *kernel, const char *case_name);
  const void *context;
  /* Gets each row right after its measurement; may be NULL. */
  void (*measured)(void *watcher, const struct pawl_result *row);
  void *watcher;
  struct pawl_selection part;
  size_t later; /* rows that the caller measures afterwards, within the same budget */
};

/* Waits until no other pawl of this machine times on the devices of the kernels that can run. */
pawl_status pawl_bench_take_turns(struct pawl_project *project,
                                  const struct pawl_ready_kernel *kernels, size_t count,
                                  struct pawl_error *err);

/* Times ready kernels, and gives each other kernel a row with its reason. The rows, one for each
   kernel and case, go to `results`, whose document owns the data that they borrow. */
pawl_status pawl_bench_kernels(struct pawl_project *project,
                               const struct pawl_ready_kernel *kernels, size_t count,
                               const struct pawl_bench_selection *selection,
                               struct pawl_results *results, struct pawl_error *err);

/* Builds the named kernels (all if none is named) and times them. PAWL_USAGE names the nearest
   name. */
pawl_status pawl_bench_named(struct pawl_project *project, char *const *names, int count,
                             const struct pawl_bench_selection *selection,
                             struct pawl_results *results, struct pawl_error *err);
