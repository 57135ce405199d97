/* SPDX-License-Identifier: Apache-2.0 */
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/count.h"

__extension__ typedef unsigned __int128 decimal_wide;

static const uint64_t powers_of_five[] = {
    1ULL,
    5ULL,
    25ULL,
    125ULL,
    625ULL,
    3125ULL,
    15625ULL,
    78125ULL,
    390625ULL,
    1953125ULL,
    9765625ULL,
    48828125ULL,
    244140625ULL,
    1220703125ULL,
    6103515625ULL,
    30517578125ULL,
    152587890625ULL,
    762939453125ULL,
    3814697265625ULL,
    19073486328125ULL,
    95367431640625ULL,
    476837158203125ULL,
    2384185791015625ULL,
    11920928955078125ULL,
    59604644775390625ULL,
    298023223876953125ULL,
    1490116119384765625ULL,
    7450580596923828125ULL,
};

/* The quotient by 5^-exponent has 63 bits or more, and its last bit is set where the division
 * leaves a rest. So the conversion to double rounds once, and the power of two is exact. */
bool pawl_decimal_real(uint64_t mantissa, int exponent, double *out) {
  const int power = exponent < 0 ? -exponent : exponent;
  if ((size_t)power >= PAWL_COUNT(powers_of_five)) return false;
  uint64_t five = powers_of_five[power];
  if (mantissa == 0) {
    *out = 0;
  } else if (exponent >= 0) {
    if (__builtin_mul_overflow(mantissa, five, &mantissa)) return false;
    *out = ldexp((double)mantissa, power);
  } else {
    const int up = __builtin_clzll(mantissa), five_up = __builtin_clzll(five);
    const decimal_wide dividend = (decimal_wide)(mantissa << up) << 63;
    five <<= five_up;
    const uint64_t quotient = (uint64_t)(dividend / five);
    const uint64_t rest = (uint64_t)(dividend - (decimal_wide)quotient * five);
    *out = ldexp((double)(quotient | (rest != 0)), five_up - up - 63 - power);
  }
  return true;
}

/* Rounds number * 10^scale to an integer, a tie to even as printf() does. The product is exact. */
static uint64_t decimal_round(double number, int scale) {
  int exponent;
  const uint64_t mantissa = (uint64_t)ldexp(frexp(number, &exponent), DBL_MANT_DIG);
  const decimal_wide product = (decimal_wide)mantissa * powers_of_five[scale];
  const int down = DBL_MANT_DIG - exponent - scale;
  const decimal_wide half = (decimal_wide)1 << (down - 1), rest = product & (2 * half - 1);
  const uint64_t whole = (uint64_t)(product >> down);
  return whole + (rest > half || (rest == half && whole % 2));
}

/* Writes whole * 10^-scale without zeros at its end. */
static void decimal_write(uint64_t whole, int scale, char *out) {
  char digits[24];
  int count = 0;
  for (; scale > 0 && whole % 10 == 0; scale--) whole /= 10;
  for (; whole || count <= scale; whole /= 10) digits[count++] = (char)('0' + whole % 10);
  while (count > 0) {
    if (count == scale) *out++ = '.';
    *out++ = digits[--count];
  }
  *out = '\0';
}

bool pawl_decimal_shortest(double number, char out[PAWL_DECIMAL_TEXT]) {
  /* each is a bit more than its power of ten, so a smaller double is below that power */
  static const double below_one[] = {1e-1, 1e-2, 1e-3, 1e-4};
  const double size = fabs(number);
  double back;
  int before = 0; /* the digits before the point; negative: the zeros behind it */
  if (!(size >= 1e-4 && size < 1e14)) return false; /* else printf() may write an exponent */
  for (double power = 1; size >= power; power *= 10) before++;
  while (before <= 0 && size < below_one[-before]) before--;
  if (signbit(number)) *out++ = '-';
  for (int precision = 15;; precision++) {
    const int scale = precision - before;
    const uint64_t whole = decimal_round(size, scale);
    if (precision < 17 && (!pawl_decimal_real(whole, -scale, &back) || back != size)) continue;
    decimal_write(whole, scale, out);
    return true;
  }
}
