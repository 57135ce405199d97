/* SPDX-License-Identifier: Apache-2.0 */
/* A shield keeps a child from stopping, tracing or ending us, because we hold the clock and the
   verdict. It is a seccomp filter over the calls that take a process id, and all that the child
   starts inherits it. It stops accidents and simple tricks. It is no sandbox: a process of the same
   user finds other ways. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Returns whether this kernel supports pawl_shield. */
bool pawl_shield_available(void);

/* Shields `parent` in the child between fork and exec. Async-signal-safe. Then SIGSYS ends a
   process that signals `parent`, its process group or all processes, or that traces `parent` or
   accesses its memory. A change of its scheduling or limits fails with EPERM, and so does each use
   of a keyring. Signal 0 is allowed. Also sets no_new_privs: do before what needs a set-user-id
   program, as the NVIDIA driver does until its device files exist. parent 0: the child is in
   another process namespace, where we have that number. Returns false and changes nothing if the
   kernel has no such filters. */
bool pawl_shield(pid_t parent);
