/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that go from shape to shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "sweep/measure.h"

static struct pawl_sweep_point points[] = {{.operator_name = "scale", .device = "cuda"},
                                           {.operator_name = "scale", .device = "cuda"},
                                           {.operator_name = "scale", .device = "cuda"}};
static const struct pawl_sweep_plan plan = {.points = points, .point_count = 3, .most_blocks = 8};
static const struct pawl_device gpu = {.kind = PAWL_CUDA, .memory_bytes = (int64_t)1 << 40};
static const struct pawl_worker_options *const none[2]; /* no process starts */
static struct pawl_oracle oracle;
static struct pawl_problem problem = {.oracle = &oracle};
static struct pawl_shutdown shutdown;

static const struct pawl_sweep_call first = {.plan = &plan,
                                             .problem = &problem,
                                             .device = &gpu,
                                             .workers = none,
                                             .arm_count = 2,
                                             .threads = 1,
                                             .shutdown = &shutdown};

/* The problems of two visits may have one address. So each process must prepare the second one,
   also if the visit first wants fewer blocks than there are crews. */
static void no_crew_keeps_the_problem_of_another_shape(void **state) {
  (void)state;
  bool served[3] = {false};
  struct pawl_sweep_crews crews = {.served = served};
  struct pawl_sweep_call call = first;
  pawl_sweep_crews_call(&crews, &call, PAWL_SWEEP_VISIT_BLOCKS);
  pawl_sweep_crews_settle(&crews, false);
  assert_int_equal(crews.count, PAWL_SWEEP_VISIT_BLOCKS);
  for (size_t i = 0; i < crews.count; i++)
    for (int arm = 0; arm < 2; arm++) crews.items[i].processes.prepared[arm] = &problem;
  call.point = 1;
  pawl_sweep_crews_call(&crews, &call, 1);
  pawl_sweep_crews_settle(&crews, false);
  assert_int_equal(crews.count, PAWL_SWEEP_VISIT_BLOCKS);
  for (size_t i = 0; i < crews.count; i++)
    for (int arm = 0; arm < 2; arm++) assert_null(crews.items[i].processes.prepared[arm]);
  pawl_sweep_crews_dismiss(&crews, &shutdown);
}

/* Six crews of two arms take 77 GB of an H200. A crew counts with what its kernels allocated by
   themselves. */
static void crews_share_most_of_the_memory(void **state) {
  (void)state;
  bool served[3] = {false};
  const struct pawl_device h200 = {.kind = PAWL_CUDA, .memory_bytes = 150754820096};
  struct pawl_problem large = problem;
  large.end = (uint64_t)5 << 30;
  struct pawl_sweep_call call = first;
  call.device = &h200;
  call.problem = &large;
  for (int own = 0; own < 2; own++) {
    struct pawl_sweep_crews crews = {.served = served, .own_bytes = own ? (uint64_t)10 << 30 : 0};
    memset(served, 0, sizeof served);
    pawl_sweep_crews_call(&crews, &call, PAWL_SWEEP_VISIT_BLOCKS);
    pawl_sweep_crews_settle(&crews, false);
    assert_int_equal(crews.count, own ? 4 : PAWL_SWEEP_VISIT_BLOCKS);
    pawl_sweep_crews_dismiss(&crews, &shutdown);
  }
}

/* A visit that gets fewer crews than it wants gets pairs, and ends with their blocks. */
static void crews_are_all_that_a_visit_wants_or_pairs(void **state) {
  (void)state;
  static const struct {
    int64_t memory;
    uint64_t tensors;
    int arms;
    size_t wanted, crews;
  } rows[] = {{(int64_t)24 << 30, (uint64_t)5 << 30, 2, 6, 0},
              {(int64_t)24 << 30, (uint64_t)2 << 30, 2, 6, 2},
              {(int64_t)139 << 30, (uint64_t)5 << 30, 1, 7, 7},
              {(int64_t)139 << 30, (uint64_t)24 << 30, 2, 6, 2},
              {(int64_t)139 << 30, (uint64_t)40 << 30, 2, 6, 0},
              {(int64_t)139 << 30, (uint64_t)40 << 30, 2, 1, 1}};
  for (size_t i = 0; i < PAWL_COUNT(rows); i++) {
    bool served[3] = {false};
    struct pawl_sweep_crews crews = {.served = served};
    const struct pawl_device device = {.kind = PAWL_CUDA, .memory_bytes = rows[i].memory};
    struct pawl_problem large = problem;
    struct pawl_sweep_call call = first;
    large.end = rows[i].tensors;
    call.arm_count = rows[i].arms;
    call.device = &device;
    call.problem = &large;
    assert_int_equal(pawl_sweep_crews_call(&crews, &call, rows[i].wanted), rows[i].crews);
    pawl_sweep_crews_settle(&crews, false);
    assert_int_equal(crews.count, rows[i].crews);
    pawl_sweep_crews_dismiss(&crews, &shutdown);
  }
}

/* The mean over shapes takes one block of each, by their numbers. A process with blocks of two
   numbers would count as two. */
static void a_crew_measures_blocks_of_one_number(void **state) {
  (void)state;
  bool served[3] = {false};
  struct pawl_sweep_crews crews = {.served = served};
  struct pawl_sweep_call call = first;
  call.counted = 4;
  pawl_sweep_crews_call(&crews, &call, 2);
  pawl_sweep_crews_settle(&crews, false);
  crews.items[1].processes.workspace_bytes[0] = 7; /* a mark */
  call.point = 1;
  pawl_sweep_crews_call(&crews, &call, 2);
  pawl_sweep_crews_settle(&crews, false);
  assert_int_equal(crews.items[1].processes.workspace_bytes[0], 7);
  call.point = 2;
  call.counted = 3;
  pawl_sweep_crews_call(&crews, &call, 2);
  pawl_sweep_crews_settle(&crews, false);
  assert_int_equal(crews.items[1].processes.workspace_bytes[0], 0);
  assert_false(served[0] || served[1]);
  pawl_sweep_crews_dismiss(&crews, &shutdown);
}

/* Whatever the numbers drawn at random are: here none asks for it, or each. A spoiled block proves
   nothing. */
static void two_blocks_look_at_fresh_inputs(void **state) {
  (void)state;
  struct pawl_sweep_plan planned = plan;
  planned.least_blocks = 12;
  for (uint32_t word = 0; word < 2; word++) {
    struct pawl_sweep sweep = {.plan = planned};
    bool seen[14];
    for (size_t i = 0; i < 14; i++) {
      const struct pawl_sweep_block block = {
          .point = 1,
          .number = i,
          .spoiled = i == 0 || i == 3 ? "busy" : NULL,
          .fresh = seen[i] = pawl_sweep_takes_fresh(&sweep, 1, word)};
      pawl_sweep_add(&sweep, &block);
    }
    assert_true(seen[0] && seen[1] && seen[13]); /* the 12th block that counts */
    assert_int_equal(pawl_sweep_count_fresh(&sweep, 1), word ? 2 : 12);
    assert_int_equal(pawl_sweep_count_fresh(&sweep, 0), 0);
    pawl_sweep_release(&sweep);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_blocks_look_at_fresh_inputs),
                                     cmocka_unit_test(no_crew_keeps_the_problem_of_another_shape),
                                     cmocka_unit_test(crews_share_most_of_the_memory),
                                     cmocka_unit_test(crews_are_all_that_a_visit_wants_or_pairs),
                                     cmocka_unit_test(a_crew_measures_blocks_of_one_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
