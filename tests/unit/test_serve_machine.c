/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of starting and stopping, over a clock made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those before it */
#include <cmocka.h>
#include <math.h>

#include "serve/machine.h"

static const struct pawl_machine_policy policy = {
    .idle_stop = 300, .min_up = 600, .start_again = 900};
static const struct pawl_machine_demand none = {0}, one = {.queued = 1, .waiting = 1000},
                                        runs = {.running = 1};

static enum pawl_machine_action step(struct pawl_machine *machine,
                                     const struct pawl_machine_demand *demand, double now,
                                     double *again) {
  pawl_machine_note(machine, demand, now);
  return pawl_machine_decide(machine, &policy, demand, now, again);
}

static void run(struct pawl_machine *machine, enum pawl_machine_action action, bool ok,
                double now) {
  pawl_machine_begin(machine, action);
  pawl_machine_end(machine, action, ok, now);
}

static void a_job_starts_it_and_idleness_stops_it(void **state) {
  (void)state;
  struct pawl_machine machine = {0};
  double again;
  assert_int_equal(step(&machine, &none, 999, &again), PAWL_ACTION_NONE);
  assert_true(isinf(again)); /* a machine that nobody started is not ours to stop */
  assert_int_equal(step(&machine, &one, 1000, &again), PAWL_ACTION_START);
  run(&machine, PAWL_ACTION_START, true, 1060);
  assert_int_equal(machine.state, PAWL_MACHINE_UP);
  assert_int_equal(step(&machine, &runs, 1500, &again), PAWL_ACTION_NONE);
  assert_true(isinf(again));
  assert_int_equal(step(&machine, &none, 2000, &again), PAWL_ACTION_NONE);
  assert_true(again >= 2300 && again <= 2300);
  assert_int_equal(step(&machine, &none, 2299.9, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 2300, &again), PAWL_ACTION_STOP);
  run(&machine, PAWL_ACTION_STOP, true, 2310);
  assert_int_equal(machine.state, PAWL_MACHINE_OFF);
}

static void it_is_not_stopped_before_its_least_time_is_up(void **state) {
  (void)state;
  struct pawl_machine machine = {.state = PAWL_MACHINE_UP, .started = 1000};
  double again;
  assert_int_equal(step(&machine, &none, 1010, &again), PAWL_ACTION_NONE);
  assert_true(again >= 1600 && again <= 1600); /* idle for 300 s at 1310 already */
  assert_int_equal(step(&machine, &none, 1599, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 1600, &again), PAWL_ACTION_STOP);
}

static void new_work_begins_the_idle_time_anew(void **state) {
  (void)state;
  struct pawl_machine machine = {.state = PAWL_MACHINE_UP, .started = 1};
  double again;
  step(&machine, &none, 2000, &again);
  assert_int_equal(step(&machine, &runs, 2299, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 2400, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 2699, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 2700, &again), PAWL_ACTION_STOP);
}

static void nothing_is_begun_while_a_command_runs(void **state) {
  (void)state;
  struct pawl_machine machine = {0};
  double again;
  pawl_machine_begin(&machine, PAWL_ACTION_START);
  assert_int_equal(step(&machine, &one, 1e6, &again), PAWL_ACTION_NONE);
  machine = (struct pawl_machine){.state = PAWL_MACHINE_UP};
  pawl_machine_begin(&machine, PAWL_ACTION_STOP);
  assert_int_equal(step(&machine, &one, 1e6, &again), PAWL_ACTION_NONE);
  pawl_machine_end(&machine, PAWL_ACTION_STOP, true, 1e6); /* the job came while it stopped */
  assert_int_equal(step(&machine, &one, 1e6, &again), PAWL_ACTION_START);
}

static void failures_wait_longer_and_longer(void **state) {
  (void)state;
  struct pawl_machine machine = {0};
  const double waits[] = {10, 20, 40, 80, 160, 320, 600, 600};
  double now = 1000, again;
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    assert_int_equal(step(&machine, &one, now, &again), PAWL_ACTION_START);
    run(&machine, PAWL_ACTION_START, false, now);
    assert_int_equal(step(&machine, &one, now + waits[i] - 0.1, &again), PAWL_ACTION_NONE);
    assert_true(fabs(again - now - waits[i]) < 1e-6);
    now += waits[i];
  }
  assert_int_equal(step(&machine, &one, now, &again), PAWL_ACTION_START);
  run(&machine, PAWL_ACTION_START, true, now);
  assert_int_equal(machine.failures, 0);
}

static void a_start_that_failed_half_way_is_stopped_when_nobody_waits(void **state) {
  (void)state;
  struct pawl_machine machine = {0};
  double again;
  step(&machine, &one, 1000, &again);
  run(&machine, PAWL_ACTION_START, false, 1000);
  assert_int_equal(step(&machine, &none, 1100, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 1400, &again), PAWL_ACTION_STOP);
}

static void a_machine_that_was_taken_away_is_started_again(void **state) {
  (void)state;
  struct pawl_machine machine = {.state = PAWL_MACHINE_UP, .started = 900};
  double again;
  assert_int_equal(step(&machine, &one, 1899, &again), PAWL_ACTION_NONE); /* waits since 1000 */
  assert_int_equal(step(&machine, &one, 1900, &again), PAWL_ACTION_START);
  const struct pawl_machine_demand both = {.queued = 1, .running = 1, .waiting = 1000};
  assert_int_equal(step(&machine, &both, 1e6, &again),
                   PAWL_ACTION_NONE); /* it is there: a job runs on it */
}

static void after_a_crash_a_running_command_has_an_unknown_end(void **state) {
  (void)state;
  struct pawl_machine machine = {.state = PAWL_MACHINE_STOPPING, .started = 1, .idle = 1000};
  double again;
  pawl_machine_recover(&machine);
  assert_int_equal(machine.state, PAWL_MACHINE_UNKNOWN);
  assert_int_equal(step(&machine, &one, 2000, &again), PAWL_ACTION_START);
  assert_int_equal(step(&machine, &none, 2000, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 2300, &again), PAWL_ACTION_STOP);
  machine.state = PAWL_MACHINE_STARTING;
  pawl_machine_recover(&machine);
  assert_int_equal(machine.state, PAWL_MACHINE_UNKNOWN);
  machine.state = PAWL_MACHINE_UP;
  pawl_machine_recover(&machine);
  assert_int_equal(machine.state, PAWL_MACHINE_UP);
}

static void a_clock_set_back_stops_nothing_for_ever(void **state) {
  (void)state;
  struct pawl_machine machine = {.state = PAWL_MACHINE_UP, .started = 100, .idle = 1e9};
  double again;
  assert_int_equal(step(&machine, &none, 5000, &again), PAWL_ACTION_NONE);
  assert_int_equal(step(&machine, &none, 5300, &again), PAWL_ACTION_STOP);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_job_starts_it_and_idleness_stops_it),
      cmocka_unit_test(it_is_not_stopped_before_its_least_time_is_up),
      cmocka_unit_test(new_work_begins_the_idle_time_anew),
      cmocka_unit_test(nothing_is_begun_while_a_command_runs),
      cmocka_unit_test(failures_wait_longer_and_longer),
      cmocka_unit_test(a_start_that_failed_half_way_is_stopped_when_nobody_waits),
      cmocka_unit_test(a_machine_that_was_taken_away_is_started_again),
      cmocka_unit_test(after_a_crash_a_running_command_has_an_unknown_end),
      cmocka_unit_test(a_clock_set_back_stops_nothing_for_ever),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
