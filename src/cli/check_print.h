/* SPDX-License-Identifier: Apache-2.0 */
/* What `check` prints of a kernel: how many rows passed, each kind of failure, how to repeat the
 * first. */
#ifndef PAWL_CLI_CHECK_PRINT_H
#define PAWL_CLI_CHECK_PRINT_H

#include "check/kernel_check.h"

/* How the command was given, so that its failures can be repeated with one row more. */
struct pawl_check_command {
  const char *only_case, *assignments, *definitions; /* NULL, or "-D A=1 -D B=2" */
  uint64_t seed;
  bool reduced;
  bool cuda, program; /* of the kernel: runs on a GPU; speaks the protocol, so that its own words
                         say most */
  bool all_rows;      /* -v: every failed row */
};

void pawl_cli_print_check(const struct pawl_kernel_check *check,
                          const struct pawl_check_command *command);

#endif
