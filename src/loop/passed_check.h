/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps passed checks in .pawl/checks. pawl checks a kernel again only if an input of the check
 * changes. docs/adr/identical-code.md argues it. */
#pragma once

#include "base/hash.h"
#include "project/kernels.h"

/* A check of a kernel and a hash of its inputs. */
struct pawl_check_key {
  const struct pawl_ready_kernel *kernel;
  bool known; /* false: pawl does not know all inputs of the check */
  struct pawl_hash hash;
};

/* The key covers the kernel's code, the operator, the oracle, the tolerances, each row of the
   matrix, the device with its driver, and how pawl runs the kernel. As in the check, an operator
   that refuses a shape is an error. */
pawl_status pawl_check_key(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                           bool reduced, struct pawl_check_key *out, struct pawl_error *err);

/* Returns whether the check passed in an earlier run. */
bool pawl_check_has_passed(struct pawl_project *project, const struct pawl_check_key *key);
/* Keeps a check that passed. If pawl cannot write it, the next run repeats the check. */
void pawl_check_keep_passed(struct pawl_project *project, const struct pawl_check_key *key);
