/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a process that speaks the protocol: its descriptors, environment and limits. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "worker/driver.h"
#include "worker/fork_server.h"
#include "worker/memory_limit.h"
#include "worker/views.h"

/* pawl's ends and the child's ends of its three connections. */
struct connections {
  /* [0] is the end that reads: pawl for reply and log, the child for requests. */
  int request[2], reply[2], log[2];
};

static pawl_status open_connections(struct connections *c, struct pawl_error *err) {
  *c = (struct connections){{-1, -1}, {-1, -1}, {-1, -1}};
  /* Requests use a socket, because only there can a write avoid SIGPIPE. */
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, c->request) != 0 ||
      pipe2(c->reply, O_CLOEXEC) != 0 || pipe2(c->log, O_CLOEXEC) != 0 ||
      fcntl(c->reply[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(c->log[0], F_SETFL, O_NONBLOCK) != 0)
    return pawl_fail_errno(err, errno, "cannot make the connections to a worker");
  shutdown(c->request[1], SHUT_RD); /* pawl reads nothing that the child writes there */
  return PAWL_OK;
}

static void close_connections(struct connections *c) {
  for (int i = 0; i < 2; i++)
    pawl_close(&c->request[i]), pawl_close(&c->reply[i]), pawl_close(&c->log[i]);
}

static pawl_status start_process(struct pawl_worker *worker, const char *const *argv,
                                 const char *const *environment,
                                 const struct pawl_process_forker *forker, struct connections *c,
                                 struct pawl_error *err) {
  const struct pawl_worker_options *options = &worker->options;
  struct pawl_sandbox sandbox;
  const int printed = options->show_output ? STDERR_FILENO : c->log[1];
  const struct pawl_process_options process = {
      .argv = argv,
      .folder = pawl_worker_folder(worker),
      .environment = environment,
      .drop_secrets = true,
      .die_with_parent = true,
      .kill_descendants = true,
      .shield_us = true,
      .sandbox = pawl_worker_sandbox(worker, NULL, &sandbox),
      .fds = {-1, printed, printed, c->request[0], c->reply[1],
              options->tensors ? options->tensors->fd : -1,
              options->expected ? options->expected->fd : -1},
      .fd_count = 7,
      .cpus = options->cpus.count ? &options->cpus : NULL,
      .forker = forker,
  };
  worker->oom_kills = pawl_memory_oom_kills();
  PAWL_TRY(pawl_process_start(&worker->process, &process, err));
  worker->isolation = worker->process.isolation;
  worker->bounds = worker->process.bounds;
  pawl_memory_prefer_as_victim(worker->process.pid);
  pawl_memory_limit_address_space(worker);
  worker->pid_fd = (int)syscall(SYS_pidfd_open, worker->process.pid, 0);
  if (worker->pid_fd < 0)
    return pawl_fail_errno(err, errno, "cannot watch process %ld", (long)worker->process.pid);
  fcntl(worker->pid_fd, F_SETFD, FD_CLOEXEC);
  return PAWL_OK;
}

pawl_status pawl_connection_start(struct pawl_worker *worker, const char *const *argv,
                                  const char *const *environment, struct pawl_error *err) {
  struct connections c;
  enum pawl_status_code status = open_connections(&c, err);
  const struct pawl_process_forker *forker = status == PAWL_OK ? pawl_fork_server_of(worker) : NULL;
  if (status == PAWL_OK) status = start_process(worker, argv, environment, forker, &c, err);
  if (status == PAWL_UNAVAILABLE && forker)
    status = start_process(worker, argv, environment, NULL, &c, err);
  if (status != PAWL_OK) {
    close_connections(&c);
    return status;
  }
  worker->request_fd = c.request[1];
  worker->reply_fd = c.reply[0];
  worker->log.fd = c.log[0];
  c.request[1] = c.reply[0] = c.log[0] = -1;
  close_connections(&c);
  return PAWL_OK;
}
