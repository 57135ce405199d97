/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes of the operating system, which nobody can foresee. What must come out the same again draws from
 * philox.h. */
#ifndef PAWL_BASE_ENTROPY_H
#define PAWL_BASE_ENTROPY_H

#include <stddef.h>

#include "base/error.h"

/* At most 256 bytes, which getrandom(2) gives whole or not at all. */
pawl_status pawl_entropy(void *out, size_t bytes, struct pawl_error *err);

#endif
