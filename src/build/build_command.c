/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define GRACE_SECONDS 2.0

pawl_status pawl_build_command_run(const struct pawl_build_command *command, struct pawl_exit *how,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close)
  int fd = open(command->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                0666); /* a FIFO must not block */
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot write '%s'", command->output);
  const struct pawl_sandbox sandbox = {
      .folder = command->folder, .shared = command->shared, .required = true};
  const struct pawl_process_options options = {.sandbox = command->shared ? &sandbox : NULL,
                                               .argv = command->argv,
                                               .folder = command->folder,
                                               .environment = command->environment,
                                               .drop_secrets = true,
                                               .die_with_parent = true,
                                               .fds = {-1, fd, fd},
                                               .fd_count = 3};
  struct pawl_process process = {0};
  const int64_t start = pawl_clock_ns();
  PAWL_TRY(pawl_jobs_start(command->jobs, &process, &options, err));
  const bool late = !pawl_jobs_await(command->jobs, &process, command->seconds);
  if (late) kill(-process.pid, SIGTERM);
  PAWL_TRY(pawl_process_wait(&process, late ? GRACE_SECONDS : -1, how, err));
  how->timed_out = late;
  how->seconds = pawl_seconds_since(start);
  return PAWL_OK;
}

pawl_status pawl_build_output_read(const char *path, size_t limit, struct pawl_text *out,
                                   struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat info;
  if (fd < 0 || fstat(fd, &info)) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  if (!S_ISREG(info.st_mode))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a regular file; remove it", path);
  char buffer[65536];
  while (out->length < limit) {
    const size_t room = limit - out->length;
    const ssize_t got = read(fd, buffer, room < sizeof buffer ? room : sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return pawl_fail_errno(err, errno, "cannot read '%s'", path);
    if (got == 0) break;
    for (ssize_t i = 0; i < got; i++) buffer[i] = buffer[i] ? buffer[i] : '?';
    pawl_text_add_bytes(out, buffer, (size_t)got);
  }
  return PAWL_OK;
}
