/* SPDX-License-Identifier: Apache-2.0 */
/* Adapts an example of `init` to this machine's GPU. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Whether the first GPU here has this architecture: "sm_90" includes sm_90a. */
bool pawl_init_has_gpu(const char *arch);

/* Inserts the text of the file `kernels` at the top of the suite's section `kernels:`. */
pawl_status pawl_init_add_kernels(const char *suite, const char *kernels, struct pawl_error *err);
