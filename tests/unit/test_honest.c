/* SPDX-License-Identifier: Apache-2.0 */
/* No honest kernel is accused, however odd it is: each is measured as `bench` does it, with all that finds cheats at
   work. Arguments: the operator's plug-in, the folder of the kernels, their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/block.h"

#define ELEMENTS 4096
#define BLOCKS 3 /* whether and where pawl watches is drawn anew in each */

static char **arguments;
static int argument_count;

struct fixture {
  struct pawl_oracle oracle;
  struct pawl_problem problem;
  struct pawl_tolerance tolerance;
  struct pawl_arena arena;
};

static void require(enum pawl_status_code status, const struct pawl_error *err) {
  if (status != PAWL_OK) fail_msg("%s", err->message);
}

static void set_up(struct fixture *f) {
  struct pawl_error err = {0};
  const struct pawl_oracle_options options = {
      .name = "scale", .driver = PAWL_DRIVER_PLUGIN, .plugin = arguments[1], .timeout_seconds = 60};
  require(pawl_oracle_init(&f->oracle, &options, &err), &err);
  struct pawl_dim dims[] = {{"n", ELEMENTS}};
  struct pawl_case config = {.name = "odd", .operator_name = "scale", .dtype = PAWL_F32};
  config.dims = pawl_arena_alloc(&f->arena, 1, sizeof *config.dims);
  memcpy(config.dims, dims, sizeof dims);
  config.count = 1;
  require(pawl_problem_init(&f->problem, &f->oracle, &config, PAWL_MEASURE_SETS, &err), &err);
  for (int set = 0; set < PAWL_MEASURE_SETS; set++)
    require(pawl_problem_fill(&f->problem, set, "normal", pawl_measure_set_seed(7, set), &err), &err);
  require(pawl_oracle_tolerance(&f->oracle, PAWL_F32, NULL, &f->tolerance, &err), &err);
}

static void tear_down(struct fixture *f) {
  pawl_problem_release(&f->problem);
  pawl_oracle_release(&f->oracle);
  pawl_arena_clear(&f->arena);
}

static void require_honest(struct fixture *f, const char *name) {
  const char *plugin = pawl_arena_printf(&f->arena, "%s/odd_%s.so", arguments[2], name);
  const struct pawl_worker_options worker = {
      .driver = PAWL_DRIVER_PLUGIN, .role = PAWL_ROLE_KERNEL, .name = name, .plugin = plugin, .timeout_seconds = 60};
  const struct pawl_worker_options *const arms[] = {&worker};
  struct pawl_verified verified[PAWL_MAX_ARMS] = {0};
  for (int i = 0; i < BLOCKS; i++) {
    const struct pawl_block_plan plan = {.warmup = 2,
                                         .samples = 8,
                                         .rounds = 2,
                                         .cache = PAWL_CACHE_COLD,
                                         .flush_bytes = 1 << 20,
                                         .threads = 2,
                                         .unseen_pairs = 4,
                                         .seed = (uint64_t)i,
                                         .verified = verified,
                                         .tolerance = &f->tolerance};
    struct pawl_block block;
    struct pawl_error err = {0};
    require(pawl_measure_block(&f->problem, arms, 1, &plan, &f->arena, &block, &err), &err);
    if (block.arms[0].outcome != PAWL_OUTCOME_OK) fail_msg("pawl accuses '%s': %s", name, block.arms[0].reason);
    assert_int_equal(block.arms[0].count, plan.samples);
    json_decref(block.arms[0].environment);
  }
}

static void test_none_is_accused(void **state) {
  (void)state;
  struct fixture f = {0};
  set_up(&f);
  for (int i = 3; i < argument_count; i++) require_honest(&f, arguments[i]);
  tear_down(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_none_is_accused)};
  arguments = argv;
  argument_count = argc;
  return argc > 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
