/* SPDX-License-Identifier: Apache-2.0 */
/* A Python process that imports slow modules once, then forks the processes of workers:
 * docs/adr/fork-server.md. */
#pragma once

#include "base/error.h"
#include "process/process.h"

/* One server serves the workers of one interpreter, folder and GPU. Zero has not started. */
struct pawl_fork_server {
  struct pawl_process process;
  /* pawl's end of its socket, while there is a process */
  int control;
  int importing;  /* scripts whose imports are still in progress */
  bool unusable;  /* it failed, so workers start without it */
  char *identity; /* the settings that its workers share; NULL: none yet */
};

/* Ends the server and all processes that it forked. */
void pawl_fork_server_release(struct pawl_fork_server *server);

struct pawl_worker;
struct pawl_worker_options;

/* Starts the server for these options and makes it import the modules of their script. Does not
 * wait; more scripts may follow. If an import fails, the script itself reports it later. */
void pawl_fork_server_import(const struct pawl_worker_options *options);
/* Waits until no import is in progress. Call it before pawl times anything. */
void pawl_fork_server_await(struct pawl_fork_server *server);

/* Forks the process of a worker whose command is a Python script, and starts the server if
 * necessary. `fds` are the process's log, requests, replies and tensors. After PAWL_UNAVAILABLE,
 * start the process without a server. */
pawl_status pawl_fork_server_fork(struct pawl_fork_server *server, struct pawl_worker *worker,
                                  const char *const *environment, const int fds[4], int *pid_fd,
                                  struct pawl_error *err);
