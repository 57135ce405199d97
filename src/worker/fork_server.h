/* SPDX-License-Identifier: Apache-2.0 */
/* A Python process that has imported what takes long, and forks the processes of workers:
 * docs/adr/fork-server.md. */
#ifndef PAWL_WORKER_FORK_SERVER_H
#define PAWL_WORKER_FORK_SERVER_H

#include "base/error.h"
#include "process/process.h"

/* Zero: not started. One serves the workers of one interpreter, folder and GPU. */
struct pawl_fork_server {
  struct pawl_process process;
  int control;    /* our end of its socket, where there is a process */
  int importing;  /* scripts whose imports it has been asked for, and has not answered */
  bool unusable;  /* it failed: workers start by themselves */
  char *identity; /* what its workers share; NULL: nothing yet */
};

/* Ends it, and all processes that it forked. */
void pawl_fork_server_release(struct pawl_fork_server *server);

struct pawl_worker;
struct pawl_worker_options;

/* Starts the server that the options name, has it import what the options' script imports, and does
   not wait: others may follow. What it cannot import is the script's to report. */
void pawl_fork_server_import(const struct pawl_worker_options *options);
/* Waits until nothing is being imported: before anything is timed. */
void pawl_fork_server_await(struct pawl_fork_server *server);

/* Forks the worker's process, whose command is a Python script; starts the server first if need be.
   `fds` are the process's log, requests, replies and tensors. PAWL_UNAVAILABLE: start it without a
   server. */
pawl_status pawl_fork_server_fork(struct pawl_fork_server *server, struct pawl_worker *worker,
                                  const char *const *environment, const int fds[4], int *pid_fd,
                                  struct pawl_error *err);

#endif
