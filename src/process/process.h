/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: started without a shell, bounded in time, in a process group of their own that
 * is always reaped. */
#ifndef PAWL_PROCESS_PROCESS_H
#define PAWL_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"
#include "process/cgroup.h"
#include "process/cpus.h"
#include "process/descendants.h"
#include "process/sandbox.h"

#define PAWL_PROCESS_FDS 8 /* descriptors that a child can be given */

struct pawl_process_options {
  const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
  const char *folder;      /* working folder; NULL: ours */
  const char *const
      *environment;  /* NULL-terminated NAME=VALUE added to (or, with `NAME`, removed from) ours */
  bool drop_secrets; /* removes names that look like credentials: *TOKEN* *SECRET* *PASSWORD* *KEY*
                        ... */
  bool die_with_parent;  /* SIGKILL to the child when we die */
  bool kill_descendants; /* once it has ended, what it started ends too, in whatever group it is */
  bool shield_us;        /* it cannot stop, trace or end us: process/shield.h */
  const struct pawl_sandbox
      *sandbox;              /* it runs in one, as far as the machine allows; NULL: it does not */
  int fds[PAWL_PROCESS_FDS]; /* fds[i] >= 0 becomes descriptor i of the child; -1 for 0..2 is
                                /dev/null, else closed */
  int fd_count;
  uint64_t memory_limit;        /* bytes of RLIMIT_AS; 0: none */
  double cpu_limit_seconds;     /* RLIMIT_CPU; 0: none */
  const struct pawl_cpus *cpus; /* it runs on these alone; NULL: on those that we run on */
};

struct pawl_process {
  pid_t pid;    /* 0: none */
  bool foreign; /* another child of ours forked it, and keeps what is left of it */
  char mark[PAWL_DESCENDANT_MARK]; /* of its descendants; "": they are let go, or in a sandbox */
  enum pawl_isolation isolation;   /* what its sandbox keeps apart; stays known when it has ended */
  pid_t first;   /* process 1 of its sandbox, with which all in there ends; 0: none */
  char *scratch; /* the folder that ends with it; NULL: none */
  struct pawl_cgroup
      group;       /* what bounds it, and all that it starts, and ends with it; zero: none */
  unsigned bounds; /* enum pawl_bounds: what the group bounds; stays known when it has ended */
  struct pawl_cgroup_events events; /* of the group, known when it has ended */
};

/* How a process ended. */
struct pawl_exit {
  bool timed_out;      /* it was killed because the time was up */
  int status;          /* exit status, or -1 */
  int signal;          /* the signal that ended it, or 0 */
  double seconds;      /* wall time */
  uint64_t peak_bytes; /* largest resident set */
  enum pawl_isolation isolation;
  unsigned bounds;                  /* enum pawl_bounds */
  struct pawl_cgroup_events events; /* what came of them */
};

pawl_status pawl_process_start(struct pawl_process *process,
                               const struct pawl_process_options *options, struct pawl_error *err);
/* Ends what a process that has ended leaves: its sandbox. */
void pawl_process_forget(struct pawl_process *process);
/* Of a child of ours: whether pawl_process_wait would return at once. */
bool pawl_process_has_ended(const struct pawl_process *process);
/* Seconds of CPU that a running process has used, with its children that ended; 0 when they cannot
 * be read. */
double pawl_process_cpu_seconds(const struct pawl_process *process);
/* Waits up to `seconds` (negative: for ever); on time-out kills the whole group. */
pawl_status pawl_process_wait(struct pawl_process *process, double seconds, struct pawl_exit *out,
                              struct pawl_error *err);
/* Kills the group and reaps; NULL and finished ones are fine. For PAWL_CLEANUP too. */
void pawl_process_kill(struct pawl_process *process);

/* Runs a command to its end with its output captured, each stream capped at `limit` bytes (the rest
   is dropped, the child is not blocked). out or errors may be NULL (/dev/null); the same text for
   both interleaves. A status other than 0 is not an error here. */
pawl_status pawl_process_run(const struct pawl_process_options *options, double seconds,
                             size_t limit, struct pawl_text *out, struct pawl_text *errors,
                             struct pawl_exit *exit, struct pawl_error *err);

/* The path of a program by PATH, allocated; NULL when there is none. */
char *pawl_process_find(const char *name);
/* "exited with status 3", "was killed by SIGSEGV (segmentation fault)", "timed out after 10 s" into
 * `out`. */
void pawl_exit_describe(const struct pawl_exit *exit, struct pawl_text *out);

#endif
