/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a child from stopping, tracing or ending us: who holds the clock and the verdict must not
   be at the mercy of what is judged. A seccomp filter over the calls that take a process id,
   inherited by whatever the child starts. Against accidents and simple tricks, not a sandbox: a
   process of the same user finds other ways. */
#ifndef PAWL_PROCESS_SHIELD_H
#define PAWL_PROCESS_SHIELD_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether this kernel has what pawl_shield needs. */
bool pawl_shield_available(void);

/* In the child between fork and exec, async-signal-safe. From here on a signal to `parent`, to its
   process group or to all processes, and tracing, reading or writing its memory, end the process
   with SIGSYS; changing its scheduling or limits fails with EPERM. Asking whether it is there
   (signal 0) is allowed. Also sets no_new_privs: what needs a set-user-id program, as the NVIDIA
   driver where its device files are not there yet, must have been done by us before. parent 0: we
   are in another process namespace, where a child sees us by that number alone. False: the kernel
   has no such filters, and nothing is changed. */
bool pawl_shield(pid_t parent);

#endif
