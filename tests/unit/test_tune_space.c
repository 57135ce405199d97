/* SPDX-License-Identifier: Apache-2.0 */
/* The space of a tuning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "tune/space.h"

static const char *sizes[] = {"16", "32", "64", NULL}, *modes[] = {"row", "column", NULL};

static struct pawl_kernel_spec make_spec(const char **constraints, size_t count) {
  static struct pawl_tune_dimension tune[] = {
      {"M", {sizes, 3}}, {"N", {sizes, 3}}, {"ORDER", {modes, 2}}};
  static struct pawl_param_value params[] = {{"M", "16"}, {"WARPS", "4"}};
  return (struct pawl_kernel_spec){.name = "k",
                                   .tune = tune,
                                   .tune_count = 3,
                                   .params = params,
                                   .param_count = 2,
                                   .constraints = {constraints, count},
                                   .line = 7};
}

static void test_space(void **state) {
  (void)state;
  const char *constraints[] = {"M * N <= 1024", "ORDER == 'row' or N != 32", "M % WARPS == 0",
                               NULL};
  const struct pawl_kernel_spec spec = make_spec(constraints, 3);
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_error err = {0};
  assert_int_equal(pawl_space_init(&space, &spec, "pawl.yaml", &arena, &err), PAWL_OK);
  /* (16,16) (16,32) (16,64) (32,16) (32,32) (64,16): column only where N is not 32 */
  assert_int_equal(space.count, 6 + 4);
  assert_true(space.axes[0].ordinal);
  assert_false(space.axes[2].ordinal);
  struct pawl_text key = {0};
  pawl_space_key(&space, 2, &key);
  assert_string_equal(key.data, "M=16,N=32,ORDER=row");
  pawl_text_clear(&key);
  for (size_t i = 0; i < space.count; i++)
    assert_int_equal(pawl_space_find(&space, pawl_space_at(&space, i)), i);
  assert_int_equal(pawl_space_find_key(&space, "M=16,N=32,ORDER=row"), 2);
  assert_true(pawl_space_find_key(&space, "M=16,N=32") == PAWL_NO_CONFIGURATION);
  assert_true(pawl_space_find_key(&space, "M=16,N=32,ORDER=row,") == PAWL_NO_CONFIGURATION);
  assert_true(pawl_space_find_key(&space, "M=16,N=3,ORDER=row") == PAWL_NO_CONFIGURATION);
  const uint16_t excluded[] = {2, 2, 0};
  assert_true(pawl_space_find(&space, excluded) == PAWL_NO_CONFIGURATION);
  pawl_arena_clear(&arena);
}

/* A value may begin like another one and have commas. pawl refuses values that would make two
   keys one. */
static void test_values_with_commas(void **state) {
  (void)state;
  const char *flags[] = {"-O2", "-O2,-g", "-O2,N", "-O2,N=1", NULL}, *numbers[] = {"1", "1,", NULL};
  struct pawl_tune_dimension tune[] = {{"FLAGS", {flags, 3}}, {"N", {numbers, 2}}};
  struct pawl_kernel_spec spec = {.name = "k", .tune = tune, .tune_count = 2, .line = 7};
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_error err = {0};
  assert_int_equal(pawl_space_init(&space, &spec, "pawl.yaml", &arena, &err), PAWL_OK);
  assert_int_equal(space.count, 6);
  for (size_t i = 0; i < space.count; i++) {
    struct pawl_text key = {0};
    pawl_space_key(&space, i, &key);
    assert_int_equal(pawl_space_find_key(&space, key.data), i);
    pawl_text_clear(&key);
  }
  tune[0].values.count = 4;
  assert_int_equal(pawl_space_init(&space, &spec, "pawl.yaml", &arena, &err), PAWL_CONFIG);
  assert_string_equal(
      err.message,
      "pawl.yaml:7: kernel 'k': the value '-O2,N=1' of FLAGS contains ',N='; write it otherwise");
  pawl_arena_clear(&arena);
}

static size_t count_differences(const struct pawl_space *space, size_t a, size_t b) {
  size_t count = 0;
  for (size_t axis = 0; axis < space->axis_count; axis++)
    count += pawl_space_at(space, a)[axis] != pawl_space_at(space, b)[axis];
  return count;
}

/* Each configuration that differs in one parameter, once. */
static void test_neighbours(void **state) {
  (void)state;
  const char *constraints[] = {"M * N <= 1024", "ORDER == 'row' or N != 32", NULL};
  const struct pawl_kernel_spec spec = make_spec(constraints, 2);
  struct pawl_arena arena = {0};
  struct pawl_space space;
  struct pawl_error err = {0};
  assert_int_equal(pawl_space_init(&space, &spec, "pawl.yaml", &arena, &err), PAWL_OK);
  for (size_t i = 0; i < space.count; i++) {
    size_t times[10] = {0}, index;
    struct pawl_neighbours neighbours = pawl_space_neighbours(&space, i);
    assert_true(space.count <= 10);
    while ((index = pawl_space_next_neighbour(&neighbours)) != PAWL_NO_CONFIGURATION)
      times[index]++;
    assert_true(pawl_space_next_neighbour(&neighbours) == PAWL_NO_CONFIGURATION);
    for (size_t j = 0; j < space.count; j++)
      assert_int_equal(times[j], count_differences(&space, i, j) == 1);
  }
  pawl_arena_clear(&arena);
}

static void expect_failure(const struct pawl_kernel_spec *spec, const char *message) {
  struct pawl_arena arena = {0};
  struct pawl_space space = {.count = 99};
  struct pawl_error err = {0};
  assert_int_equal(pawl_space_init(&space, spec, "pawl.yaml", &arena, &err), PAWL_CONFIG);
  assert_string_equal(err.message, message);
  assert_int_equal(space.count, 99);
  pawl_arena_clear(&arena);
}

static void test_space_mistakes(void **state) {
  (void)state;
  const char *none[] = {"M > 100", NULL}, *wrong[] = {"M * Q < 4", NULL};
  struct pawl_kernel_spec spec = make_spec(none, 1);
  expect_failure(&spec, "pawl.yaml:7: kernel 'k': no configuration satisfies all constraints");
  spec = make_spec(wrong, 1);
  expect_failure(&spec,
                 "pawl.yaml:7: kernel 'k': constraint 'M * Q < 4', column 5: no parameter 'Q'");
  spec.tune_count = 0;
  expect_failure(&spec,
                 "pawl.yaml:7: kernel 'k' has no 'tune'; list the parameters to try, such as "
                 "{BLOCK_M: [16, 32]}");
}

/* Conditions of a T1 file have one line of pawl.yaml: the message names the file and which of them
 * it is. */
static void test_mistakes_of_a_file(void **state) {
  (void)state;
  const char *wrong[] = {"M > 1", "M * Q < 4", NULL},
             *divides[] = {"M > 1", "64 // (N - 16) > 1", NULL};
  const int lines[] = {9, 9};
  struct pawl_kernel_spec spec = make_spec(wrong, 2);
  spec.constraint_lines = lines;
  spec.constraint_file = "t1.json";
  expect_failure(&spec,
                 "pawl.yaml:9: kernel 'k': condition 2 of 't1.json': constraint 'M * Q < 4', "
                 "column 5: no parameter 'Q'");
  spec.constraints.items = divides;
  expect_failure(&spec,
                 "pawl.yaml:9: kernel 'k': condition 2 of 't1.json': constraint '64 // (N - 16) > "
                 "1' divides by zero; "
                 "guard it with 'or' or 'and'");
}

static void test_too_large(void **state) {
  (void)state;
  const char *values[101];
  struct pawl_tune_dimension tune[4];
  char text[100][16];
  for (int i = 0; i < 100; i++) {
    snprintf(text[i], sizeof text[i], "%d", i);
    values[i] = text[i];
  }
  static const char *const axis[] = {"A", "B", "C", "D"};
  for (int i = 0; i < 4; i++) tune[i] = (struct pawl_tune_dimension){axis[i], {values, 100}};
  const struct pawl_kernel_spec spec = {.name = "k", .tune = tune, .tune_count = 4, .line = 1};
  expect_failure(&spec,
                 "pawl.yaml:1: kernel 'k' has more than 1000000 configurations; add constraints or "
                 "list fewer values");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_space),
                                     cmocka_unit_test(test_values_with_commas),
                                     cmocka_unit_test(test_neighbours),
                                     cmocka_unit_test(test_space_mistakes),
                                     cmocka_unit_test(test_mistakes_of_a_file),
                                     cmocka_unit_test(test_too_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
