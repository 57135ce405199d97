/* SPDX-License-Identifier: Apache-2.0 */
/* A run while it goes on: what run.c and judge.c share. */
#ifndef PAWL_LOOP_RUN_STATE_H
#define PAWL_LOOP_RUN_STATE_H

#include "gate/paired_test.h"
#include "loop/lineage.h"
#include "loop/run.h"

/* One kernel and case to be judged in pairs. */
struct pawl_match {
  const struct pawl_ready_kernel *candidate;
  struct pawl_ready_kernel base;
  const struct pawl_case *item;
  const char *anchor;
  enum pawl_anchor_kind anchor_kind;
  bool paired;    /* there is a base that builds */
  bool identical; /* same machine code and a baseline to stand on: not measured again */
};

struct pawl_run_state {
  struct pawl_project *project;
  const struct pawl_run_options *options;
  struct pawl_lineage lineage;
  struct pawl_strings notices;
  const struct pawl_kernel_spec **specs;
  struct pawl_ready_kernel *kernels;
  struct pawl_report_build *builds;
  struct pawl_check_report *check_reports;
  struct pawl_report_check *checks;
  size_t count, build_count, check_count;
  struct pawl_results results, gated; /* gated: without the references */
  const char *baseline_path;          /* that judges */
  struct pawl_baseline baseline;      /* as it is before the run */
  struct pawl_match *matches;
  size_t match_count;
  struct pawl_paired_test *paired;
  size_t paired_count;
  struct pawl_ratchet_report ratchet;
  struct pawl_run_phases phases;
};

void pawl_run_notice(struct pawl_run_state *run, const char *text); /* text lives as long as the run */

/* Reads the baseline that judges: the merge base's, or the file itself when it is the same. */
pawl_status pawl_run_read_baseline(struct pawl_run_state *run, struct pawl_error *err);
/* Finds for each kernel and case what it is judged against, and builds that. */
pawl_status pawl_run_match(struct pawl_run_state *run, struct pawl_error *err);
/* The match of a kernel and case; NULL when there is none. */
const struct pawl_match *pawl_run_find_match(const struct pawl_run_state *run, const char *kernel,
                                             const char *case_name);
/* Whether a kernel on a case is this shard's; always true of a run that is not shared. */
bool pawl_run_in_shard(const struct pawl_run_state *run, const char *kernel, const char *case_name);
/* Whether the reference is timed beside the kernel: of the same operator, and, where the CPU is apart, on the same kind
   of device if the operator has kernels there. */
bool pawl_run_accompanies(const struct pawl_run_state *run, const struct pawl_kernel_spec *reference,
                          const struct pawl_kernel_spec *kernel);
/* Kernels on cases of the whole suite. */
int pawl_run_units(const struct pawl_run_state *run);
/* Leaves kernels out that have no case in this shard. */
void pawl_run_keep_shard(struct pawl_run_state *run);
/* Entries of the baseline that another shard measures are not missing here. */
void pawl_run_leave_other_shards_out(struct pawl_run_state *run);
/* Measures all pairs; a candidate that fails on the way gets its outcome into the results. */
pawl_status pawl_run_pair(struct pawl_run_state *run, struct pawl_error *err);
/* Judges the results against the baseline, and moves it where it may. */
pawl_status pawl_run_judge(struct pawl_run_state *run, struct pawl_error *err);

#endif
