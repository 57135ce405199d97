/* SPDX-License-Identifier: Apache-2.0 */
/* The phase of a run that times its references, or takes their results of an earlier run. */
#ifndef PAWL_LOOP_REFERENCE_PHASE_H
#define PAWL_LOOP_REFERENCE_PHASE_H

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"
#include "project/canary_kernel.h"
#include "worker/fork_server.h"

/* The references that this run times or takes from an earlier run, on any case. */
size_t pawl_reference_phase_count(struct pawl_project *project,
                                  const struct pawl_run_options *options,
                                  const struct pawl_arm_pairs *pairs,
                                  const struct pawl_built *built);

/* What gets ready before the references' turn. */
struct pawl_references_ahead {
  struct pawl_fork_server fork_server;            /* of their processes */
  struct pawl_canary_build canary[PAWL_CUDA + 1]; /* by the kind of device */
};

/* Before anything is measured in a repository whose references were never measured: beside the
   check of the kernels, the fork server imports what their scripts import, and the canary is built.
 */
void pawl_references_begin_ahead(struct pawl_project *project,
                                 const struct pawl_run_options *options,
                                 const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                 struct pawl_references_ahead *ahead);
/* Comes before what is timed. */
void pawl_references_await_ahead(struct pawl_references_ahead *ahead);
void pawl_references_release_ahead(struct pawl_references_ahead *ahead);

/* Appends a row for each reference on each case on which a kernel of its operator is timed.
   docs/adr/kept-references.md says when the row comes from an earlier run. A machine that changed
   since is a notice. */
pawl_status pawl_reference_phase(struct pawl_project *project,
                                 const struct pawl_run_options *options,
                                 const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                 struct pawl_fork_server *fork_server, struct pawl_strings *notices,
                                 struct pawl_results *results, struct pawl_error *err);

#endif
