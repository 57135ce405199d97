/* SPDX-License-Identifier: Apache-2.0 */
/* What each kernel and case is judged against: the anchor, and its version of the kernel, built. */
#ifndef PAWL_LOOP_ARM_PAIRS_H
#define PAWL_LOOP_ARM_PAIRS_H

#include "gate/paired_test.h"
#include "loop/run_context.h"
#include "project/kernels.h"

struct pawl_arm_pair {
  const struct pawl_ready_kernel *candidate;
  struct pawl_ready_kernel base; /* OK where the two are paired */
  const struct pawl_case *config;
  const char *anchor; /* a commit */
  enum pawl_anchor_kind anchor_kind;
  bool paired;    /* there is a base that builds */
  bool identical; /* the same machine code: not measured again */
};

struct pawl_arm_pairs {
  struct pawl_arm_pair *items; /* those of a kernel side by side */
  size_t count;
};

/* Checks out the commit that all of the baseline's entries name, or that the command line does: the
   anchors will need it. Where it cannot, whoever needs the commit says why. */
void pawl_arm_pairs_foresee(const struct pawl_run_context *run,
                            const struct pawl_baseline *baseline);
/* Finds for each kernel and case of this run what it is judged against, and builds that. A kernel
   and case without an anchor has no pair; a base that cannot be had is a notice. `kernels` is
   borrowed. The benchmarks of harnesses are not known yet. */
pawl_status pawl_arm_pairs_find(const struct pawl_run_context *run,
                                const struct pawl_ready_kernel *kernels, size_t count,
                                const struct pawl_baseline *baseline, const char *hardware,
                                struct pawl_arm_pairs *out, struct pawl_error *err);

/* The same for the benchmarks of harnesses, which have rows by now: their pairs are appended. */
pawl_status pawl_arm_pairs_add_benchmarks(const struct pawl_run_context *run,
                                          const struct pawl_ready_kernel *kernels, size_t count,
                                          const struct pawl_results *results,
                                          const struct pawl_baseline *baseline,
                                          struct pawl_arm_pairs *pairs, struct pawl_error *err);

/* The same pair against another commit. Its `paired` is false when that cannot be had: a notice
 * says why. */
pawl_status pawl_arm_pair_against(const struct pawl_run_context *run,
                                  const struct pawl_arm_pair *pair, const char *anchor,
                                  enum pawl_anchor_kind kind, struct pawl_arm_pair *out,
                                  struct pawl_error *err);

/* The blocks of the pair give the candidate's own time too. On a CPU it is measured alone, to
   compare the two: processes that take turns disturb each other there. */
bool pawl_arm_pair_times_candidate(const struct pawl_arm_pair *pair);
/* The pair of a kernel and case; NULL: there is none. */
const struct pawl_arm_pair *pawl_arm_pairs_of(const struct pawl_arm_pairs *pairs,
                                              const char *kernel, const char *case_name);
/* Whether the kernel on the case has the machine code of its base. */
bool pawl_arm_pairs_identical(const struct pawl_arm_pairs *pairs, const char *kernel,
                              const char *case_name);

/* A notice that the kernel and case are judged by stored samples, and why. */
void pawl_arm_pair_note_unpaired(const struct pawl_run_context *run,
                                 const struct pawl_arm_pair *pair, const char *why);

#endif
