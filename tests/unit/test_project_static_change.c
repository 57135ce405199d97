/* SPDX-License-Identifier: Apache-2.0 */
#include "project/static_change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* after the four above */
#include <cmocka.h>

#include "build/cubin.h"

static struct pawl_arena arena;

static struct pawl_device_function function(const char *name, long long registers, long long spills,
                                            long long code) {
  return (struct pawl_device_function){name, 90, registers, 0, spills, 0, 1024, code, 512};
}

static const char *change(struct pawl_device_function *base, size_t base_count,
                          struct pawl_device_function *candidate, size_t count) {
  const struct pawl_build_result before = {.functions = base, .function_count = base_count};
  const struct pawl_build_result after = {.functions = candidate, .function_count = count};
  return pawl_static_change(&before, &after, &arena);
}

static void test_what_changed_most_comes_first(void **state) {
  (void)state;
  struct pawl_device_function base[] = {function("a", 40, 0, 1000), function("b", 64, 0, 1000),
                                        function("c", 128, 0, 4000), function("d", 32, 0, 900)};
  struct pawl_device_function now[] = {function("a", 40, 0, 1005), function("b", 60, 0, 1000),
                                       function("c", 128, 48, 4400), function("d", 33, 0, 900)};
  assert_string_equal(change(base, 4, now, 4),
                      "machine code of c: spills 0 -> 48 B a thread, code 4000 -> 4400 B; b: "
                      "registers a thread 64 -> "
                      "60; 1 more function changed");
}

static void test_another_occupancy_is_said(void **state) {
  (void)state;
  struct pawl_device_function base = function("f", 64, 0, 100), now = function("f", 128, 0, 100);
  assert_string_equal(
      change(&base, 1, &now, 1),
      "machine code of f: registers a thread 64 -> 128, occupancy at most 50 % -> 25 %");
}

/* The mangled name of an anonymous namespace holds a hash of the file. */
static void test_functions_align_by_the_names_that_people_write(void **state) {
  (void)state;
  struct pawl_device_function base =
      function("_ZN36_GLOBAL__N__11111111_4_a_cu_222222224sdpaEPf", 64, 0, 100);
  struct pawl_device_function now =
      function("_ZN36_GLOBAL__N__33333333_4_a_cu_444444444sdpaEPf", 65, 0, 100);
  const char *text = change(&base, 1, &now, 1);
  if (!text) fail_msg("not aligned");
  assert_non_null(strstr(text, "registers a thread 64 -> 65"));
}

static void test_nothing_to_say(void **state) {
  (void)state;
  struct pawl_device_function base = function("f", 64, 0, 1000), now = function("f", 64, 0, 1010);
  struct pawl_device_function other = function("g", 1, 0, 1), unknown = function("f", -1, -1, 1000);
  assert_null(change(&base, 1, &now, 1)); /* another order of the same instructions */
  assert_null(change(&base, 1, &other, 1));
  assert_null(change(&base, 1, &unknown, 1));
  assert_null(change(NULL, 0, &now, 1));
}

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_what_changed_most_comes_first, clear_arena),
      cmocka_unit_test_teardown(test_another_occupancy_is_said, clear_arena),
      cmocka_unit_test_teardown(test_functions_align_by_the_names_that_people_write, clear_arena),
      cmocka_unit_test_teardown(test_nothing_to_say, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
