/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the two arms of a kernel in blocks, as a verdict does, and prints what each process
   printed: arm_starts FOLDER BASE KERNEL BLOCKS A line is "ARM BLOCK TEXT", with arm 0 for the
   base. tests/contract/arms.py judges the lines. */
#include <stdio.h>
#include <stdlib.h>

#include "base/entropy.h"
#include "base/philox.h"
#include "gate/paired_test.h"
#include "measure/bench.h"
#include "measure/block.h"
#include "project/kernels.h"
#include "project/lineage.h"
#include "project/operators.h"
#include "worker/driver.h"

#define STREAM 0x61726d73u

static void require(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  fprintf(stderr, "%s\n", err->message);
  exit(1);
}

static void make_ready(struct pawl_project *project, const char *name,
                       struct pawl_ready_kernel *out) {
  struct pawl_error err = {0};
  const struct pawl_kernel_spec *spec = pawl_suite_kernel(&project->suite, name);
  if (!spec) exit(2);
  require(pawl_project_ready(project, spec, out, &err), &err);
  if (out->outcome == PAWL_OUTCOME_OK) return;
  fprintf(stderr, "%s\n%s\n", out->reason, out->diagnostics ? out->diagnostics : "");
  exit(1);
}

static void show(struct pawl_worker *worker, int arm, int block) {
  printf("%d %d ", arm, block);
  pawl_log_tail_drain(&worker->log);
  for (size_t i = 0; i < worker->log.length; i++)
    putchar(worker->log.data[i] == '\n' ? ' ' : worker->log.data[i]);
  putchar('\n');
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  struct pawl_error err = {0};
  struct pawl_log log = {.level = PAWL_LOG_QUIET};
  struct pawl_project project, *tree;
  struct pawl_ready_kernel arms[2];
  const struct pawl_project_options options = {
      .folder = argv[1], .suite = "pawl.yaml", .log = &log};
  require(pawl_project_open(&project, &options, &err), &err);
  require(pawl_lineage_tree(&project, argv[2], &tree, &err), &err);
  make_ready(tree, argv[3], &arms[0]);
  make_ready(&project, argv[3], &arms[1]);
  struct pawl_oracle *oracle;
  struct pawl_problem problem;
  struct pawl_tolerance tolerance;
  struct pawl_case *cases;
  size_t count;
  require(pawl_project_oracle(&project, "scale", &oracle, &err), &err);
  require(pawl_operator_cases(&project.suite, &oracle->info, NULL, NULL, &project.arena, &cases,
                              &count, &err),
          &err);
  require(pawl_problem_init(&problem, oracle, cases, PAWL_MEASURE_SETS, &err), &err);
  require(pawl_measure_fill(&problem, PAWL_DEFAULT_SEED, true, &err), &err);
  require(pawl_oracle_tolerance(oracle, cases->dtype, NULL, &tolerance, &err), &err);
  const struct pawl_worker_options *const workers[] = {&arms[0].worker, &arms[1].worker};
  uint64_t seed;
  require(pawl_entropy_seed(&seed, &err), &err);
  struct pawl_random coins = pawl_random_init(seed, STREAM);
  const int blocks = atoi(argv[4]);
  struct pawl_paired_block *places = pawl_alloc((size_t)blocks, sizeof *places);
  for (int i = 0; i < blocks; i++) {
    struct pawl_block_processes processes = {0};
    struct pawl_block block;
    const enum pawl_place coin =
        pawl_random_below(&coins, 2) ? PAWL_PLACE_CANDIDATE_FIRST : PAWL_PLACE_BASE_FIRST;
    places[i].place = pawl_paired_next_place(places, (size_t)i, coin);
    const struct pawl_block_plan plan = {.warmup = 1,
                                         .samples = 1,
                                         .rounds = 1,
                                         .cache = PAWL_CACHE_WARM,
                                         .threads = 1,
                                         .seed = (uint64_t)i,
                                         .order_seed = pawl_random_u32(&coins),
                                         .first_arm = places[i].place == PAWL_PLACE_CANDIDATE_FIRST,
                                         .processes = &processes,
                                         .tolerance = &tolerance};
    require(pawl_measure_block(&problem, workers, 2, &plan, &project.arena, &block, &err), &err);
    for (int arm = 0; arm < 2; arm++) {
      if (block.arms[arm].outcome != PAWL_OUTCOME_OK)
        fprintf(stderr, "%s\n", block.arms[arm].reason), exit(1);
      json_decref(block.arms[arm].environment);
      show(processes.workers[arm], arm, i);
    }
    pawl_block_processes_release(&processes);
  }
  pawl_free(places);
  pawl_problem_release(&problem);
  pawl_project_close(&project);
  return 0;
}
