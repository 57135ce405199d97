/* SPDX-License-Identifier: Apache-2.0 */
/* Reads random bytes of the operating system. Use philox.h for reproducible numbers. */
#pragma once

#include <stddef.h>

#include <stdint.h>

#include "base/error.h"

/* Fills at most 256 bytes, which getrandom(2) gives together or not at all. */
pawl_status pawl_entropy(void *out, size_t bytes, struct pawl_error *err);

/* Draws a seed for a record: 52 bits, so that every reader of JSON keeps it, and not 0. */
pawl_status pawl_entropy_seed(uint64_t *out, struct pawl_error *err);
