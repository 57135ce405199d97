/* SPDX-License-Identifier: Apache-2.0 */
/* An operator's GPU oracle against the operator's own on whole cases, on a real GPU.
     oracle_test OPERATOR.so GPU_ORACLE.so NAME CASE...      CASE: "B=1,H=2,S=64,D=64,dtype=f16"
   One line a case and distribution: the largest difference as src/oracle/gpu.h counts it, and the
   seconds that each took. Exit status: 0 they agree, 1 they do not, 77 no GPU here (with the
   reason). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/backends.h"
#include "device/device.h"
#include "oracle/expected.h"
#include "oracle/gpu.h"
#include "oracle/layout.h"

#define SEED 42
#define MANY_FLOP 2e10 /* above it a case is tried with the first distribution only */

static void require(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  printf("failed %s\n", err->message);
  exit(1);
}

static double ask(struct pawl_worker *worker, const struct pawl_problem *problem,
                  const struct pawl_expected_set *expected) {
  const struct pawl_shape shape = pawl_case_shape(&problem->config);
  struct pawl_error err = {0};
  const int64_t start = pawl_clock_ns();
  require(
      pawl_worker_oracle(worker, &shape, problem->sets, expected->placed, expected->count, &err),
      &err);
  return (double)(pawl_clock_ns() - start) * 1e-9;
}

/* True: they agree. */
static bool compare(struct pawl_problem *problem, const char *words, const char *distribution) {
  struct pawl_oracle *oracle = problem->oracle;
  struct pawl_error err = {0};
  require(pawl_problem_fill(problem, 0, distribution, SEED, &err), &err);
  require(pawl_shared_grow(&oracle->expected, pawl_expected_set_of(problem, 0).bytes, &err), &err);
  const struct pawl_expected_set expected = pawl_expected_set_of(problem, 0);
  const double cpu = ask(oracle->worker, problem, &expected);
  double *own = pawl_alloc(1, expected.bytes), worst = 0;
  memcpy(own, oracle->expected.map, expected.bytes);
  const double gpu = ask(oracle->gpu.worker, problem, &expected);
  for (int k = 0; k < expected.count; k++) {
    const struct pawl_placed_tensor *t = &expected.placed[k];
    int64_t at = 0;
    const double off =
        pawl_oracle_difference(own + t->offset / sizeof *own,
                               (const double *)(const void *)(oracle->expected.map + t->offset),
                               pawl_placed_elements(t), &at);
    worst = off > worst ? off : worst;
  }
  pawl_free(own);
  printf("%-44s %-18s %8.2g  CPU %7.3f s  GPU %7.3f s\n", words, distribution, worst, cpu, gpu);
  return worst <= PAWL_GPU_ORACLE_AGREEMENT;
}

static bool run_case(struct pawl_oracle *oracle, const char *name, const char *words) {
  struct pawl_arena arena = {0};
  struct pawl_problem problem;
  struct pawl_error err = {0};
  struct pawl_case config = {.name = "case", .operator_name = name};
  require(pawl_case_set(&config, words, &arena, &err), &err);
  require(pawl_problem_init(&problem, oracle, &config, 1, &err), &err);
  const int distributions = problem.work.flop > MANY_FLOP ? 1 : oracle->info.distribution_count;
  bool agree = true;
  for (int d = 0; d < distributions; d++)
    agree = compare(&problem, words, oracle->info.distributions[d].name) && agree;
  pawl_problem_release(&problem);
  pawl_arena_clear(&arena);
  return agree;
}

static void require_gpu(void) {
  struct pawl_arena arena = {0};
  struct pawl_device device;
  struct pawl_error err = {0};
  if (pawl_device_find(PAWL_CUDA, NULL, &arena, &device, &err) != PAWL_OK) {
    printf("%s\n", err.message);
    exit(77);
  }
  printf("%s, driver %s\n", device.name, device.driver);
  pawl_arena_clear(&arena);
}

int main(int argc, char **argv) {
  if (argc < 5) return 64;
  require_gpu();
  struct pawl_oracle oracle;
  struct pawl_error err = {0};
  const struct pawl_oracle_options options = {.worker = {.name = argv[3],
                                                         .driver = PAWL_DRIVER_PLUGIN,
                                                         .plugin = argv[1],
                                                         .timeout_seconds = 600}};
  const struct pawl_gpu_oracle_options gpu = {
      .plugin = argv[2], .machine = "this", .timeout_seconds = 600};
  require(pawl_oracle_init(&oracle, &options, &err), &err);
  require(pawl_oracle_use_gpu(&oracle, &gpu, &err), &err);
  pawl_oracle_gpu_settle(&oracle);
  if (!pawl_oracle_has_gpu(&oracle)) return 1;
  bool agree = true;
  for (int i = 4; i < argc; i++) agree = run_case(&oracle, argv[3], argv[i]) && agree;
  pawl_oracle_release(&oracle);
  return agree ? 0 : 1;
}
