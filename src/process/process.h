/* SPDX-License-Identifier: Apache-2.0 */
/* Starts child processes without a shell, with a time limit, in a process group of their own that
 * pawl always reaps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"
#include "process/cgroup.h"
#include "process/cpus.h"
#include "process/descendants.h"
#include "process/sandbox.h"

#define PAWL_PROCESS_FDS 8 /* the most descriptors that a child can get */

struct pawl_child;

/* Another process that forks the child instead of pawl: docs/adr/fork-server.md. */
struct pawl_process_forker {
  void *context;
  /* Sends the child to that process. Returns false if it takes no child. */
  bool (*fork)(void *context, const struct pawl_child *child);
  /* Waits until the child and process 1 of its sandbox are our children. Returns false if not. */
  bool (*await)(void *context);
};

struct pawl_process_options {
  const char *const *argv; /* NULL-terminated; PATH finds argv[0] */
  const char *folder;      /* working folder; NULL: ours */
  /* NULL-terminated changes of our environment: "NAME=VALUE" adds, "NAME" removes */
  const char *const *environment;
  bool drop_secrets;     /* removes names like *TOKEN*, *SECRET*, *PASSWORD*, *_KEY* */
  bool die_with_parent;  /* SIGKILL to the child when we die */
  bool kill_descendants; /* when it ends, pawl ends its descendants in any group */
  bool shield_us;        /* it cannot stop, trace or end us: process/shield.h */
  /* the sandbox of the child, as far as the machine allows it; NULL: none */
  const struct pawl_sandbox *sandbox;
  /* fds[i] >= 0 becomes descriptor i of the child; -1: /dev/null for 0 to 2, else closed */
  int fds[PAWL_PROCESS_FDS];
  int fd_count;
  uint64_t memory_limit;        /* bytes of RLIMIT_AS; 0: none */
  double cpu_limit_seconds;     /* RLIMIT_CPU; 0: none */
  const struct pawl_cpus *cpus; /* the CPUs that it may use; NULL: ours */
  /* NULL: pawl forks the child. If this process cannot, the start fails with PAWL_UNAVAILABLE. */
  const struct pawl_process_forker *forker;
};

struct pawl_process {
  pid_t pid; /* 0: none */
  /* the mark of its descendants; "": pawl does not end them, or they are in a sandbox */
  char mark[PAWL_DESCENDANT_MARK];
  enum pawl_isolation isolation; /* the isolation of its sandbox; remains after its end */
  pid_t first;                   /* process 1 of its sandbox, which ends all others; 0: none */
  char *scratch;                 /* a folder that pawl removes at its end; NULL: none */
  /* the control group that bounds it and its descendants, and ends with it; zero: none */
  struct pawl_cgroup group;
  unsigned bounds;                  /* enum pawl_bounds of the group; remains after its end */
  struct pawl_cgroup_events events; /* events of the group, known after its end */
};

/* How a process ended. */
struct pawl_exit {
  bool timed_out;      /* pawl killed it because the time was up */
  int status;          /* exit status, or -1 */
  int signal;          /* the signal that ended it, or 0 */
  double seconds;      /* wall time */
  uint64_t peak_bytes; /* largest resident set */
  enum pawl_isolation isolation;
  unsigned bounds;                  /* enum pawl_bounds */
  struct pawl_cgroup_events events; /* events of its control group */
};

pawl_status pawl_process_start(struct pawl_process *process,
                               const struct pawl_process_options *options, struct pawl_error *err);
/* Removes the sandbox that an ended process leaves. */
void pawl_process_forget(struct pawl_process *process);
/* Returns whether pawl_process_wait for our child would return at once. */
bool pawl_process_has_ended(const struct pawl_process *process);
/* Returns the seconds of CPU that a running process and its ended children have used, or 0 if they
   are unknown. */
double pawl_process_cpu_seconds(const struct pawl_process *process);
/* Waits up to `seconds` (negative: for ever). Kills the whole group after that time. */
pawl_status pawl_process_wait(struct pawl_process *process, double seconds, struct pawl_exit *out,
                              struct pawl_error *err);
/* Kills the group and reaps it. NULL and ended processes are fine. For PAWL_CLEANUP too. */
void pawl_process_kill(struct pawl_process *process);

/* Runs a command to its end and captures up to `limit` bytes of each stream. It drops the rest, so
   the child does not block. `out` or `errors` may be NULL (/dev/null); the same text for both
   interleaves them. An exit status other than 0 is no error here. */
pawl_status pawl_process_run(const struct pawl_process_options *options, double seconds,
                             size_t limit, struct pawl_text *out, struct pawl_text *errors,
                             struct pawl_exit *exit, struct pawl_error *err);

/* Finds a program by PATH. Returns its allocated path, or NULL. */
char *pawl_process_find(const char *name);
/* Appends "exited with status 3", "was killed by SIGSEGV (segmentation fault)" or "timed out after
   10 s". */
void pawl_exit_describe(const struct pawl_exit *exit, struct pawl_text *out);
