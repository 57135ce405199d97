/* SPDX-License-Identifier: Apache-2.0 */
/* Freezes everything with which a child process could compute. While the child runs a call, pawl
 * freezes its other threads and the other processes of its sandbox. The first thread goes on,
 * because a timed call must not include its wake-up. While the child has no request, pawl freezes
 * all of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process, and process 1 of its sandbox. If that is 0, the process has no namespaces, and pawl
 * freezes only its threads. */
struct pawl_freezable {
  pid_t pid, first;
};

struct pawl_frozen_task {
  pid_t id;
  bool process;   /* stopped by SIGSTOP; false: a thread, stopped by ptrace */
  bool still;     /* a process whose threads had all stopped */
  bool late;      /* a thread that had not stopped yet at its release */
  uint64_t turns; /* how often its threads had got a CPU by then; 0: unknown */
  int64_t cpu_ns; /* the CPU time of a process that did not stop in time; 0: it stopped */
  int signal;     /* the signal that it was about to get; 0: none */
};

/* A zeroed freeze has frozen nothing. */
struct pawl_freeze {
  struct pawl_frozen_task *tasks;
  size_t count, capacity;
};

/* Freezes the other threads and processes. Returns false if the machine does not allow it, or if
 * some did not stop in time; the stopped ones stay frozen. The same thread must end it. */
bool pawl_freeze_others(struct pawl_freeze *freeze, const struct pawl_freezable *process);
/* Freezes the process with all its threads and the other processes of its sandbox. Waits `seconds`
 * for each, because a thread inside a driver stops only when its call returns. Returns false as
 * above. It uses signals alone, so any thread may end it. */
bool pawl_freeze_all(struct pawl_freeze *freeze, const struct pawl_freezable *process,
                     double seconds);
#define PAWL_FREEZE_SECONDS 0.2 /* enough for a process that waits for us */
/* Freezes each of these processes and all that they started. It stops a parent before it looks for
   its children, so that the parent starts no more. Returns false if some did not stop within
   `seconds`. It uses signals alone too. */
bool pawl_freeze_trees(struct pawl_freeze *freeze, const pid_t *roots, size_t count,
                       double seconds);
/* Sends the stop signal to the process itself and does not wait. pawl_freeze_all with the same
   freeze waits. */
void pawl_freeze_request(struct pawl_freeze *freeze, const struct pawl_freezable *process);
/* Resumes them, and the freeze can be used again. A thread that has not even stopped yet, because
   it waits in the system or for a CPU, stays in the freeze, or it would stop for good later. So
   call this again after a wait for the process. Returns false if one of the processes got a CPU
   meanwhile: a timer may have sent SIGCONT, or, rarely, it was still on its way off the CPU. One
   that did not stop in time must not have used a CPU for 20 ms since: no signal stops a thread in
   some system calls, nor the threads of io_uring. */
bool pawl_freeze_end(struct pawl_freeze *freeze);
void pawl_freeze_release(struct pawl_freeze *freeze);

/* Returns whether the machine lets pawl freeze a thread of a child. A trial with a child
 * decides. */
bool pawl_freeze_available(void);
