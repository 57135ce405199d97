/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/early_pairs.h"

#include "loop/pair_setup.h"
#include "measure/bench_options.h"
#include "oracle/renew.h"
#include "pairs/bench.h"

/* Opens the problem, unless it is open. */
static pawl_status early_pairs_open(struct pawl_early_pairs *early,
                                    struct pawl_paired_bench_request *request,
                                    struct pawl_error *err) {
  PAWL_TRY(pawl_pair_set_up(early->run, early->pair, 1, request, err));
  request->problem = &early->problem;
  return early->problem.oracle ? PAWL_OK
                               : pawl_problem_init(&early->problem, request->oracle,
                                                   request->config, PAWL_MEASURE_SETS, err);
}

static void *draw_new_inputs(void *context) {
  struct pawl_early_pairs *early = context;
  early->drawn = pawl_problem_draw_given_ahead(&early->problem, PAWL_FRESH_PAIRS, &early->timing);
  return NULL;
}

/* A CPU has no such calls. Without this thread the first block draws them. */
static void begin_draws(struct pawl_early_pairs *early) {
  if (!early->drawing && early->pair->candidate->spec->device == PAWL_CUDA)
    early->drawing = !pthread_create(&early->draws, NULL, draw_new_inputs, early);
}

void pawl_early_pairs_settle(struct pawl_early_pairs *early) {
  if (!early->drawing) return;
  atomic_store(&early->timing, true);
  pthread_join(early->draws, NULL);
  early->drawing = false;
  pawl_log_detail(early->run->project->options.log,
                  "the first block has new inputs for %d of %d calls", early->drawn,
                  PAWL_FRESH_PAIRS);
}

static pawl_status early_pairs_launch(struct pawl_early_pairs *early, struct pawl_error *err) {
  struct pawl_paired_bench_request request;
  PAWL_TRY(early_pairs_open(early, &request, err));
  return pawl_paired_bench_launch(early->run->project, &request, &early->waiting, err);
}

void pawl_early_pairs_fill(struct pawl_early_pairs *early, const struct pawl_ready_kernel *kernel) {
  struct pawl_paired_bench_request request;
  struct pawl_error ignored;
  if (!early->pair || early->pair->candidate != kernel || early->waiting.count) return;
  enum pawl_status_code status = early_pairs_open(early, &request, &ignored);
  if (status == PAWL_OK) status = pawl_paired_bench_fill(&request, &ignored);
  if (status != PAWL_OK) {
    pawl_early_pairs_end(early);
    return;
  }
  pawl_log_detail(early->run->project->options.log, "the first blocks have their inputs");
  begin_draws(early);
}

void pawl_early_pairs_launch(struct pawl_early_pairs *early,
                             const struct pawl_ready_kernel *kernel) {
  struct pawl_project *project = early->run->project;
  struct pawl_error ignored;
  if (!early->pair || early->pair->candidate != kernel || early->waiting.count) return;
  early->waiting.shutdown = &project->shutdown;
  if (early_pairs_launch(early, &ignored) != PAWL_OK || !early->waiting.count) {
    pawl_early_pairs_end(early);
    return;
  }
  pawl_log_detail(project->options.log, "%zu pairs of processes start beside the check",
                  early->waiting.count);
  begin_draws(early);
}

bool pawl_early_pairs_end(struct pawl_early_pairs *early) {
  if (!early) return false;
  const bool any = early->waiting.count;
  pawl_early_pairs_settle(early);
  early->pair = NULL;
  if (any) {
    pawl_waiting_pairs_release(&early->waiting);
    pawl_shutdown_end(early->waiting.shutdown);
  }
  pawl_problem_release(&early->problem);
  return any;
}
