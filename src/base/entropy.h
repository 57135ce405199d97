/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes of the operating system, which nobody can foresee. What must come out the same again
 * draws from philox.h. */
#ifndef PAWL_BASE_ENTROPY_H
#define PAWL_BASE_ENTROPY_H

#include <stddef.h>

#include <stdint.h>

#include "base/error.h"

/* At most 256 bytes, which getrandom(2) gives whole or not at all. */
pawl_status pawl_entropy(void *out, size_t bytes, struct pawl_error *err);

/* A seed to be recorded: of 52 bits, which every reader of JSON keeps, and not 0. */
pawl_status pawl_entropy_seed(uint64_t *out, struct pawl_error *err);

#endif
