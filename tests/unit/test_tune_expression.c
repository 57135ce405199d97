/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions that constrain a space of a tuning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/text.h"
#include "tune/expression.h"

static const char *const names[] = {"A", "B", "MODE"};

static enum pawl_status_code evaluate(const char *text, const char *a, const char *b,
                                      const char *mode, bool *out, struct pawl_error *err) {
  struct pawl_arena arena = {0};
  struct pawl_expression expression;
  const struct pawl_tune_value values[] = {pawl_tune_value_of(a), pawl_tune_value_of(b),
                                           pawl_tune_value_of(mode)};
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

/* A boolean parameter has C's spelling or Python's. */
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
    if (evaluate(rows[i].text, "6", "4", rows[i].mode, &holds, &err) != PAWL_OK ||
        holds != rows[i].holds)
      fail_msg("'%s': %s", rows[i].text, err.message[0] ? err.message : "the wrong answer");
  }
}

/* Literals, signs, division and operands of `and` and `or`: the answers are those of Python 3. */
static void test_like_python(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool holds;
  } rows[] = {
      {"A > 1e-3", true},
      {"A * 1e-3 == 6E-3", true},
      {"1e+1 == 10", true},
      {"1e1-1 == 9", true},
      {"B == .4e1 and B == 4.", true},
      {"+A == 6", true},
      {"A - +B == 2", true},
      {"+-+A == -6", true},
      {"0x10 == 16", true},
      {"0XfF == 255", true},
      {"0x1e-1 == 29", true},
      {"0b101 == 5 and 0o17 == 15", true},
      {"0x_ff == 255 and 0xf_f == 255", true},
      {"1_000 == 1000", true},
      {"1_0.2_5e0_1 == 102.5", true},
      {"1or A == 7", true},
      {"1.0 // 0.1 == 9", true},
      {"1.0 % 0.1 == 0.09999999999999995", true},
      {"1.0 // 0.1 * 0.1 + 1.0 % 0.1 == 1", true},
      {"-1.0 // 0.1 == -10", true},
      {"-1.0 % 0.1 == 5.551115123125783e-17", true},
      {"1.0 % -0.1 == -5.551115123125783e-17", true},
      {"-7 // 2 == -4 and -7 % 2 == 1", true},
      {"7 // -2 == -4 and 7 % -2 == -1", true},
      {"7.5 // 2 == 3 and 7.5 % 2 == 1.5", true},
      {"2 ** 53 // 3 == 3002399751580330 and 2 ** 53 % 3 == 2", true},
      {"1e300 % 7 == 1", true},
      {"(A or 5) == 2", false},
      {"(A or 5) == 6", true},
      {"(A - 6 or 5) == 5", true},
      {"(A and 5) == 5", true},
      {"(A - 6 and 5) == 0", true},
      {"(A and B) + 1 == 5", true},
      {"(0 or MODE) == 'row'", true},
      {"(A and MODE) == 'row'", true},
      {"(true or 5) == 1", true},
      {"not (A and 5) == 1", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pawl_error err = {0};
    bool holds = !rows[i].holds;
    if (evaluate(rows[i].text, "6", "4", "row", &holds, &err) != PAWL_OK || holds != rows[i].holds)
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
      {"MODUS == 1",
       "constraint 'MODUS == 1', column 1: no parameter 'MODUS'; did you mean 'MODE'?"},
      {"MODE == 'row", "constraint 'MODE == 'row', column 10: the closing quote is missing"},
      {"max(A)", "constraint 'max(A)', column 6: min and max take two values or more"},
      {"A in 3", "constraint 'A in 3', column 6: '[' is missing"},
      {"A in [3", "constraint 'A in [3', column 8: ']' is missing"},
      {"A in []", "constraint 'A in []', column 7: a number, a parameter or '(' is missing"},
      {"A not [3]", "constraint 'A not [3]', column 3: an operator is missing or unknown"},
      {"1.2.3 < A", "constraint '1.2.3 < A', column 1: this is not a number"},
      {"1__0 < A", "constraint '1__0 < A', column 1: this is not a number"},
      {"A > 1_", "constraint 'A > 1_', column 5: this is not a number"},
      {"A > 0b12", "constraint 'A > 0b12', column 5: this is not a number"},
      {"A > 1e999", "constraint 'A > 1e999', column 5: this is not a number"},
      {"A > .", "constraint 'A > .', column 5: this is not a number"},
      {"A > 0x", "constraint 'A > 0x', column 5: this is not a number"},
      {"A > 1e-", "constraint 'A > 1e-', column 5: this is not a number"},
      {"+MODE == 6", "constraint '+MODE == 6': 'row' is not a number"},
      {"MODE and A", "constraint 'MODE and A': 'row' is not a number"},
      {"A and MODE", "constraint 'A and MODE': 'row' is not a number"},
      {"MODE == 'ä€' or Q", "constraint 'MODE == 'ä€' or Q', column 17: no parameter 'Q'"},
      {"ä < 3", "constraint 'ä < 3', column 1: a number, a parameter or '(' is missing"},
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

/* Adds "before before A after after", with `levels` of each. */
static void nest(struct pawl_text *out, const char *before, const char *after, int levels) {
  for (int i = 0; i < levels; i++) pawl_text_add(out, before);
  pawl_text_add(out, "A");
  for (int i = 0; i < levels; i++) pawl_text_add(out, after);
}

/* Each level asks its operand several times. Were it computed as often, this would never end. */
static void test_nested_members_and_chains(void **state) {
  (void)state;
  static const struct {
    const char *before, *after;
    bool holds;
  } rows[] = {{"(", " in [5, 7, 8, 9, 0])", true},
              {"(", " not in [5, 7, 8, 0])", true},
              {"(0 <= ", " <= 6 < 7)", true},
              {"(-1 < ", " < 1)", true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pawl_text text = {0};
    struct pawl_error err = {0};
    bool holds = !rows[i].holds;
    nest(&text, rows[i].before, rows[i].after, 90);
    if (evaluate(text.data, "6", "4", "row", &holds, &err) != PAWL_OK || holds != rows[i].holds)
      fail_msg("'%s': %s", rows[i].after, err.message[0] ? err.message : "the wrong answer");
    pawl_text_clear(&text);
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_expressions),
                                     cmocka_unit_test(test_booleans),
                                     cmocka_unit_test(test_like_python),
                                     cmocka_unit_test(test_mistakes),
                                     cmocka_unit_test(test_nested_members_and_chains),
                                     cmocka_unit_test(test_depth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
