/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that passed, kept in .pawl/checks: a kernel is not checked again while all that its check
   depends on is as it was. docs/adr/identical-code.md argues it. */
#ifndef PAWL_LOOP_PASSED_CHECK_H
#define PAWL_LOOP_PASSED_CHECK_H

#include "base/hash.h"
#include "project/kernels.h"

/* A check of a kernel, and what it depends on. */
struct pawl_check_key {
  const struct pawl_ready_kernel *kernel;
  bool known; /* false: pawl does not know all that the check depends on */
  struct pawl_hash hash;
};

/* The key is of the kernel's code, the operator, the oracle, the tolerances, each row of the
   matrix, the device with its driver, and how pawl runs the kernel. An operator that refuses a
   shape is an error, as it is in the check. */
pawl_status pawl_check_key(struct pawl_project *project, const struct pawl_ready_kernel *kernel,
                           bool reduced, struct pawl_check_key *out, struct pawl_error *err);

/* The check passed in an earlier run. */
bool pawl_check_has_passed(struct pawl_project *project, const struct pawl_check_key *key);
/* The check passed now. A failure to keep that costs the next run a check and nothing else. */
void pawl_check_keep_passed(struct pawl_project *project, const struct pawl_check_key *key);

#endif
