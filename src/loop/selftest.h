/* SPDX-License-Identifier: Apache-2.0 */
/* The gate tested on this machine: a kernel is judged against itself, as it is and with a known slow-down put in. */
#ifndef PAWL_LOOP_SELFTEST_H
#define PAWL_LOOP_SELFTEST_H

#include "gate/selftest.h"
#include "loop/lineage.h"

struct pawl_selftest_options {
  const char *kernel, *case_name; /* NULL: the first of the suite */
  int trials;                     /* for each change put in */
  double budget_seconds;          /* no trial is begun after it; 0: none */
  uint64_t seed;
};

/* Both arms are the same plug-in and carry the same delay inside the timed region; the candidate's is longer by the
   change. Goes on from .pawl/selftest/KERNEL-CASE.json where that was of the same code, hardware and policy, and writes
   it, atomically, after each trial. PAWL_UNAVAILABLE: the kernel cannot carry a delay; PAWL_FAILED: it does not build
   or fails. Strings live in the project's arena. */
pawl_status pawl_loop_selftest(struct pawl_project *project, const struct pawl_selftest_options *options,
                               struct pawl_selftest *out, struct pawl_error *err);

/* One line for each stored selftest of this hardware whose calibration failed, or that cannot be read. */
pawl_status pawl_loop_selftest_notices(struct pawl_project *project, const char *hardware, struct pawl_strings *notices,
                                       struct pawl_error *err);

#endif
