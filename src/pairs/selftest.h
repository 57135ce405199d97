/* SPDX-License-Identifier: Apache-2.0 */
/* The gate tested on this machine: a kernel is judged against itself, as it is and with a known
 * slow-down put in. */
#ifndef PAWL_PAIRS_SELFTEST_H
#define PAWL_PAIRS_SELFTEST_H

#include "gate/selftest.h"
#include "project/lineage.h"

struct pawl_selftest_options {
  char *const *kernels; /* none: the first of the suite */
  int kernel_count;
  const char *case_name; /* NULL: each kernel's first, or all */
  bool all_cases;
  bool changes[PAWL_SELFTEST_CHANGES]; /* which of pawl_selftest_changes are put in */
  int trials;                          /* for each of them */
  double budget_seconds;               /* no trial is begun after it; 0: none */
  uint64_t seed;
};

/* Both arms are the same plug-in and carry the same delay inside the timed region; the candidate's
   is longer by the change. A block of all cases and changes of a kernel is served by one fresh
   process of each arm. Goes on from .pawl/selftest/KERNEL-CASE.json where that was of the same
   code, hardware and policy, and writes it, atomically, after each trial. *out: one a kernel and
   case. PAWL_UNAVAILABLE: the kernel cannot carry a delay; PAWL_FAILED: it does not build or fails.
   Strings live in the project's arena. */
pawl_status pawl_loop_selftest(struct pawl_project *project,
                               const struct pawl_selftest_options *options,
                               struct pawl_selftest **out, size_t *count, struct pawl_error *err);

/* One line for each stored selftest of this hardware whose calibration failed, or that cannot be
 * read. */
pawl_status pawl_loop_selftest_notices(const struct pawl_places *places, const char *hardware,
                                       struct pawl_strings *notices, struct pawl_error *err);

#endif
