/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the two arms of a kernel in blocks, as a verdict does, and prints what each process
   printed:
     arm_starts FOLDER BASE KERNEL BLOCKS
   A line is "BLOCK TEXT". The probe says which version it is. tests/contract/arms.py judges the
   lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entropy.h"
#include "base/philox.h"
#include "gate/paired_test.h"
#include "measure/bench.h"
#include "measure/block.h"
#include "project/change_base.h"
#include "project/kernels.h"
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

static int block_number;

static void show(const char *text, size_t length) {
  printf("%d ", block_number);
  for (size_t i = 0; i < length; i++) putchar(text[i] == '\n' ? ' ' : text[i]);
  putchar('\n');
}

/* The output of a command comes to its reader. */
static pawl_status read_probe(const char *format, const char *path, const char *output,
                              struct pawl_arena *arena, struct pawl_benchmarks *out,
                              struct pawl_error *err) {
  (void)format, (void)path, (void)err;
  struct pawl_benchmark *benchmark = pawl_arena_alloc(arena, 1, sizeof *benchmark);
  show(output, strlen(output));
  benchmark->seconds = pawl_arena_alloc(arena, 1, sizeof(double));
  benchmark->seconds[0] = 1e-6;
  benchmark->count = 1;
  *out = (struct pawl_benchmarks){.items = benchmark, .count = 1};
  return PAWL_OK;
}

static struct pawl_benchmarks_reader find_reader(const char *format) {
  return (struct pawl_benchmarks_reader){.format = format, .read = read_probe};
}

/* One problem of the operator. */
struct setting {
  struct pawl_problem problem;
  struct pawl_tolerance tolerance;
};

static void set_up(struct pawl_project *project, struct setting *out) {
  struct pawl_error err = {0};
  struct pawl_oracle *oracle;
  struct pawl_case *cases;
  size_t count;
  require(pawl_project_oracle(project, "scale", &oracle, &err), &err);
  require(pawl_operator_cases(&project->suite, &oracle->info, NULL, NULL, &project->arena, &cases,
                              &count, &err),
          &err);
  require(pawl_problem_init(&out->problem, oracle, cases, PAWL_MEASURE_SETS, &err), &err);
  require(pawl_measure_fill(&out->problem, PAWL_DEFAULT_SEED, true, &err), &err);
  require(pawl_oracle_tolerance(oracle, cases->dtype, NULL, &out->tolerance, &err), &err);
}

static void measure(struct pawl_project *project, struct setting *setting,
                    const struct pawl_worker_options *const *workers,
                    struct pawl_block_plan *plan) {
  const bool command = workers[0]->driver == PAWL_DRIVER_COMMAND;
  struct pawl_problem none = pawl_measure_command_problem();
  struct pawl_block_processes processes = {0};
  struct pawl_error err = {0};
  struct pawl_block block;
  if (!command) plan->processes = &processes;
  require(pawl_measure_block(command ? &none : &setting->problem, workers, 2, plan, &project->arena,
                             &block, &err),
          &err);
  for (int arm = 0; arm < 2; arm++) {
    if (block.arms[arm].outcome != PAWL_OUTCOME_OK)
      fprintf(stderr, "%s\n", block.arms[arm].reason), exit(1);
    json_decref(block.arms[arm].environment);
    if (command) continue;
    struct pawl_log_tail *log = &processes.workers[arm]->log;
    pawl_log_tail_drain(log);
    show(log->data, log->length);
  }
  pawl_block_processes_release(&processes);
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  struct pawl_error err = {0};
  struct pawl_log log = {.level = PAWL_LOG_QUIET};
  struct pawl_project project, *tree;
  struct pawl_ready_kernel arms[2];
  struct setting setting = {0};
  const struct pawl_project_options options = {
      .folder = argv[1], .suite = "pawl.yaml", .find_reader = find_reader, .log = &log};
  require(pawl_project_open(&project, &options, &err), &err);
  require(pawl_change_base_tree(&project, argv[2], &tree, &err), &err);
  make_ready(tree, argv[3], &arms[0]);
  make_ready(&project, argv[3], &arms[1]);
  set_up(&project, &setting);
  const struct pawl_worker_options *const workers[] = {&arms[0].worker, &arms[1].worker};
  uint64_t seed;
  require(pawl_entropy_seed(&seed, &err), &err);
  struct pawl_random coins = pawl_random_init(seed, STREAM);
  const int blocks = atoi(argv[4]);
  struct pawl_paired_block *orders = pawl_alloc((size_t)blocks, sizeof *orders);
  for (block_number = 0; block_number < blocks; block_number++) {
    const enum pawl_arm_order coin =
        pawl_random_below(&coins, 2) ? PAWL_ORDER_CANDIDATE_FIRST : PAWL_ORDER_BASE_FIRST;
    const enum pawl_arm_order order = pawl_paired_next_order(orders, (size_t)block_number, coin);
    struct pawl_block_plan plan = {.warmup = 1,
                                   .samples = 1,
                                   .rounds = 1,
                                   .cache = PAWL_CACHE_WARM,
                                   .threads = 1,
                                   .seed = (uint64_t)block_number,
                                   .order_seed = pawl_random_u32(&coins),
                                   .first_arm = order == PAWL_ORDER_CANDIDATE_FIRST,
                                   .tolerance = &setting.tolerance};
    orders[block_number].order = order;
    measure(&project, &setting, workers, &plan);
  }
  pawl_free(orders);
  pawl_problem_release(&setting.problem);
  pawl_project_close(&project);
  return 0;
}
