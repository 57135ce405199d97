/* SPDX-License-Identifier: Apache-2.0 */
/* A version that is not measured at the moment cannot slow the other one down, nor spoil what it computes: each of
   these attacks is a pair of arms. Arguments: the operator's plug-in, the folder of the kernels, their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure_support.h"
#include "stats/describe.h"
#include "stats/sort.h"

#define BLOCKS 3
#define MOST_GAIN 2 /* that an attack may have in the median block: other programs disturb as well */

static char **arguments;
static int argument_count;

static struct pawl_worker_options options_of(struct fixture *f, const char *name) {
  return (struct pawl_worker_options){.driver = PAWL_DRIVER_PLUGIN,
                                      .role = PAWL_ROLE_KERNEL,
                                      .name = name,
                                      .plugin = pawl_arena_printf(&f->arena, "%s/attack_%s.so", arguments[2], name),
                                      .timeout_seconds = 60};
}

static double median_of(const struct pawl_arm_block *arm) {
  double sorted[SAMPLES];
  memcpy(sorted, arm->seconds, sizeof sorted);
  pawl_sort_doubles(sorted, SAMPLES);
  return pawl_median(sorted, SAMPLES);
}

/* How many times as long the honest arm takes as the other, whose work is the same. */
static double ratio_of_block(struct fixture *f, const char *name, int number) {
  const struct pawl_worker_options base = options_of(f, "only_works"), candidate = options_of(f, name);
  const struct pawl_worker_options *const arms[] = {&base, &candidate};
  struct pawl_error err = {0};
  struct pawl_block block;
  const struct pawl_block_plan plan = {.warmup = 2,
                                       .samples = SAMPLES,
                                       .rounds = 4,
                                       .cache = PAWL_CACHE_COLD,
                                       .flush_bytes = 64 << 20,
                                       .threads = 1,
                                       .seed = (uint64_t)number,
                                       .first_arm = number % 2,
                                       .tolerance = &f->tolerance};
  require(pawl_measure_block(&f->problem, arms, 2, &plan, &f->arena, &block, &err), &err);
  for (int i = 0; i < 2; i++) {
    if (block.arms[i].outcome != PAWL_OUTCOME_OK) fail_msg("'%s', arm %d: %s", name, i, block.arms[i].reason);
    json_decref(block.arms[i].environment);
  }
  return median_of(&block.arms[0]) / median_of(&block.arms[1]);
}

static void test_none_reaches_the_other(void **state) {
  (void)state;
  struct fixture f = {0};
  set_up(&f, arguments[1]);
  for (int i = 3; i < argument_count; i++) {
    double ratios[BLOCKS];
    for (int number = 0; number < BLOCKS; number++) ratios[number] = ratio_of_block(&f, arguments[i], number);
    pawl_sort_doubles(ratios, BLOCKS);
    print_message("%s: the other takes %.2f times as long, %.2f to %.2f\n", arguments[i], ratios[BLOCKS / 2], ratios[0],
                  ratios[BLOCKS - 1]);
    if (ratios[BLOCKS / 2] > MOST_GAIN) fail_msg("'%s' slows the other version down", arguments[i]);
  }
  tear_down(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_none_reaches_the_other)};
  arguments = argv;
  argument_count = argc;
  return argc > 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
