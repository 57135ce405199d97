/* SPDX-License-Identifier: Apache-2.0 */
/* What `init` adds to an example for the GPU of this machine. */
#ifndef PAWL_CLI_INIT_GPU_H
#define PAWL_CLI_INIT_GPU_H

#include <stdbool.h>

#include "base/error.h"

/* Whether the first GPU here has this architecture: "sm_90" is sm_90a too. */
bool pawl_init_has_gpu(const char *arch);

/* Puts the text of the file `kernels` at the head of the suite's section `kernels:`. */
pawl_status pawl_init_add_kernels(const char *suite, const char *kernels, struct pawl_error *err);

#endif
