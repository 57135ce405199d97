/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/fork_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "worker/driver.h"

#define DESCRIPTORS 4
#define ANSWER_BYTES 4096
/* For the imports of all scripts: PyTorch from a cold disk takes long. */
#define IMPORT_SECONDS 60.0

union control_message {
  char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
  struct cmsghdr aligned;
};

void pawl_fork_server_release(struct pawl_fork_server *server) {
  if (!server) return;
  if (server->process.pid > 0) {
    pawl_close(&server->control);
    pawl_process_kill(&server->process);
  }
  pawl_free(server->identity);
  *server = (struct pawl_fork_server){0};
}

static const char *text_or_empty(const char *text) { return text ? text : ""; }

/* The settings that the processes of one server share. */
static const char *identity_of(struct pawl_worker *worker) {
  const struct pawl_worker_options *options = &worker->options;
  return pawl_arena_printf(&worker->arena, "%s\n%s\n%s\n%d", pawl_worker_argv(worker)[0],
                           text_or_empty(options->folder), text_or_empty(options->gpu),
                           (int)options->isolate);
}

static pawl_status start(struct pawl_fork_server *server, struct pawl_worker *worker,
                         const char *const *environment, struct pawl_error *err) {
  const struct pawl_worker_options *options = &worker->options;
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  const char *script = pawl_arena_printf(&worker->arena, "%s/share/pawl/python/pawl_fork.py", home);
  const char *const argv[] = {pawl_worker_argv(worker)[0], script, NULL};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return pawl_fail_errno(err, errno, "cannot make the connection to a fork server");
  struct pawl_sandbox sandbox;
  const struct pawl_sandbox *apart = pawl_worker_sandbox(worker, NULL, &sandbox);
  /* each process has a limit of its own; here all would share one */
  sandbox.memory = 0;
  const struct pawl_process_options process = {.argv = argv,
                                               .folder = options->folder,
                                               .environment = environment,
                                               .drop_secrets = true,
                                               .die_with_parent = true,
                                               .kill_descendants = true,
                                               .shield_us = true,
                                               .sandbox = apart,
                                               .fds = {-1, -1, -1, ends[1]},
                                               .fd_count = 4,
                                               .cpus = options->cpus.count ? &options->cpus : NULL};
  const enum pawl_status_code status = pawl_process_start(&server->process, &process, err);
  close(ends[1]);
  if (status != PAWL_OK) {
    close(ends[0]);
    return status;
  }
  server->control = ends[0];
  return PAWL_OK;
}

/* Sends the request; `fds` NULL: without descriptors. */
static bool send_packet(int control, json_t *request, const int fds[DESCRIPTORS]) {
  char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
  json_decref(request);
  if (!text) return false;
  union control_message rights = {0};
  struct iovec data = {text, strlen(text)};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
  if (fds) {
    message.msg_control = rights.bytes;
    message.msg_controllen = sizeof rights.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){.cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int)),
                               .cmsg_level = SOL_SOCKET,
                               .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(header), fds, DESCRIPTORS * sizeof(int));
  }
  const bool sent = sendmsg(control, &message, MSG_NOSIGNAL) == (ssize_t)data.iov_len;
  free(text);
  return sent;
}

static bool send_request(int control, const char *const *argv, const int fds[DESCRIPTORS]) {
  json_t *words = json_array();
  for (size_t i = 0; argv[i]; i++) json_array_append_new(words, json_string(argv[i]));
  return send_packet(control, json_pack("{s:o}", "argv", words), fds);
}

/* Returns the descriptor of the new process; -1: there is none, and `answer` may say why. */
static int receive_answer(int control, double seconds, char answer[ANSWER_BYTES]) {
  struct pollfd wait = {.fd = control, .events = POLLIN};
  union control_message rights = {0};
  struct iovec data = {answer, ANSWER_BYTES - 1};
  struct msghdr message = {.msg_iov = &data,
                           .msg_iovlen = 1,
                           .msg_control = rights.bytes,
                           .msg_controllen = sizeof rights.bytes};
  int fd = -1;
  if (poll(&wait, 1, (int)(seconds * 1e3)) <= 0) return -1;
  const ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return -1;
  answer[got] = '\0';
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof fd))
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

/* Returns its process number in pawl's namespace; 0: unknown. */
static pid_t pid_of(int pid_fd) {
  char path[64], line[128];
  int pid = 0;
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pid_fd);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file) && sscanf(line, "Pid: %d", &pid) != 1) {
  }
  if (file) fclose(file);
  return pid > 0 ? pid : 0;
}

/* Gives a new process, which waits for it, a control group. Without one the process stays in the
 * server's. */
static void bound(const struct pawl_fork_server *server, struct pawl_worker *worker) {
  struct pawl_sandbox sandbox;
  struct pawl_process *process = &worker->process;
  process->bounds = server->process.bounds & ~(unsigned)PAWL_BOUNDS_MEMORY;
  if (!pawl_worker_sandbox(worker, NULL, &sandbox)) return;
  const uint64_t most = sandbox.processes ? sandbox.processes : pawl_cgroup_usual_processes();
  pawl_cgroup_make(&process->group, pawl_cgroup_here(), most);
  if (sandbox.memory) pawl_cgroup_bound_memory(&process->group, sandbox.memory);
  if (pawl_cgroup_take(&process->group, process->pid))
    process->bounds = process->group.bounds & ~(sandbox.memory ? 0u : (unsigned)PAWL_BOUNDS_MEMORY);
  else
    pawl_cgroup_end(&process->group);
}

static pawl_status fork_worker(struct pawl_fork_server *server, struct pawl_worker *worker,
                               const int fds[DESCRIPTORS], int *pid_fd, struct pawl_error *err) {
  char answer[ANSWER_BYTES] = "no answer";
  if (!send_request(server->control, pawl_worker_argv(worker) + 1, fds))
    return pawl_fail(err, PAWL_UNAVAILABLE, "it does not take requests");
  int fd =
      receive_answer(server->control, pawl_budget_limit(pawl_worker_start_limit(worker)), answer);
  const pid_t pid = fd >= 0 ? pid_of(fd) : 0;
  if (pid == 0) {
    pawl_close(&fd);
    return pawl_fail(err, PAWL_UNAVAILABLE, "%s", answer);
  }
  worker->process =
      (struct pawl_process){.pid = pid, .foreign = true, .isolation = server->process.isolation};
  bound(server, worker);
  if (send(server->control, "{}", 2, MSG_NOSIGNAL) != 2) {
    pawl_cgroup_end(&worker->process.group);
    worker->process = (struct pawl_process){0};
    pawl_close(&fd);
    return pawl_fail(err, PAWL_UNAVAILABLE, "it has ended");
  }
  *pid_fd = fd;
  return PAWL_OK;
}

/* Starts the server for the workers that share these options, unless it runs. */
static pawl_status ensure(struct pawl_fork_server *server, struct pawl_worker *worker,
                          const char *const *environment, struct pawl_error *err) {
  const char *identity = identity_of(worker);
  if (server->identity && strcmp(server->identity, identity) != 0) pawl_fork_server_release(server);
  if (server->unusable) return pawl_fail(err, PAWL_UNAVAILABLE, "the fork server failed before");
  if (server->identity) return PAWL_OK;
  server->identity = pawl_alloc(strlen(identity) + 1, 1);
  memcpy(server->identity, identity, strlen(identity) + 1);
  const enum pawl_status_code status = start(server, worker, environment, err);
  server->unusable = status != PAWL_OK;
  return status;
}

void pawl_fork_server_import_for(struct pawl_fork_server *server, struct pawl_worker *worker,
                                 const char *const *environment) {
  struct pawl_error ignored;
  const char *const *argv = pawl_worker_argv(worker);
  if (!argv[0] || !argv[1] || ensure(server, worker, environment, &ignored) != PAWL_OK) return;
  server->importing += send_packet(server->control, json_pack("{s:s}", "import", argv[1]), NULL);
}

void pawl_fork_server_await(struct pawl_fork_server *server) {
  char answer[ANSWER_BYTES];
  const int64_t begin = pawl_clock_ns();
  while (server->importing > 0) {
    struct pollfd answered = {.fd = server->control, .events = POLLIN};
    const double left = IMPORT_SECONDS - pawl_seconds_since(begin);
    const int ready = left > 0 ? poll(&answered, 1, (int)(left * 1e3) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    server->importing--;
    if (ready > 0 && recv(server->control, answer, sizeof answer, 0) > 0) continue;
    server->unusable = true;
    server->importing = 0;
  }
}

pawl_status pawl_fork_server_fork(struct pawl_fork_server *server, struct pawl_worker *worker,
                                  const char *const *environment, const int fds[DESCRIPTORS],
                                  int *pid_fd, struct pawl_error *err) {
  pawl_fork_server_await(server);
  enum pawl_status_code status = ensure(server, worker, environment, err);
  if (status == PAWL_OK) {
    status = fork_worker(server, worker, fds, pid_fd, err);
    server->unusable = status != PAWL_OK;
  }
  if (status == PAWL_OK) return PAWL_OK;
  if (err) err->code = PAWL_UNAVAILABLE;
  return PAWL_UNAVAILABLE;
}
