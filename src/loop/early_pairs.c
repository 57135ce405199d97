/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/early_pairs.h"

#include "loop/pair_request.h"
#include "loop/paired_bench.h"

void pawl_early_pairs_launch(struct pawl_early_pairs *early, const struct pawl_ready_kernel *kernel) {
  struct pawl_project *project = early->run->project;
  struct pawl_paired_bench_request request;
  struct pawl_error ignored;
  if (!early->pair || early->pair->candidate != kernel || early->waiting.count) return;
  early->waiting.leaving = &project->leaving;
  if (pawl_pair_request(early->run, early->pair, 1, &request, &ignored) != PAWL_OK ||
      pawl_paired_bench_launch(project, &request, &early->waiting, &ignored) != PAWL_OK)
    early->pair = NULL;
  if (early->waiting.count)
    pawl_log_detail(project->options.log, "%zu pairs of processes start beside the check", early->waiting.count);
}

bool pawl_early_pairs_end(struct pawl_early_pairs *early) {
  if (!early || !early->waiting.count) return false;
  pawl_waiting_pairs_release(&early->waiting);
  pawl_leaving_end(early->waiting.leaving);
  early->pair = NULL;
  return true;
}
