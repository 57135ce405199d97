/* SPDX-License-Identifier: Apache-2.0 */
/* The phase of a run that times its references, or takes their results of an earlier run. */
#ifndef PAWL_LOOP_REFERENCE_PHASE_H
#define PAWL_LOOP_REFERENCE_PHASE_H

#include "loop/arm_pairs.h"
#include "loop/build_phase.h"
#include "worker/fork_server.h"

/* The references that this run times or takes from an earlier run, on any case. */
size_t pawl_reference_phase_count(struct pawl_project *project, const struct pawl_run_options *options,
                                  const struct pawl_arm_pairs *pairs, const struct pawl_built *built);

/* Before anything is measured in a repository whose references were never measured: `fork_server` imports what their
   scripts import, beside the check of the kernels. pawl_fork_server_await comes before what is timed. */
void pawl_reference_phase_begin(struct pawl_project *project, const struct pawl_run_options *options,
                                const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                struct pawl_fork_server *fork_server);

/* Appends a row for each reference on each case on which a kernel of its operator is timed. docs/adr/kept-references.md
   says when the row comes from an earlier run. A machine that changed since is a notice. */
pawl_status pawl_reference_phase(struct pawl_project *project, const struct pawl_run_options *options,
                                 const struct pawl_arm_pairs *pairs, const struct pawl_built *built,
                                 struct pawl_fork_server *fork_server, struct pawl_strings *notices,
                                 struct pawl_results *results, struct pawl_error *err);

#endif
