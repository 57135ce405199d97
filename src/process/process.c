/* SPDX-License-Identifier: Apache-2.0 */
#include "process/process.h"

#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "process/orphans.h"
#include "process/stat.h"

/* Reaps the process; `flags` as for wait4. Returns false if it still runs. */
static bool reap(struct pawl_process *process, int flags, struct pawl_exit *out) {
  int status = 0;
  struct rusage usage = {0};
  pid_t got;
  do got = wait4(process->pid, &status, flags, &usage);
  while (got < 0 && errno == EINTR);
  if (got == 0) return false;
  out->status = got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  out->signal = got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  out->peak_bytes = got > 0 ? (uint64_t)usage.ru_maxrss << 10 : 0;
  out->isolation = process->isolation;
  kill(-process->pid, SIGKILL); /* ends all that it left in its group */
  char mark[PAWL_DESCENDANT_MARK];
  memcpy(mark, process->mark, sizeof mark);
  pawl_process_forget(process);
  out->bounds = process->bounds;
  out->events = process->events;
  if (*mark) {
    pawl_orphans_kill(); /* first, because this reaps what it kills */
    pawl_descendants_kill(mark);
  }
  return true;
}

double pawl_process_cpu_seconds(const struct pawl_process *process) {
  char line[PAWL_PROCESS_STAT];
  const char *fields = process->pid > 0 ? pawl_process_stat(process->pid, line) : NULL;
  double user, system, children_user, children_system;
  if (!fields || sscanf(fields, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf %lf %lf",
                        &user, &system, &children_user, &children_system) != 4)
    return 0;
  return (user + system + children_user + children_system) / (double)sysconf(_SC_CLK_TCK);
}

bool pawl_process_has_ended(const struct pawl_process *process) {
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

pawl_status pawl_process_wait(struct pawl_process *process, double seconds, struct pawl_exit *out,
                              struct pawl_error *err) {
  PAWL_ASSERT(process->pid > 0);
  const int64_t start = pawl_clock_ns();
  struct pawl_exit exit = {0};
  PAWL_CLEANUP(pawl_close) int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot watch process %ld", (long)process->pid);
  for (;;) {
    const double left = seconds - pawl_seconds_since(start);
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    const int ready = poll(&poll_fd, 1, seconds < 0 ? -1 : left > 0 ? (int)(left * 1e3) + 1 : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && seconds >= 0 && pawl_seconds_since(start) >= seconds) {
      exit.timed_out = true;
      kill(-process->pid, SIGKILL);
      kill(process->pid, SIGKILL);
    } else if (ready <= 0) {
      continue;
    }
    reap(process, 0, &exit);
    break;
  }
  exit.seconds = pawl_seconds_since(start);
  if (out) *out = exit;
  return PAWL_OK;
}

void pawl_process_kill(struct pawl_process *process) {
  if (!process || process->pid <= 0) return;
  kill(-process->pid, SIGKILL);
  kill(process->pid, SIGKILL);
  struct pawl_exit ignored = {0};
  reap(process, 0, &ignored);
}

/* Reads the available data of one pipe and drops all beyond `limit` bytes. Closes the pipe at the
   end of the stream. */
static void drain(int *fd, struct pawl_text *out, size_t limit) {
  char buffer[16384];
  const ssize_t got = read(*fd, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    pawl_close(fd);
    return;
  }
  const size_t room = out && out->length < limit ? limit - out->length : 0;
  if (room) pawl_text_add_bytes(out, buffer, (size_t)got < room ? (size_t)got : room);
}

/* Reads both pipes until they close or the time is up. A grandchild that keeps them open cannot
   block pawl for ever. */
static void collect(struct pawl_process *process, int pipes[2], double seconds, size_t limit,
                    struct pawl_text *const texts[2]) {
  const int64_t start = pawl_clock_ns();
  PAWL_CLEANUP(pawl_close) int child = (int)syscall(SYS_pidfd_open, process->pid, 0);
  bool ended = false;
  while (pipes[0] >= 0 || pipes[1] >= 0) {
    const double left = seconds < 0 ? 1 : seconds - pawl_seconds_since(start);
    if (left <= 0) return;
    struct pollfd polls[3] = {{.fd = pipes[0], .events = POLLIN},
                              {.fd = pipes[1], .events = POLLIN},
                              {.fd = ended ? -1 : child, .events = POLLIN}};
    const int ready = poll(polls, 3, ended ? 0 : left < 1 ? (int)(left * 1e3) + 1 : 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ended && ready <= 0) return;
    if (polls[2].revents) ended = true;
    for (int i = 0; i < 2; i++) {
      if (pipes[i] >= 0 && polls[i].revents) drain(&pipes[i], texts[i], limit);
    }
  }
}

pawl_status pawl_process_run(const struct pawl_process_options *options, double seconds,
                             size_t limit, struct pawl_text *out, struct pawl_text *errors,
                             struct pawl_exit *exit, struct pawl_error *err) {
  const bool merged = out && out == errors;
  int ends[2][2] = {{-1, -1}, {-1, -1}};
  if (out && pipe2(ends[0], O_CLOEXEC)) return pawl_fail_errno(err, errno, "cannot make a pipe");
  if (errors && !merged && pipe2(ends[1], O_CLOEXEC)) {
    const int number = errno;
    close(ends[0][0]), close(ends[0][1]);
    return pawl_fail_errno(err, number, "cannot make a pipe");
  }
  struct pawl_process_options child = *options;
  if (child.fd_count < 3) {
    for (int i = child.fd_count; i < 3; i++) child.fds[i] = -1;
    child.fd_count = 3;
  }
  child.fds[1] = ends[0][1];
  child.fds[2] = merged ? ends[0][1] : ends[1][1];
  struct pawl_process process = {0};
  const int64_t start = pawl_clock_ns();
  enum pawl_status_code status = pawl_process_start(&process, &child, err);
  pawl_close(&ends[0][1]);
  pawl_close(&ends[1][1]);
  int pipes[2] = {ends[0][0], ends[1][0]};
  if (status == PAWL_OK) {
    collect(&process, pipes, seconds, limit, (struct pawl_text *const[2]){out, errors});
    const double left = seconds < 0 ? -1 : seconds - pawl_seconds_since(start);
    status = pawl_process_wait(&process, seconds < 0 ? -1 : left > 0 ? left : 0, exit, err);
    if (exit) exit->seconds = pawl_seconds_since(start);
  }
  pawl_close(&pipes[0]);
  pawl_close(&pipes[1]);
  return status;
}

void pawl_exit_describe(const struct pawl_exit *exit, struct pawl_text *out) {
  if (exit->timed_out) {
    pawl_text_printf(out, "timed out after %.3g s", exit->seconds);
  } else if (exit->signal) {
    const char *name = sigabbrev_np(exit->signal), *words = sigdescr_np(exit->signal);
    pawl_text_printf(out, "was killed by SIG%s (%s)", name ? name : "?",
                     words ? words : "unknown signal");
  } else {
    pawl_text_printf(out, "exited with status %d", exit->status);
  }
}
