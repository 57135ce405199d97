/* SPDX-License-Identifier: Apache-2.0 */
/* Holds what a child process could compute with: while its first thread waits, its other threads,
   and in a sandbox the other processes there; the first thread goes on, so that it need not be
   woken before a call is timed. Or, while it is not asked for anything, all of it. */
#ifndef PAWL_PROCESS_HOLD_H
#define PAWL_PROCESS_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process, and process 1 of its sandbox (0: it has no namespaces; its threads alone are held). */
struct pawl_holdable {
  pid_t pid, first;
};

struct pawl_held_task {
  pid_t id;
  bool process;   /* stopped by SIGSTOP; else a thread, held by ptrace */
  bool still;     /* a process, all of whose threads were seen to stand still */
  bool late;      /* a thread that had not stopped yet when it was let go */
  uint64_t turns; /* how often they had got a CPU by then; 0: unknown */
  int signal;     /* that it was about to get when it was held; 0: none */
};

/* Zero: nothing is held. */
struct pawl_hold {
  struct pawl_held_task *tasks;
  size_t count, capacity;
};

/* Holds them. False: the machine does not allow it, or some did not stop in time; those that did
   are held all the same. The thread that holds is the one that must end it. */
bool pawl_hold_others(struct pawl_hold *hold, const struct pawl_holdable *process);
/* Holds the process itself with all its threads, and the other processes of its sandbox, and waits
   so many seconds for each of them: one inside a driver stops when its call returns. False: the
   same. By signals alone, so any thread may end it. */
bool pawl_hold_all(struct pawl_hold *hold, const struct pawl_holdable *process, double seconds);
#define PAWL_HOLD_SECONDS 0.2 /* enough for one that waits for us */
/* Holds each of these processes and all that they started: a parent stands still before pawl looks
   for its children, so it starts no more. False: some did not stop in so many seconds. By signals
   alone, too. */
bool pawl_hold_trees(struct pawl_hold *hold, const pid_t *roots, size_t count, double seconds);
/* Has the process itself stop, and does not look whether it does: pawl_hold_all with the same hold
 * does that. */
void pawl_hold_soon(struct pawl_hold *hold, const struct pawl_holdable *process);
/* Lets them go on; the hold can be used again. A thread that has not even stopped yet, because it
   waits in the system or for a CPU, stays in it, or it would stop later for good: who waits for the
   process calls this again. False: one of the processes got a CPU meanwhile. Something woke it (it
   can have a timer send it SIGCONT), or, seldom, it was still on its way off a CPU that others
   wanted. */
bool pawl_hold_end(struct pawl_hold *hold);
void pawl_hold_release(struct pawl_hold *hold);

/* Whether the machine lets us hold a thread of a child: found out with one. */
bool pawl_hold_available(void);

#endif
