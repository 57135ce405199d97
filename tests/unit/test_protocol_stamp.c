/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that works on its inputs in a signal handler, before its clock runs, gains nothing where
   pawl loses its CPU in between: while it changes the inputs, or right after it lets the call
   begin. The test takes the CPU away. Arguments: the operator's plug-in, the kernel's, that of one
   whose handler starts a helper, an honest kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "measure_support.h"
#include "protocol/stamp.h"

#define WORK_SECONDS 1e-3
#define GAIN_SECONDS 20e-6 /* that a call may have before pawl asks what became of it */
#define MOST_BLOCKS 10
#define AWAY_US 5000 /* more than the work */

static char **arguments;

/* Where pawl loses its CPU, and in which call it last did. */
static enum { NOWHERE, AS_INPUTS_CHANGE, AS_CALLS_BEGIN } away;
static _Atomic uint32_t last_turn;
static unsigned char *map;

void __real_pawl_problem_put_new(struct pawl_problem *problem, int set, bool evict);
void __wrap_pawl_problem_put_new(struct pawl_problem *problem, int set, bool evict);
void __wrap_pawl_problem_put_new(struct pawl_problem *problem, int set, bool evict) {
  __real_pawl_problem_put_new(problem, set, evict);
  if (away == AS_INPUTS_CHANGE) usleep(AWAY_US);
}

int64_t __real_pawl_clock_ns(void);
int64_t __wrap_pawl_clock_ns(void);
int64_t __wrap_pawl_clock_ns(void) {
  if (away == AS_CALLS_BEGIN) {
    const uint32_t turn = *(pawl_stamp *)(void *)(map + PAWL_GO_BYTE);
    if (turn == *(pawl_stamp *)(void *)(map + PAWL_READY_BYTE) &&
        atomic_exchange(&last_turn, turn) != turn)
      usleep(AWAY_US);
  }
  return __real_pawl_clock_ns();
}

static struct pawl_arm_block measured(struct fixture *f, const char *name, const char *plugin) {
  struct pawl_block block;
  measure(f, name, plugin, 0, NULL, &block);
  return block.arms[0];
}

static struct pawl_arm_block require_ok(struct fixture *f, const char *name, const char *plugin) {
  const struct pawl_arm_block arm = measured(f, name, plugin);
  if (arm.outcome != PAWL_OUTCOME_OK) fail_msg("pawl accuses '%s': %s", name, arm.reason);
  assert_int_equal(arm.count, SAMPLES);
  return arm;
}

/* On a busy machine pawl's own clock can show that the times are false: then none of them counts,
   and another block must. */
static struct pawl_arm_block require_times(struct fixture *f, const char *name,
                                           const char *plugin) {
  struct pawl_arm_block arm = measured(f, name, plugin);
  for (int i = 1;
       i < MOST_BLOCKS && arm.outcome != PAWL_OUTCOME_OK && strstr(arm.reason, "impossible times");
       i++)
    arm = measured(f, name, plugin);
  if (arm.outcome != PAWL_OUTCOME_OK) fail_msg("'%s' fails: %s", name, arm.reason);
  return arm;
}

static void require_no_gain(struct fixture *f, const char *name, const char *plugin) {
  for (away = NOWHERE; away <= AS_CALLS_BEGIN; away++) {
    const struct pawl_arm_block arm = require_times(f, name, plugin);
    assert_int_equal(arm.count, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) assert_true(arm.seconds[i] >= WORK_SECONDS - GAIN_SECONDS);
  }
}

static void test_who_works_ahead_gains_nothing(void **state) {
  require_no_gain(*state, "computes_in_handler", arguments[2]);
}

static void test_who_has_a_child_work_ahead_gains_nothing(void **state) {
  require_no_gain(*state, "computes_in_child", arguments[3]);
}

/* Calls count although pawl never sees them begin in time: as long as they may have taken. */
static void test_an_honest_kernel_is_not_accused(void **state) {
  struct fixture *f = *state;
  away = AS_INPUTS_CHANGE;
  const struct pawl_arm_block arm = require_ok(f, "honest", arguments[4]);
  assert_int_equal(arm.charged, SAMPLES);
  for (int i = 0; i < SAMPLES; i++) assert_true(arm.seconds[i] >= AWAY_US * 1e-6);
  away = AS_CALLS_BEGIN;
  require_ok(f, "honest", arguments[4]);
}

static int begin(void **state) {
  static struct fixture f;
  set_up(&f, arguments[1]);
  map = f.oracle.tensors.map;
  *state = &f;
  return 0;
}

static int end(void **state) {
  away = NOWHERE;
  tear_down(*state);
  return 0;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_works_ahead_gains_nothing),
      cmocka_unit_test(test_who_has_a_child_work_ahead_gains_nothing),
      cmocka_unit_test(test_an_honest_kernel_is_not_accused)};
  arguments = argv;
  return argc == 5 ? cmocka_run_group_tests(tests, begin, end) : 2;
}
