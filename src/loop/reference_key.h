/* SPDX-License-Identifier: Apache-2.0 */
/* What the result of a reference depends on. */
#ifndef PAWL_LOOP_REFERENCE_KEY_H
#define PAWL_LOOP_REFERENCE_KEY_H

#include "base/hash.h"
#include "project/kernels.h"

/* A hash of all that the results of the reference depend on besides the case: its code, the
   packages of its interpreter, the device with its driver, the method. False: pawl does not know
   that, and *reason says why. It knows the code of a kernel that it builds, and of a Python program
   the Python files of the suite. */
bool pawl_reference_key(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                        struct pawl_hash *out, const char **reason);

/* The parts of such keys. The first is of a Python program of the project, the second of a kernel
   that pawl_reference_key knows. */
bool pawl_key_add_program(struct pawl_project *project, const struct pawl_strings *words,
                          struct pawl_hasher *hasher, const char **reason);
bool pawl_key_add_kernel(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                         struct pawl_hasher *hasher, const char **reason);

#endif
