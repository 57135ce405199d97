/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a kernel's check: the number of passed rows, each kind of failure, and the command that
   repeats the first. */
#pragma once

#include "project/check_kernel.h"

/* The options of the command, which its repeat command needs. */
struct pawl_check_command {
  const struct pawl_check_selection *selection;
  const char *definitions; /* for example "-D A=1 -D B=2"; NULL: none */
  /* The kernel runs on a GPU. The kernel speaks the protocol, so its own messages say most. */
  bool cuda, program;
  bool all_rows; /* -v: print every failed row */
};

void pawl_cli_print_check(const struct pawl_kernel_check *check,
                          const struct pawl_check_command *command);
