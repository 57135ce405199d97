/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a run, and the state that its phases share. */
#pragma once

#include "project/change_base.h"
#include "project/selection.h"
#include "report/report.h"

/* Times the references without a kept result, all references, or none. */
enum pawl_references { PAWL_REFERENCES_KEPT = 0, PAWL_REFERENCES_FRESH, PAWL_REFERENCES_NONE };

struct pawl_run_options {
  bool update_baseline;
  bool unpaired; /* --against none: the unpaired rule on stored samples */
  /* --against REV: the full commit; NULL: the baseline's anchor, else the merge base. */
  const char *anchor;
  double budget_seconds; /* pawl_budget_begin() gets it; 0: no limit */
  /* builds and judges by machine code, and measures nothing; loop/proof.h */
  bool code_only;
  bool reduced; /* the check takes only the smallest shapes, and the report says so */
  struct pawl_selection selection;
  enum pawl_references references;
  uint64_t seed; /* draws the places of the arms in blocks; 0: the system draws the seed */
  struct pawl_terminal_style look; /* look of the summary */
  const char *folder; /* for results.json, report.md, verdict.json, roofline.png; NULL: perf/out */
  /* Gets the verdict's summary before pawl writes the report; NULL: nobody gets it. */
  void (*say)(void *context, const char *summary);
  void *context;
};

/* The phases that find anchors and measure against them share this. */
struct pawl_run_context {
  struct pawl_project *project;
  const struct pawl_run_options *options;
  uint64_t seed; /* draws the places of the arms in all pairs */
  struct pawl_change_base change_base;
  struct pawl_strings *notices; /* the phases add notices for the report */
};
