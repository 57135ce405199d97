/* SPDX-License-Identifier: Apache-2.0 */
/* A place of its own for a child that runs code under test: docs/adr/sandbox.md. It sees no process
   but its own, no network, and the files as they are; what it writes ends with it. Namespaces where
   the machine allows them; else Landlock, which forbids to write; else nothing. */
#ifndef PAWL_PROCESS_SANDBOX_H
#define PAWL_PROCESS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/memory.h"

/* What a sandbox keeps apart. FULL: files, processes, network. FILES: files, and the memory of
 * other processes. */
enum pawl_isolation { PAWL_ISOLATION_NONE, PAWL_ISOLATION_FILES, PAWL_ISOLATION_FULL };

const char *pawl_isolation_name(enum pawl_isolation isolation); /* "none", "files", "full" */

#define PAWL_SANDBOX_HIDDEN 2

/* What the child is to have, given by who starts it. */
struct pawl_sandbox {
  const char *folder; /* its working folder; NULL: ours */
  /* Folders that are empty to it, or whose files it cannot read. NULL: none. */
  const char *hidden[PAWL_SANDBOX_HIDDEN];
  const char *shared; /* a folder in which it may write for others to read; NULL: none */
  bool required;      /* without FULL it is not started */
  uint64_t processes; /* and threads that it may have, where control groups can be made; 0: the
                         usual number */
  uint64_t memory;    /* bytes of all of them together; 0: no limit, or one that comes later */
};

#define PAWL_SANDBOX_OVERLAYS 3

/* The same made ready: the child cannot allocate. */
struct pawl_sandbox_plan {
  struct pawl_arena arena;
  bool namespaces;
  const char *folder, *shared,
      *hidden[PAWL_SANDBOX_HIDDEN]; /* absolute, without links; NULL: none */
  struct {
    const char *path, *options, *upper, *work;
  } overlays[PAWL_SANDBOX_OVERLAYS]; /* folders below which it may write, for itself alone */
  int overlay_count;
  const char *scratch; /* without namespaces: where it may write; NULL: there is no Landlock */
  const char *const *
      readable; /* NULL-terminated: without namespaces, all but `hidden`; NULL: nothing is hidden */
  const char *const *devices; /* NULL-terminated: files of devices that it may write to */
  char user_map[64], group_map[64];
};

/* namespaces: what is written is kept by namespaces; else a scratch folder is made, where Landlock
 * is there. */
void pawl_sandbox_plan_init(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted,
                            bool namespaces);
void pawl_sandbox_plan_release(struct pawl_sandbox_plan *plan);

/* The child's steps, async-signal-safe. First, in a process whose children are to live in the
   sandbox: namespaces for them. False: the machine does not allow it. */
bool pawl_sandbox_unshare(const struct pawl_sandbox_plan *plan);
/* Then, in a child of that, process 1: waits until it is killed, and with it all that live in the
 * sandbox. */
_Noreturn void pawl_sandbox_run_first(void);
/* Then, in the next child: its files. False: the machine does not allow it. */
bool pawl_sandbox_mount(const struct pawl_sandbox_plan *plan);
/* Last, with or without the steps above: gives up all privileges, for what is executed too, and the
 * right to write. */
enum pawl_isolation pawl_sandbox_enter(const struct pawl_sandbox_plan *plan, bool mounted);

#endif
