/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between doubles and decimal digits, exactly and much faster than the C library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PAWL_DECIMAL_TEXT 40

/* Computes mantissa * 10^exponent, correctly rounded. Returns false if this function cannot. */
bool pawl_decimal_real(uint64_t mantissa, int exponent, double *out);

/* Writes the shortest of %.15g, %.16g and %.17g that reads back the same. Returns false for a
 * number whose size is below 1e-4 or not below 1e14. */
bool pawl_decimal_shortest(double number, char out[PAWL_DECIMAL_TEXT]);
