/* SPDX-License-Identifier: Apache-2.0 */
/* Python processes that import slow modules once, then fork the processes of workers:
 * docs/adr/fork-server.md. */
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "process/process.h"

#define PAWL_FORK_SERVERS 4 /* the most interpreters of a run */

/* The server of one interpreter. */
struct pawl_fork_server {
  struct pawl_process process;
  struct pawl_process_forker forker;
  char *program;
  int64_t began;        /* pawl_clock_ns() at its start */
  struct pawl_log *log; /* for the reason why it does not work; NULL: none */
  int control;          /* pawl's end of its socket */
  bool importing;       /* it has not said yet that it takes requests */
  bool wanted;          /* a process of it has started, or will start */
  bool exposed;         /* it forked a worker that nothing keeps apart */
  bool unusable;        /* it failed, so workers start without it */
};

/* Zero has no server. Workers of several projects may share it. */
struct pawl_fork_servers {
  struct pawl_fork_server items[PAWL_FORK_SERVERS];
  size_t count;
};

/* Ends the servers. Processes that they forked live on. */
void pawl_fork_servers_release(struct pawl_fork_servers *servers);

struct pawl_worker;
struct pawl_worker_options;

/* Starts the server for these options, unless it runs or the script needs none. Does not wait.
 * `wanted`: some process of it will start later. Returns whether the server still imports. */
bool pawl_fork_servers_begin(const struct pawl_worker_options *options, bool wanted);
/* Waits until no server imports, and ends those that nobody wants. Call it before pawl times
 * anything. */
void pawl_fork_servers_settle(struct pawl_fork_servers *servers);

/* Returns what forks the process of the worker, or NULL: then pawl starts its program. */
const struct pawl_process_forker *pawl_fork_server_of(struct pawl_worker *worker);
