/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "device/cpu/conditions.h"
#include "device/cpu/thread_share.h"
#include "process/cpus.h"

struct machine {
  char root[64];
  struct pawl_arena arena;
};

static int set_up(void **state) {
  struct machine *machine = calloc(1, sizeof *machine);
  strcpy(machine->root, "/tmp/pawl-conditions-XXXXXX");
  assert_non_null(mkdtemp(machine->root));
  *state = machine;
  return 0;
}

static int tear_down(void **state) {
  struct machine *machine = *state;
  assert_int_equal(pawl_remove_tree(machine->root, NULL), PAWL_OK);
  pawl_arena_clear(&machine->arena);
  free(machine);
  return 0;
}

static void put(struct machine *machine, const char *path, const char *text) {
  const char *whole = pawl_arena_printf(&machine->arena, "%s%s", machine->root, path);
  char *folder = pawl_path_folder(whole);
  assert_int_equal(pawl_make_folders(folder, NULL), PAWL_OK);
  assert_int_equal(pawl_file_write(whole, text, strlen(text), NULL), PAWL_OK);
  pawl_free(folder);
}

/* The only condition that the machine shows. */
static struct pawl_condition only(struct machine *machine) {
  struct pawl_condition conditions[PAWL_CPU_CONDITIONS];
  assert_int_equal(pawl_cpu_conditions(machine->root, &machine->arena, conditions), 1);
  return conditions[0];
}

static void test_a_machine_that_shows_nothing(void **state) {
  struct machine *machine = *state;
  struct pawl_condition conditions[PAWL_CPU_CONDITIONS];
  assert_int_equal(pawl_cpu_conditions(machine->root, &machine->arena, conditions), 0);
}

static void test_governor(void **state) {
  struct machine *machine = *state;
  put(machine, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  assert_false(only(machine).ok);
  assert_string_equal(only(machine).found, "powersave");
  put(machine, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  assert_true(only(machine).ok);
}

static void test_turbo_of_intel(void **state) {
  struct machine *machine = *state;
  put(machine, "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  assert_false(only(machine).ok);
  put(machine, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  assert_true(only(machine).ok);
}

static void test_turbo_of_others(void **state) {
  struct machine *machine = *state;
  put(machine, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
  assert_false(only(machine).ok);
  put(machine, "/sys/devices/system/cpu/cpufreq/boost", "0\n");
  assert_true(only(machine).ok);
}

static void test_smt(void **state) {
  struct machine *machine = *state;
  put(machine, "/sys/devices/system/cpu/smt/active", "1\n");
  assert_false(only(machine).ok);
  put(machine, "/sys/devices/system/cpu/smt/active", "0\n");
  assert_true(only(machine).ok);
}

static void test_quota_is_the_smallest_of_all_groups_above(void **state) {
  struct machine *machine = *state;
  put(machine, "/proc/self/cgroup", "0::/a/b\n");
  put(machine, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  assert_true(only(machine).ok);
  put(machine, "/sys/fs/cgroup/cpu.max", "400000 100000\n");
  put(machine, "/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  assert_false(only(machine).ok);
  assert_string_equal(only(machine).found, "1.5 CPUs of time");
}

static void test_steal(void **state) {
  struct machine *machine = *state;
  put(machine, "/proc/stat", "cpu  50 0 40 100 0 0 0 10 0 0\ncpu0 1 1\n");
  assert_false(only(machine).ok);
  assert_non_null(strstr(only(machine).found, "5 %"));
  put(machine, "/proc/stat", "cpu  500 0 495 1000 0 0 0 5 0 0\n");
  assert_true(only(machine).ok);
}

static bool judged_ok(struct machine *machine, double share, int threads, double other) {
  struct pawl_condition condition;
  pawl_thread_share_judge(share, threads, other, &machine->arena, &condition);
  return condition.ok;
}

static void test_threads_that_share_a_cpu(void **state) {
  struct machine *machine = *state;
  assert_true(judged_ok(machine, 7.8, 8, 0.1));
  assert_true(judged_ok(machine, 3.9, 4, NAN));
  assert_false(judged_ok(machine, 1.1, 4, 0.1));
  assert_true(judged_ok(machine, 5.1, 8, 2));    /* others take their part */
  assert_false(judged_ok(machine, 0.9, 4, 3.1)); /* nothing can be said */
  const struct pawl_cpus all = pawl_cpus_of_process(&machine->arena), one = {all.numbers, 1};
  assert_true(pawl_cpus_bind(&one)); /* a scheduler that packs the threads does this */
  const double packed = pawl_thread_share(3);
  assert_true(pawl_cpus_bind(&all));
  assert_true(packed > 0 && packed < 1.2);
  assert_false(judged_ok(machine, packed, 3, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_a_machine_that_shows_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_governor, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_turbo_of_intel, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_turbo_of_others, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_smt, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_quota_is_the_smallest_of_all_groups_above, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_steal, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_threads_that_share_a_cpu, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
