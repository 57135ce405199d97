/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), for checksums that others check with sha256sum. */
#pragma once

#include <stddef.h>

#define PAWL_SHA256_TEXT 65 /* 64 hexadecimal digits and NUL */

void pawl_sha256(const void *bytes, size_t length, char out[PAWL_SHA256_TEXT]);
