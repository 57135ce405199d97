/* SPDX-License-Identifier: Apache-2.0 */
/* Lower-case hexadecimal digits, two for each byte, the higher half first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes 2 * count digits and a '\0'. */
void pawl_hex_format(const unsigned char *bytes, size_t count, char *out);
/* Reads exactly 2 * count digits. Returns false and writes nothing for any other text. */
bool pawl_hex_parse(const char *text, unsigned char *bytes, size_t count);
