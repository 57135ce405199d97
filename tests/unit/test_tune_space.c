/* SPDX-License-Identifier: Apache-2.0 */
/* The space of a tuning and the expressions that constrain it. */
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

static const char *const names[] = {"A", "B", "MODE"};

static enum pawl_status_code evaluate(const char *text, const char *a, const char *b, const char *mode, bool *out,
                                      struct pawl_error *err) {
  struct pawl_arena arena = {0};
  struct pawl_expression expression;
  const struct pawl_tune_value values[] = {pawl_tune_value_of(a), pawl_tune_value_of(b), pawl_tune_value_of(mode)};
  enum pawl_status_code status = pawl_expression_parse(text, names, 3, &arena, &expression, err);
  if (status == PAWL_OK) status = pawl_expression_holds(&expression, values, out, err);
  pawl_arena_clear(&arena);
  return status;
}

static void test_expressions(void **state) {
  (void)state;
  /* A = 6, B = 4, MODE = row; what Python says of the same text */
  static const struct {
    const char *text;
    bool holds;
  } rows[] = {
      {"A * B <= 24", true},
      {"A * B < 24", false},
      {"A + B * 2 == 14", true},
      {"(A + B) * 2 == 20", true},
      {"A - B - 1 == 1", true},
      {"A / B == 1.5", true},
      {"A // B == 1", true},
      {"-A // B == -2", true},
      {"A % B == 2", true},
      {"-A % B == 2", true},
      {"2 ** 3 ** 2 == 512", true},
      {"-2 ** 2 == -4", true},
      {"2 < B < A", true},
      {"2 < A < B", false},
      {"A == 1 or B == 4", true},
      {"A == 1 || B == 5", false},
      {"A == 6 and B == 4", true},
      {"A == 6 && B == 5", false},
      {"not A == 1 and B == 4", true},
      {"not (A == 6 or B == 4)", false},
      {"!(A == 1)", true},
      {"not not A", true},
      {"MODE == 'row'", true},
      {"MODE != \"row\"", false},
      {"MODE == 'row' and A > B", true},
      {"max(A, B, 9) == 9 and min(A, B) == 4", true},
      {"abs(B - A) == 2", true},
      {"1e1 == 10", true},
      {"A == 6 or 1 // 0", true},
      {"B - 4 and A % (B - 4)", false},
      {"A", true},
      {"0", false},
      {"A in [1, 6]", true},
      {"A in (1, 4)", false},
      {"A not in [1, 4,] and B not in (6,)", true},
      {"MODE in ['row', 'column']", true},
      {"B + 2 in [A]", true},
      {"not A in [6]", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pawl_error err = {0};
    bool holds = !rows[i].holds;
    if (evaluate(rows[i].text, "6", "4", "row", &holds, &err) != PAWL_OK || holds != rows[i].holds)
      fail_msg("'%s': %s", rows[i].text, err.message[0] ? err.message : "the wrong answer");
  }
}

/* Of a boolean parameter, in C's and in Python's spelling. */
static void test_booleans(void **state) {
  (void)state;
  static const struct {
    const char *text, *mode;
    bool holds;
  } rows[] = {
      {"MODE", "true", true},
      {"MODE", "false", false},
      {"MODE or A < 3", "false", false},
      {"not MODE", "False", true},
      {"MODE == true", "true", true},
      {"MODE == True", "true", true},
      {"MODE == 'true'", "true", true},
      {"MODE != false", "True", true},
      {"MODE == 1 and A == 6", "true", true},
      {"MODE in [False]", "true", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pawl_error err = {0};
    bool holds = !rows[i].holds;
    if (evaluate(rows[i].text, "6", "4", rows[i].mode, &holds, &err) != PAWL_OK || holds != rows[i].holds)
      fail_msg("'%s': %s", rows[i].text, err.message[0] ? err.message : "the wrong answer");
  }
}

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"", "constraint '', column 1: it is incomplete"},
      {"A *", "constraint 'A *', column 4: it is incomplete"},
      {"A * <= 4", "constraint 'A * <= 4', column 5: a number, a parameter or '(' is missing"},
      {"(A", "constraint '(A', column 3: ')' is missing"},
      {"A B", "constraint 'A B', column 3: an operator is missing or unknown"},
      {"A = 4", "constraint 'A = 4', column 3: an operator is missing or unknown"},
      {"MODUS == 1", "constraint 'MODUS == 1', column 1: no parameter 'MODUS'; did you mean 'MODE'?"},
      {"MODE == 'row", "constraint 'MODE == 'row', column 10: the closing quote is missing"},
      {"max(A)", "constraint 'max(A)', column 6: min and max take two values or more"},
      {"A in 3", "constraint 'A in 3', column 6: '[' is missing"},
      {"A in [3", "constraint 'A in [3', column 8: ']' is missing"},
      {"A in []", "constraint 'A in []', column 7: a number, a parameter or '(' is missing"},
      {"A not [3]", "constraint 'A not [3]', column 3: an operator is missing or unknown"},
      {"1.2.3 < A", "constraint '1.2.3 < A', column 1: this is not a number"},
      {"A % (B - 4)", "constraint 'A % (B - 4)' divides by zero; guard it with 'or' or 'and'"},
      {"MODE * 2 < 4", "constraint 'MODE * 2 < 4': 'row' is not a number"},
      {"10 ** 400 > A", "constraint '10 ** 400 > A' leaves the range of numbers"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pawl_error err = {0};
    bool holds;
    assert_int_equal(evaluate(rows[i].text, "6", "4", "row", &holds, &err), PAWL_CONFIG);
    assert_string_equal(err.message, rows[i].message);
  }
}

static void test_depth(void **state) {
  (void)state;
  char text[4001];
  struct pawl_error err = {0};
  bool holds;
  memset(text, '(', 4000);
  text[4000] = '\0';
  assert_int_equal(evaluate(text, "6", "4", "row", &holds, &err), PAWL_CONFIG);
  memset(text, '-', 4000);
  assert_int_equal(evaluate(text, "6", "4", "row", &holds, &err), PAWL_CONFIG);
  for (size_t i = 0; i < 4000; i++) text[i] = "1+"[i % 2];
  text[3999] = '\0';
  assert_int_equal(evaluate(text, "6", "4", "row", &holds, &err), PAWL_CONFIG);
  assert_non_null(strstr(err.message, "it is too long"));
}

static const char *sizes[] = {"16", "32", "64", NULL}, *modes[] = {"row", "column", NULL};

static struct pawl_kernel_spec make_spec(const char **constraints, size_t count) {
  static struct pawl_tune_dimension tune[] = {{"M", {sizes, 3}}, {"N", {sizes, 3}}, {"ORDER", {modes, 2}}};
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
  const char *constraints[] = {"M * N <= 1024", "ORDER == 'row' or N != 32", "M % WARPS == 0", NULL};
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
  for (size_t i = 0; i < space.count; i++) assert_int_equal(pawl_space_find(&space, pawl_space_at(&space, i)), i);
  assert_int_equal(pawl_space_find_key(&space, "M=16,N=32,ORDER=row"), 2);
  assert_true(pawl_space_find_key(&space, "M=16,N=32") == PAWL_NO_CONFIGURATION);
  assert_true(pawl_space_find_key(&space, "M=16,N=32,ORDER=row,") == PAWL_NO_CONFIGURATION);
  assert_true(pawl_space_find_key(&space, "M=16,N=3,ORDER=row") == PAWL_NO_CONFIGURATION);
  const uint16_t excluded[] = {2, 2, 0};
  assert_true(pawl_space_find(&space, excluded) == PAWL_NO_CONFIGURATION);
  pawl_arena_clear(&arena);
}

/* A value may begin like another one and have commas. What would make two keys one is refused. */
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
  assert_string_equal(err.message,
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
    while ((index = pawl_space_next_neighbour(&neighbours)) != PAWL_NO_CONFIGURATION) times[index]++;
    assert_true(pawl_space_next_neighbour(&neighbours) == PAWL_NO_CONFIGURATION);
    for (size_t j = 0; j < space.count; j++) assert_int_equal(times[j], count_differences(&space, i, j) == 1);
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
  expect_failure(&spec, "pawl.yaml:7: kernel 'k': constraint 'M * Q < 4', column 5: no parameter 'Q'");
  spec.tune_count = 0;
  expect_failure(&spec,
                 "pawl.yaml:7: kernel 'k' has no 'tune'; list the parameters to try, such as {BLOCK_M: [16, 32]}");
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
                 "pawl.yaml:1: kernel 'k' has more than 1000000 configurations; add constraints or list fewer values");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_expressions), cmocka_unit_test(test_booleans),
                                     cmocka_unit_test(test_mistakes),    cmocka_unit_test(test_depth),
                                     cmocka_unit_test(test_space),       cmocka_unit_test(test_values_with_commas),
                                     cmocka_unit_test(test_neighbours),  cmocka_unit_test(test_space_mistakes),
                                     cmocka_unit_test(test_too_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
