/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the gate on this machine: it judges a kernel against itself, with and without a known
   slow-down. */
#pragma once

#include "gate/selftest.h"
#include "project/change_base.h"

struct pawl_selftest_options {
  char *const *kernels; /* empty: the suite's first kernel */
  int kernel_count;
  const char *case_name; /* NULL: each kernel's first case, or all */
  bool all_cases;
  bool changes[PAWL_SELFTEST_CHANGES]; /* the pawl_selftest_changes to inject */
  int trials;                          /* for each change */
  double budget_seconds;               /* no trial begins later; 0: no limit */
  uint64_t seed;
};

/* Both arms are the same plug-in with the same delay inside the timed region. The change makes the
 * candidate's delay longer. One fresh process of each arm serves a block of all cases and changes
 * of a kernel. The selftest resumes from .pawl/selftest/KERNEL-CASE.json if code, hardware and
 * policy are the same. It replaces that file atomically after each trial. *out has an item for each
 * kernel and case. Fails with PAWL_UNAVAILABLE if the kernel cannot carry a delay, and with
 * PAWL_FAILED if it does not build or fails. Strings live in the project's arena. */
pawl_status pawl_loop_selftest(struct pawl_project *project,
                               const struct pawl_selftest_options *options,
                               struct pawl_selftest **out, size_t *count, struct pawl_error *err);

/* Adds a line for each stored selftest of this hardware that failed its calibration or that pawl
   cannot read. */
pawl_status pawl_loop_selftest_notices(const struct pawl_paths *paths, const char *hardware,
                                       struct pawl_strings *notices, struct pawl_error *err);
