/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/clocks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "device/cuda/nvml.h"

#define ANSWER_SECONDS 20.0

static char *guard_program(void) {
  const char *given = getenv("PAWL_CLOCK_GUARD");
  if (given && *given) return pawl_path_join("/", given);
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  return pawl_path_join(home, "libexec/pawl/pawl-clock-guard");
}

static pawl_status start_guard(const char *uuid, struct pawl_process *guard, int *release_fd,
                               int *answer_fd, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) char *program = guard_program();
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC)) return pawl_fail_errno(err, errno, "cannot make a pipe");
  if (pipe2(out, O_CLOEXEC)) {
    const int number = errno;
    close(in[0]), close(in[1]);
    return pawl_fail_errno(err, number, "cannot make a pipe");
  }
  /* without die_with_parent, because the guard must outlive pawl */
  const struct pawl_process_options options = {.argv = (const char *const[]){program, uuid, NULL},
                                               .drop_secrets = true,
                                               .fds = {in[0], out[1], -1},
                                               .fd_count = 3};
  const enum pawl_status_code status = pawl_process_start(guard, &options, err);
  close(in[0]), close(out[1]);
  if (status != PAWL_OK) {
    close(in[1]), close(out[0]);
    return status;
  }
  *release_fd = in[1];
  *answer_fd = out[0];
  return PAWL_OK;
}

/* Reads one line within the time; "": none came. */
static void clocks_read_answer(int fd, char *line, size_t size) {
  size_t length = 0;
  struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
  while (length + 1 < size && poll(&poll_fd, 1, (int)(ANSWER_SECONDS * 1e3)) > 0) {
    const ssize_t got = read(fd, line + length, size - 1 - length);
    if (got <= 0) break;
    length += (size_t)got;
    if (memchr(line, '\n', length)) break;
  }
  line[length] = '\0';
  line[strcspn(line, "\n")] = '\0';
}

pawl_status pawl_clock_lock(const struct pawl_device *device, struct pawl_clock_lock *out,
                            struct pawl_error *err) {
  if (!device->uuid)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot lock the clocks of a GPU without a UUID");
  struct pawl_clock_lock lock = {0};
  char line[512];
  int answer_fd = -1;
  snprintf(lock.uuid, sizeof lock.uuid, "%s", device->uuid);
  PAWL_TRY(start_guard(lock.uuid, &lock.guard, &lock.release_fd, &answer_fd, err));
  clocks_read_answer(answer_fd, line, sizeof line);
  close(answer_fd);
  if (!strcmp(line, "locked")) {
    *out = lock;
    return PAWL_OK;
  }
  struct pawl_exit how = {0};
  close(lock.release_fd);
  PAWL_TRY(pawl_process_wait(&lock.guard, ANSWER_SECONDS, &how, err));
  const bool known = how.status == PAWL_NOT_PERMITTED || how.status == PAWL_UNAVAILABLE;
  return pawl_fail(err, known ? (enum pawl_status_code)how.status : PAWL_IO,
                   "cannot lock the clocks of '%s': %s", lock.uuid,
                   *line ? line : "the clock guard did not answer");
}

/* The guard died before it freed the clock. */
static pawl_status unlock_here(const char *uuid, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_nvml_release) struct pawl_nvml nvml = {0};
  pawl_nvml_device device, whole;
  struct pawl_error cause = {0};
  int result = PAWL_NVML_NOT_SUPPORTED;
  enum pawl_status_code status = pawl_nvml_open(&nvml, &cause);
  if (status == PAWL_OK) status = pawl_nvml_find(&nvml, uuid, NULL, &device, &whole, &cause);
  if (status == PAWL_OK && nvml.unlock_clock) result = nvml.unlock_clock(whole);
  if (result == PAWL_NVML_SUCCESS) return PAWL_OK;
  return pawl_fail(
      err, PAWL_IO,
      "the clocks of '%s' are still locked: %s; run `nvidia-smi -i %s --reset-gpu-clocks`", uuid,
      status == PAWL_OK ? pawl_nvml_words(&nvml, result) : cause.message, uuid);
}

pawl_status pawl_clock_unlock(struct pawl_clock_lock *lock, struct pawl_error *err) {
  if (!lock || lock->guard.pid <= 0) return PAWL_OK;
  struct pawl_exit how = {0};
  close(lock->release_fd);
  const enum pawl_status_code waited = pawl_process_wait(&lock->guard, ANSWER_SECONDS, &how, NULL);
  lock->guard.pid = 0;
  lock->release_fd = -1;
  return waited == PAWL_OK && how.status == 0 ? PAWL_OK : unlock_here(lock->uuid, err);
}
