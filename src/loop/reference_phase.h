/* SPDX-License-Identifier: Apache-2.0 */
/* Times the references of a run or takes their kept results. */
#pragma once

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"
#include "project/canary_kernel.h"

/* Counts the references that this run times or takes from an earlier run, on any case. */
size_t pawl_reference_phase_count(struct pawl_project *project,
                                  const struct pawl_run_options *options,
                                  const struct pawl_arm_pairs *pairs,
                                  const struct pawl_built *built);

/* Parts that pawl prepares before the references' turn. */
struct pawl_references_ahead {
  struct pawl_build_thread canary[PAWL_CUDA + 1]; /* by kind of device */
};

/* Begins the preparation in a repository that never measured its references. Beside the check of
   the kernels, the fork server imports the scripts' modules and the canary builds. */
void pawl_references_begin_ahead(struct pawl_project *project,
                                 const struct pawl_run_options *options,
                                 const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                 struct pawl_references_ahead *ahead);
/* Waits for the preparation, which would disturb the timing. */
void pawl_references_await_ahead(struct pawl_references_ahead *ahead);
void pawl_references_release_ahead(struct pawl_references_ahead *ahead);

/* Appends a row for each reference on each case that times a kernel of its operator.
   docs/adr/kept-references.md says when an earlier run gives the row. A notice tells of a machine
   that changed since. */
pawl_status pawl_reference_phase(struct pawl_project *project,
                                 const struct pawl_run_options *options,
                                 const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                 struct pawl_strings *notices, struct pawl_results *results,
                                 struct pawl_error *err);
