/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of one kernel on a real GPU, as `pawl bench` and the gate measure them:
     blocks_test OPERATOR.so NAME CASE KERNEL BLOCKS [unchecked] [warm] [DISTRIBUTION]
   CASE: "n=4194304,dtype=f32"; KERNEL: a plug-in, or a program in Python that speaks the protocol.
   One line a block: the median of the samples as the worker gives them and as they count, those of
   calls on inputs that it has seen and has not, all in us; the median of the pairs' ratios, how
   many of the pairs were longer, what the samples count for, whether threads were held, the
   outcome, and the seconds that the block took. Exit status: 77 no GPU here (with the reason). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/backends.h"
#include "device/device.h"
#include "measure/block.h"
#include "measure/flush.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define SAMPLES 40
#define ROUNDS 4

static void require(enum pawl_status_code status, const struct pawl_error *err) {
  if (status == PAWL_OK) return;
  printf("failed %s\n", err->message);
  exit(status == PAWL_UNAVAILABLE ? 77 : 1);
}

/* The median of every `step`th value from `first` on, less what was added to it (NULL: nothing). */
static double median(const double *values, const double *added, size_t count, size_t first,
                     size_t step) {
  double *sorted = pawl_alloc(count + 1, sizeof *sorted);
  size_t kept = 0;
  for (size_t i = first; i < count; i += step) sorted[kept++] = values[i] - (added ? added[i] : 0);
  pawl_sort_doubles(sorted, kept);
  const double found = kept ? pawl_median(sorted, kept) : NAN;
  pawl_free(sorted);
  return found * 1e6;
}

static void print_block(const struct pawl_arm_block *arm, double seconds) {
  const size_t pairs = arm->fresh_pairs;
  double *ratios = pawl_alloc(pairs + 1, sizeof *ratios);
  size_t longer = 0;
  for (size_t i = 0; i < pairs; i++) {
    ratios[i] = arm->fresh_seconds[2 * i + 1] / arm->fresh_seconds[2 * i] * 1e-6;
    longer += ratios[i] > 1e-6;
  }
  printf(
      "block raw %.2f counts %.2f seen %.2f unseen %.2f ratio %.4f longer %zu of %zu counted %.3f "
      "%s %s %.2f s  %s\n",
      median(arm->seconds, arm->added, arm->count, 0, 1),
      median(arm->seconds, NULL, arm->count, 0, 1),
      median(arm->fresh_seconds, NULL, 2 * pairs, 0, 2),
      median(arm->fresh_seconds, NULL, 2 * pairs, 1, 2), median(ratios, NULL, pairs, 0, 1), longer,
      pairs, arm->fresh_ratio, arm->unfrozen ? "unfrozen" : "held", pawl_outcome_name(arm->outcome),
      seconds, arm->reason ? arm->reason : "");
  pawl_free(ratios);
}

static struct pawl_device find_gpu(struct pawl_arena *arena) {
  struct pawl_device device;
  struct pawl_error err = {0};
  if (pawl_device_find(PAWL_CUDA, NULL, arena, &device, &err) == PAWL_OK) return device;
  printf("%s\n", err.message);
  exit(77);
}

int main(int argc, char **argv) {
  if (argc < 6) return 64;
  bool unchecked = false, warm = false;
  const char *distribution = NULL, *dot = strrchr(argv[4], '.');
  for (int i = 6; i < argc; i++) {
    if (!strcmp(argv[i], "unchecked"))
      unchecked = true;
    else if (!strcmp(argv[i], "warm"))
      warm = true;
    else
      distribution = argv[i];
  }
  struct pawl_arena arena = {0};
  const struct pawl_device device = find_gpu(&arena);
  struct pawl_oracle oracle;
  struct pawl_problem problem;
  struct pawl_tolerance tolerance;
  struct pawl_error err = {0};
  const struct pawl_oracle_options options = {.worker = {.name = argv[2],
                                                         .driver = PAWL_DRIVER_PLUGIN,
                                                         .plugin = argv[1],
                                                         .timeout_seconds = 600}};
  struct pawl_case config = {.name = "case", .operator_name = argv[2]};
  require(pawl_oracle_init(&oracle, &options, &err), &err);
  require(pawl_case_set(&config, argv[3], &arena, &err), &err);
  require(pawl_problem_init(&problem, &oracle, &config, PAWL_MEASURE_SETS, &err), &err);
  for (int set = 0; set < PAWL_MEASURE_SETS; set++)
    require(pawl_problem_fill(&problem, set,
                              distribution ? distribution : oracle.info.distributions[0].name,
                              pawl_measure_set_seed(7, set), &err),
            &err);
  require(pawl_oracle_tolerance(&oracle, config.dtype, NULL, &tolerance, &err), &err);
  const bool python = dot && !strcmp(dot, ".py");
  const char *const words[] = {"python3", argv[4], NULL};
  const struct pawl_worker_options worker = {
      .driver = python ? PAWL_DRIVER_PROTOCOL : PAWL_DRIVER_PLUGIN,
      .role = PAWL_ROLE_KERNEL,
      .name = "kernel",
      .plugin = python ? NULL : argv[4],
      .argv = python ? words : NULL,
      .cuda = true,
      .timeout_seconds = 60};
  const struct pawl_worker_options *const arms[] = {&worker};
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  for (int i = 0; i < atoi(argv[5]); i++) {
    const struct pawl_block_plan plan = {.warmup = 10,
                                         .samples = SAMPLES,
                                         .rounds = ROUNDS,
                                         .cache = warm ? PAWL_CACHE_WARM : PAWL_CACHE_COLD,
                                         .flush_bytes = pawl_measure_flush_bytes(&device),
                                         .threads = 1,
                                         .fresh_pairs = 12,
                                         .unchecked = unchecked,
                                         .seed = (uint64_t)i,
                                         .order_seed = (uint64_t)i,
                                         .verified = verified,
                                         .tolerance = &tolerance,
                                         .device = &device};
    struct pawl_block block;
    const int64_t begin = pawl_clock_ns();
    verified[0].fresh_ratio = 0; /* each block speaks for itself */
    require(pawl_measure_block(&problem, arms, 1, &plan, &arena, &block, &err), &err);
    print_block(&block.arms[0], pawl_seconds_since(begin));
    json_decref(block.arms[0].environment);
  }
  pawl_problem_release(&problem);
  pawl_oracle_release(&oracle);
  pawl_arena_clear(&arena);
  return 0;
}
