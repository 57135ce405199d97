/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes the inputs of a reference's result. */
#pragma once

#include "base/hash.h"
#include "project/kernels.h"

/* Hashes everything besides the case that the reference's results depend on: its code, its
 * interpreter's packages, the device with its driver, and the method. pawl knows the code of
 * kernels that it builds, and for a Python program the suite's Python files. Returns false if pawl
 * does not know the code; *reason says why. */
bool pawl_reference_key(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                        struct pawl_hash *out, const char **reason);

/* Each adds one part to the key: a Python program of the project, or a kernel that
 * pawl_reference_key knows. Each returns false as pawl_reference_key does. */
bool pawl_key_add_program(struct pawl_project *project, const struct pawl_strings *words,
                          struct pawl_hasher *hasher, const char **reason);
bool pawl_key_add_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                         struct pawl_hasher *hasher, const char **reason);
