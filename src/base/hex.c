/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hex.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";

void pawl_hex_format(const unsigned char *bytes, size_t count, char *out) {
  for (size_t i = 0; i < count; i++) {
    *out++ = digits[bytes[i] >> 4];
    *out++ = digits[bytes[i] & 15];
  }
  *out = '\0';
}

static unsigned hex_value_of(char digit) { return (unsigned)(strchr(digits, digit) - digits); }

bool pawl_hex_parse(const char *text, unsigned char *bytes, size_t count) {
  if (strlen(text) != 2 * count || strspn(text, digits) != 2 * count) return false;
  for (size_t i = 0; i < count; i++)
    bytes[i] = (unsigned char)(hex_value_of(text[2 * i]) << 4 | hex_value_of(text[2 * i + 1]));
  return true;
}
