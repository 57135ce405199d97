/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal digits are those of the C library, for all sizes of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* after the four above */
#include <cmocka.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/text.h"

#define NUMBERS 60000

/* Returns an even spread over 64 bits: splitmix64. */
static uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static void shortest_by_c(double number, char out[64]) {
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(out, 60, "%.*g", precision, number);
    if (strtod(out, NULL) == number) break;
  }
  if (!strpbrk(out, ".en")) strcat(out, ".0");
}

static void check_shortest(double number) {
  char wanted[64];
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  shortest_by_c(number, wanted);
  pawl_text_add_real(&text, number);
  assert_string_equal(text.data, wanted);
}

/* Every exponent is as likely as any other, so most numbers are near the limits or beyond. */
static void test_any_number(void **state) {
  uint64_t random = 1;
  (void)state;
  for (int i = 0; i < NUMBERS; i++) {
    const uint64_t bits = next(&random);
    const double number = (double)(bits >> 11) * 0x1p-53, sign = bits & 1 ? -1 : 1;
    check_shortest(sign * number);
    check_shortest(sign * number * (double)(1ULL << (next(&random) % 54)));
    check_shortest(sign * number / (double)(1ULL << (next(&random) % 54)));
  }
}

/* Few digits, ties, and the neighbours of the powers of ten. */
static void test_round_numbers(void **state) {
  (void)state;
  for (int i = 0; i < NUMBERS; i++) {
    check_shortest(i / 1000.0);
    check_shortest(i + 0.5);
    check_shortest(123456789012345.0 + i / 8.0);
  }
  for (int power = -330; power <= 308; power++) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", power);
    uint64_t bits;
    const double number = strtod(text, NULL);
    memcpy(&bits, &number, sizeof bits);
    for (int step = -40; step <= 40; step++) {
      const uint64_t near = bits + (uint64_t)(int64_t)step;
      double neighbour;
      memcpy(&neighbour, &near, sizeof neighbour);
      if (neighbour - neighbour == 0) check_shortest(neighbour);
    }
  }
}

static void test_reads_as_c_does(void **state) {
  uint64_t random = 2;
  (void)state;
  for (int i = 0; i < NUMBERS; i++) {
    char text[64];
    double number;
    const uint64_t mantissa = next(&random) >> (next(&random) % 60);
    const int exponent = (int)(next(&random) % 70) - 35;
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)mantissa, exponent);
    if (pawl_decimal_real(mantissa, exponent, &number))
      assert_true(number == strtod(text, NULL));
    else
      assert_true(exponent < -27 || exponent > 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_number),
      cmocka_unit_test(test_round_numbers),
      cmocka_unit_test(test_reads_as_c_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
