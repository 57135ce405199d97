/* SPDX-License-Identifier: Apache-2.0 */
/* A process that starts beside other work stands still while pawl times that work. Arguments:
   the plug-ins of the operator and of a kernel that computes for 0.2 s before it is there, and
   for 0.2 s before it is ready; pawl-worker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/ahead.h"
#include "measure_support.h"

#define TICK 0.011 /* s: the resolution of CPU time, and a little */
#define BEGUN 0.03 /* s of CPU time that a process uses before its plug-in computes, and more */
#define LOOKS 6    /* at different moments of the start */

static char **arguments;
static double timeout_seconds = 60;

struct blocks {
  struct fixture f;
  struct pawl_block_processes processes[3];
  struct pawl_starting *starting;
};

/* Two processes for each block, at rest; those of `side_by_side` blocks are to get ready at once.
 */
static void launch(struct blocks *blocks, int count, int side_by_side) {
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_PLUGIN,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "slow_start",
                                              .plugin = arguments[2],
                                              .timeout_seconds = timeout_seconds};
  const struct pawl_worker_options *const arms[] = {&options, &options};
  set_up(&blocks->f, arguments[1]);
  blocks->starting = pawl_starting_begin(side_by_side, 2, 1);
  for (int i = 0; i < count; i++) {
    const struct pawl_starting_block block = {&blocks->processes[i], i % 2, NULL};
    pawl_ahead_launch(&blocks->f.problem, arms, 2, &block, 1, true);
    pawl_starting_add(blocks->starting, &blocks->f.problem, &block);
  }
}

static void end(struct blocks *blocks) {
  pawl_starting_end(blocks->starting);
  for (int i = 0; i < 3; i++) pawl_block_processes_release(&blocks->processes[i]);
  tear_down(&blocks->f);
}

static double used(const struct pawl_block_processes *processes) {
  return pawl_worker_cpu_seconds(processes->workers[0]) +
         pawl_worker_cpu_seconds(processes->workers[1]);
}

static void require_still(const struct pawl_block_processes *processes) {
  const double before = used(processes);
  usleep(60000);
  assert_true(used(processes) - before < 2 * TICK);
}

static void nothing_runs_in_a_pause(void **state) {
  (void)state;
  struct blocks blocks = {0};
  launch(&blocks, 1, 1);
  for (int look = 0; look < LOOKS; look++) {
    usleep(40000);
    pawl_starting_pause(blocks.starting);
    require_still(&blocks.processes[0]);
    assert_true(pawl_starting_resume(blocks.starting));
  }
  pawl_starting_await(blocks.starting, &blocks.processes[0]);
  for (int arm = 0; arm < 2; arm++)
    assert_ptr_equal(blocks.processes[0].prepared[arm], &blocks.f.problem);
  assert_true(used(&blocks.processes[0]) > 0.7); /* it did compute: 0.4 s each */
  require_still(&blocks.processes[0]);           /* it rests now */
  end(&blocks);
}

static void a_pause_keeps_what_is_ready_at_rest(void **state) {
  (void)state;
  struct blocks blocks = {0};
  launch(&blocks, 1, 1);
  pawl_starting_await(blocks.starting, &blocks.processes[0]);
  pawl_starting_pause(blocks.starting);
  pawl_starting_resume(blocks.starting);
  require_still(&blocks.processes[0]);
  end(&blocks);
}

static void blocks_get_ready_in_their_order(void **state) {
  (void)state;
  struct blocks blocks = {0};
  launch(&blocks, 3, 1);
  pawl_starting_await(blocks.starting, &blocks.processes[0]);
  assert_true(used(&blocks.processes[2]) < BEGUN); /* it has waited */
  pawl_starting_await(blocks.starting, &blocks.processes[2]);
  assert_ptr_equal(blocks.processes[1].prepared[0], &blocks.f.problem);
  end(&blocks);
}

/* A pause of a second and more is no reason to give a process up after a second. */
static void a_pause_counts_for_no_time_limit(void **state) {
  (void)state;
  struct blocks blocks = {0};
  timeout_seconds = 1.5;
  launch(&blocks, 1, 1);
  timeout_seconds = 60;
  usleep(50000);
  pawl_starting_pause(blocks.starting);
  usleep(2000000);
  assert_true(pawl_starting_resume(blocks.starting));
  pawl_starting_await(blocks.starting, &blocks.processes[0]);
  for (int arm = 0; arm < 2; arm++)
    assert_ptr_equal(blocks.processes[0].prepared[arm], &blocks.f.problem);
  end(&blocks);
}

static void what_nobody_wants_is_killed(void **state) {
  (void)state;
  struct blocks blocks = {0};
  launch(&blocks, 3, 1);
  usleep(40000);
  pawl_starting_pause(blocks.starting);
  pawl_starting_stop(blocks.starting);
  blocks.starting = NULL;
  assert_null(blocks.processes[0].prepared[0]);
  assert_null(blocks.processes[0].workers[0]); /* it had begun, and was left out */
  end(&blocks);
}

/* The memory of a process includes the memory that its kernel allocates. */
static void a_process_tells_its_memory(void **state) {
  (void)state;
  struct blocks blocks = {0};
  launch(&blocks, 1, 1);
  pawl_starting_end(blocks.starting);
  blocks.starting = NULL;
  const uint64_t bytes = pawl_worker_private_bytes(blocks.processes[0].workers[0]);
  assert_true(bytes > (uint64_t)100 << 10 && bytes < (uint64_t)1 << 30);
  end(&blocks);
}

static void no_more_processes_than_memory_has_room_for(void **state) {
  (void)state;
  const struct pawl_device device = {.memory_bytes = (int64_t)16 << 30},
                           unknown = {.memory_bytes = -1};
  const uint64_t gib = (uint64_t)1 << 30;
  assert_int_equal(pawl_ahead_room(&device, gib, 17), 8);
  assert_int_equal(pawl_ahead_room(&device, gib, 5), 5);
  assert_int_equal(pawl_ahead_room(&device, 100 * gib, 17), 1);
  assert_int_equal(pawl_ahead_room(&device, 1, 17), 17);
  assert_int_equal(pawl_ahead_room(&device, 0, 17), 17); /* not known */
  assert_int_equal(pawl_ahead_room(&unknown, gib, 17), 17);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_runs_in_a_pause),
                                     cmocka_unit_test(a_pause_keeps_what_is_ready_at_rest),
                                     cmocka_unit_test(a_pause_counts_for_no_time_limit),
                                     cmocka_unit_test(blocks_get_ready_in_their_order),
                                     cmocka_unit_test(what_nobody_wants_is_killed),
                                     cmocka_unit_test(a_process_tells_its_memory),
                                     cmocka_unit_test(no_more_processes_than_memory_has_room_for)};
  arguments = argv;
  if (argc == 4) setenv("PAWL_WORKER", argv[3], 1);
  return argc == 4 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
