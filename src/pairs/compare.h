/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two versions of a kernel in pairs, without the baseline. */
#pragma once

#include "gate/ratchet.h"
#include "pairs/version.h"

struct pawl_version_comparison {
  /* without a kernel, a version means the kernel of the other version, or else each kernel of the
   * suite */
  struct pawl_version base, candidate;
  const char *only_case; /* NULL: all */
  uint64_t seed;         /* 0: the system draws it */
  int64_t deadline_ns;   /* as in struct pawl_paired_bench_request */
};

/* Judges by the suite's gate one row for each kernel and case; the candidate gives the row its
 * name. Fails with PAWL_USAGE if there is no such kernel or the operators differ, and with
 * PAWL_FAILED if a version does not build or the base does not run. */
pawl_status pawl_compare_paired(struct pawl_project *project,
                                const struct pawl_version_comparison *wanted,
                                struct pawl_ratchet_report *out, struct pawl_error *err);
