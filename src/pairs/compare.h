/* SPDX-License-Identifier: Apache-2.0 */
/* Two versions of a kernel measured in pairs: kernels, sources or revisions, whatever the baseline
 * says. */
#ifndef PAWL_PAIRS_COMPARE_H
#define PAWL_PAIRS_COMPARE_H

#include "gate/ratchet.h"
#include "project/project.h"

/* KERNEL[:SOURCE][@REV]: the kernel, with another source, of another revision. */
struct pawl_version {
  const char *text, *kernel, *source, *revision; /* NULL where the text names none */
};
pawl_status pawl_version_parse(const char *text, struct pawl_arena *arena, struct pawl_version *out,
                               struct pawl_error *err);

struct pawl_version_comparison {
  struct pawl_version base,
      candidate;         /* without a kernel: each kernel of the suite, or that of the other */
  const char *only_case; /* NULL: all */
  uint64_t seed;         /* 0: drawn by the system */
  int64_t deadline_ns;   /* as in struct pawl_paired_bench_request */
};

/* One row a kernel and case, judged by the suite's gate; rows are named like the candidate.
   PAWL_USAGE: no such kernel, or other operators; PAWL_FAILED: a version does not build, or the
   base does not run. */
pawl_status pawl_compare_paired(struct pawl_project *project,
                                const struct pawl_version_comparison *wanted,
                                struct pawl_ratchet_report *out, struct pawl_error *err);

#endif
