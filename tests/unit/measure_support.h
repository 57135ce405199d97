/* SPDX-License-Identifier: Apache-2.0 */
/* A problem of y = 2 x over 4096 elements, and one plug-in measured on it as `bench` does it. */
#pragma once

#include <string.h>

#include "measure/block.h"

#define ELEMENTS 4096
#define SAMPLES 8

struct fixture {
  struct pawl_oracle oracle;
  struct pawl_problem problem;
  struct pawl_tolerance tolerance;
  struct pawl_arena arena;
  enum pawl_cache_mode cache; /* for each block */
};

static void require(enum pawl_status_code status, const struct pawl_error *err) {
  if (status != PAWL_OK) fail_msg("%s", err->message);
}

static void fill_inputs(struct fixture *f) {
  struct pawl_error err = {0};
  for (int set = 0; set < PAWL_MEASURE_SETS; set++)
    require(pawl_problem_fill(&f->problem, set, "normal", pawl_measure_set_seed(7, set), &err),
            &err);
}

static void set_up(struct fixture *f, const char *operator_plugin) {
  struct pawl_error err = {0};
  const struct pawl_oracle_options options = {.worker = {.name = "scale",
                                                         .driver = PAWL_DRIVER_PLUGIN,
                                                         .plugin = operator_plugin,
                                                         .timeout_seconds = 60}};
  f->cache = PAWL_CACHE_COLD;
  require(pawl_oracle_init(&f->oracle, &options, &err), &err);
  struct pawl_dim dims[] = {{"n", ELEMENTS}};
  struct pawl_case config = {.name = "odd", .operator_name = "scale", .dtype = PAWL_F32};
  config.dims = pawl_arena_alloc(&f->arena, 1, sizeof *config.dims);
  memcpy(config.dims, dims, sizeof dims);
  config.count = 1;
  require(pawl_problem_init(&f->problem, &f->oracle, &config, PAWL_MEASURE_SETS, &err), &err);
  fill_inputs(f);
  require(pawl_oracle_tolerance(&f->oracle, PAWL_F32, NULL, &f->tolerance, &err), &err);
}

static void tear_down(struct fixture *f) {
  pawl_problem_release(&f->problem);
  pawl_oracle_release(&f->oracle);
  pawl_arena_clear(&f->arena);
}

/* A block of a kernel: cold calls have inputs of their own. */
static inline void measure(struct fixture *f, const char *name, const char *plugin, int block,
                           struct pawl_verified *verified, struct pawl_block *out) {
  const struct pawl_worker_options worker = {.driver = PAWL_DRIVER_PLUGIN,
                                             .role = PAWL_ROLE_KERNEL,
                                             .name = name,
                                             .plugin = plugin,
                                             .timeout_seconds = 60};
  const struct pawl_worker_options *const arms[] = {&worker};
  const struct pawl_block_plan plan = {.warmup = 2,
                                       .samples = SAMPLES,
                                       .rounds = 2,
                                       .cache = f->cache,
                                       .flush_bytes = 1 << 20,
                                       .threads = 2,
                                       .fresh_pairs = 4,
                                       .seed = (uint64_t)block,
                                       .verified = verified,
                                       .tolerance = &f->tolerance};
  struct pawl_error err = {0};
  require(pawl_measure_block(&f->problem, arms, 1, &plan, &f->arena, out, &err), &err);
  json_decref(out->arms[0].environment);
}
