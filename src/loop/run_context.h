/* SPDX-License-Identifier: Apache-2.0 */
/* What every phase of a run reads; the notices grow. */
#ifndef PAWL_LOOP_RUN_CONTEXT_H
#define PAWL_LOOP_RUN_CONTEXT_H

#include "loop/lineage.h"
#include "loop/shard.h"

struct pawl_run_options {
  bool update_baseline;
  bool unpaired;      /* --against none: by stored samples and the unpaired rule */
  const char *anchor; /* --against REV: the full commit; NULL: the baseline's, else the merge base */
  bool reduced;       /* smallest shapes only in the check: labelled in the report */
  struct pawl_shard shard;
  uint64_t seed;      /* of the places of the arms in blocks; 0: drawn by the system */
  const char *folder; /* NULL: perf/out; for results.json, report.md, verdict.json, roofline.png */
};

struct pawl_run_context {
  struct pawl_project *project;
  const struct pawl_run_options *options;
  uint64_t seed; /* of the places of the arms in all pairs */
  struct pawl_lineage lineage;
  bool baseline_uncommitted;   /* the working tree has a baseline, its commit has none */
  struct pawl_strings notices; /* for the report */
};

/* Whether a kernel on a case is this run's. */
static inline bool pawl_run_has(const struct pawl_run_context *run, const char *kernel, const char *case_name) {
  return pawl_shard_has(&run->options->shard, &run->project->suite, kernel, case_name);
}

#endif
