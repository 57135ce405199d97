/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/pair_setup.h"

#include "project/base_oracle.h"

pawl_status pawl_pair_set_up(const struct pawl_run_context *run, const struct pawl_arm_pair *pair,
                             int comparisons, struct pawl_paired_bench_request *out,
                             struct pawl_error *err) {
  struct pawl_oracle *oracle = NULL; /* NULL for a command */
  const char *operator_name = pair->candidate->spec->operator_name;
  if (operator_name) PAWL_TRY(pawl_project_oracle(run->project, operator_name, &oracle, err));
  PAWL_TRY(pawl_base_oracle_use(run->project, pair->candidate->spec, oracle, err));
  *out = (struct pawl_paired_bench_request){.base = &pair->base,
                                            .candidate = pair->candidate,
                                            .oracle = oracle,
                                            .config = pair->config,
                                            .anchor = pair->anchor,
                                            .anchor_kind = pair->anchor_kind,
                                            .identical = pair->identical,
                                            .comparisons = comparisons,
                                            .confirm = run->options->update_baseline,
                                            .leave = true,
                                            .says_wrong = true,
                                            .jobs = run->project->listings.jobs,
                                            .seed = run->seed,
                                            .input_seed = PAWL_DEFAULT_SEED};
  return PAWL_OK;
}
