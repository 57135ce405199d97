/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the base of each kernel and case: the anchor commit, and its build of the kernel. */
#pragma once

#include "gate/paired_test.h"
#include "loop/run_context.h"
#include "project/kernels.h"

struct pawl_arm_pair {
  const struct pawl_ready_kernel *candidate;
  struct pawl_ready_kernel base; /* its outcome is OK if `paired` */
  const struct pawl_case *config;
  const char *anchor; /* a commit */
  enum pawl_anchor_kind anchor_kind;
  bool paired;     /* the base exists and builds */
  bool needs_time; /* an update of the baseline wants the candidate's own time */
  /* The machine code is the same, and the base is the code that the baseline has. So pawl times no
     block, whoever asks. */
  bool identical;
};

struct pawl_arm_pairs {
  struct pawl_arm_pair *items; /* pairs of one kernel are adjacent */
  size_t count;
};

/* Checks out early the commit that all entries of the baseline, or the command line, name. It
 * reports no failure, because the step that needs the commit does. */
void pawl_arm_pairs_foresee(const struct pawl_run_context *run,
                            const struct pawl_baseline *baseline);
/* Finds the base of each kernel and case of this run and builds it. A kernel and case without an
   anchor has no pair. A base that pawl cannot get is a notice. `kernels` must outlive the pairs.
   The benchmarks of harnesses come later, by pawl_arm_pairs_add_benchmarks. */
pawl_status pawl_arm_pairs_find(const struct pawl_run_context *run,
                                const struct pawl_ready_kernel *kernels, size_t count,
                                const struct pawl_baseline *baseline, const char *hardware,
                                struct pawl_arm_pairs *out, struct pawl_error *err);

/* Appends the pairs of the benchmarks of harnesses, once the results have their rows. */
pawl_status pawl_arm_pairs_add_benchmarks(const struct pawl_run_context *run,
                                          const struct pawl_ready_kernel *kernels, size_t count,
                                          const struct pawl_results *results,
                                          const struct pawl_baseline *baseline,
                                          struct pawl_arm_pairs *pairs, struct pawl_error *err);

/* Returns the commit to measure an entry's kernel and case against, or NULL if there is none. The
 * entry may be NULL. */
const char *pawl_arm_pair_anchor(const struct pawl_run_context *run,
                                 const struct pawl_baseline_entry *entry,
                                 enum pawl_anchor_kind *kind);
/* Builds the pair against another commit. If pawl cannot get that commit, `paired` is false and a
   notice says why. */
pawl_status pawl_arm_pair_against(const struct pawl_run_context *run,
                                  const struct pawl_arm_pair *pair, const char *anchor,
                                  enum pawl_anchor_kind kind, struct pawl_arm_pair *out,
                                  struct pawl_error *err);

/* Returns whether the blocks of the pair also give the candidate's own time. A CPU kernel is timed
 * alone for the comparison, because processes that take turns disturb each other on a CPU. */
bool pawl_arm_pair_times_candidate(const struct pawl_arm_pair *pair);
/* Returns the pair of a kernel and case, or NULL. */
const struct pawl_arm_pair *pawl_arm_pairs_of(const struct pawl_arm_pairs *pairs,
                                              const char *kernel, const char *case_name);
/* Returns whether pawl takes no time of the kernel on the case, because it is identical. */
bool pawl_arm_pairs_leave_out(const struct pawl_arm_pairs *pairs, const char *kernel,
                              const char *case_name);

/* Adds a notice that stored samples judge the kernel and case, and why. */
void pawl_arm_pair_note_unpaired(const struct pawl_run_context *run,
                                 const struct pawl_arm_pair *pair, const char *why);
