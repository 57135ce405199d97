/* SPDX-License-Identifier: Apache-2.0 */
/* A child process between its fork and its program. */
#pragma once

#include "process/process.h"

/* A message of the child through a pipe that exec closes. */
struct pawl_child_note {
  enum {
    PAWL_CHILD_BORN = 1,
    PAWL_CHILD_ISOLATED,
    PAWL_CHILD_NO_NAMESPACES,
    PAWL_CHILD_FAILED
  } kind;
  int value;          /* ISOLATED: enum pawl_isolation. FAILED: errno */
  pid_t child, first; /* BORN: by our own numbers */
  bool unbound;       /* it is not in its control group */
};

/* All that the child needs, prepared before the fork. */
struct pawl_child {
  const struct pawl_process_options *options;
  const char *program;
  const char *const *environment;
  const struct pawl_sandbox_plan *plan; /* NULL: no sandbox */
  const struct pawl_cgroup *group;
  pid_t parent;
  int report[2];
};

/* All functions below use async-signal-safe calls only. */

/* Writes the note to `report` and ends the process. */
_Noreturn void pawl_child_fail(int report, struct pawl_child_note note);
/* Does all that comes before the program: limits, folder, descriptors, and the sandbox. `mounted`:
   the child has namespaces and files of its own. Returns the descriptor of the report, above all
   others. Ends the process if the system refuses a part. */
int pawl_child_settle(const struct pawl_child *child, bool mounted);
/* Settles and executes the program. */
_Noreturn void pawl_child_run(const struct pawl_child *child, bool mounted);
/* Turns the caller into process 1 of the sandbox, which only waits. */
_Noreturn void pawl_child_be_first(const struct pawl_child *child);
/* Makes the namespaces, and in them two children of our parent: process 1, which ends all others,
   and the child. */
_Noreturn void pawl_child_found(const struct pawl_child *child);
