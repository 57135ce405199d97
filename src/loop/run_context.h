/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is asked for, and what its phases share. */
#ifndef PAWL_LOOP_RUN_CONTEXT_H
#define PAWL_LOOP_RUN_CONTEXT_H

#include "project/lineage.h"
#include "project/selection.h"
#include "report/report.h"

/* Whether references are timed: those without a kept result, all, none. */
enum pawl_references { PAWL_REFERENCES_KEPT = 0, PAWL_REFERENCES_FRESH, PAWL_REFERENCES_NONE };

struct pawl_run_options {
  bool update_baseline;
  bool unpaired; /* --against none: by stored samples and the unpaired rule */
  const char
      *anchor; /* --against REV: the full commit; NULL: the baseline's, else the merge base */
  double budget_seconds; /* no block begins later; 0: no limit */
  bool reduced;          /* smallest shapes only in the check: labelled in the report */
  struct pawl_selection selection;
  enum pawl_references references;
  uint64_t seed;                  /* of the places of the arms in blocks; 0: drawn by the system */
  struct pawl_terminal_look look; /* of the summary */
  const char *folder; /* NULL: perf/out; for results.json, report.md, verdict.json, roofline.png */
  void (*say)(
      void *context,
      const char *summary); /* the verdict, before the report is written; NULL: nobody hears it */
  void *context;
};

/* What the phases that look for anchors and measure against them share. */
struct pawl_run_context {
  struct pawl_project *project;
  const struct pawl_run_options *options;
  uint64_t seed;       /* of the places of the arms in all pairs */
  int64_t deadline_ns; /* of blocks; 0: none */
  struct pawl_lineage lineage;
  struct pawl_strings *notices; /* for the report; they grow */
};

#endif
