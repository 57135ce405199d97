/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's side of `clocks: lock`. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "device/cuda/clocks.h"
#include "device/cuda/nvml.h"

/* nvmlClockLimitId_t: the base clock, which the GPU holds within its power limit. */
#define CLOCK_LIMIT_TDP 0xffffff01u
#define UNLOCK_TRIES 20

static int answer(int fd, int status, const char *format, const char *words) {
  char line[512];
  const int length = snprintf(line, sizeof line, format, words);
  if (write(fd, line, (size_t)(length < (int)sizeof line ? length : (int)sizeof line - 1)) < 0)
    return PAWL_IO;
  return status;
}

/* Waits until the pipe closes or a signal comes. The signals are blocked and read, so that none
 * ends the guard first. */
static void wait_for_the_end(int in_fd, int signals) {
  struct pollfd polls[2] = {{.fd = in_fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
  for (;;) {
    if (poll(polls, 2, -1) < 0) continue; /* EINTR */
    char byte;
    if (polls[1].revents || (polls[0].revents && read(in_fd, &byte, 1) <= 0)) return;
  }
}

static int take_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < PAWL_COUNT(numbers); i++) sigaddset(&set, numbers[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

int pawl_clock_guard(const char *uuid, int in_fd, int out_fd) {
  PAWL_CLEANUP(pawl_nvml_release) struct pawl_nvml nvml = {0};
  PAWL_CLEANUP(pawl_close) int signals = take_signals();
  pawl_nvml_device device, whole;
  struct pawl_error err = {0};
  if (signals < 0) return answer(out_fd, PAWL_IO, "cannot handle signals: %s\n", strerror(errno));
  if (pawl_nvml_open(&nvml, &err) != PAWL_OK ||
      pawl_nvml_find(&nvml, uuid, NULL, &device, &whole, &err) != PAWL_OK)
    return answer(out_fd, PAWL_UNAVAILABLE, "%s\n", err.message);
  if (!nvml.lock_clock || !nvml.unlock_clock)
    return answer(out_fd, PAWL_UNAVAILABLE, "this NVML cannot lock clocks%s\n", "");
  int result = nvml.lock_clock(whole, CLOCK_LIMIT_TDP, CLOCK_LIMIT_TDP);
  if (result != PAWL_NVML_SUCCESS)
    return answer(out_fd, result == PAWL_NVML_NO_PERMISSION ? PAWL_NOT_PERMITTED : PAWL_UNAVAILABLE,
                  "%s\n", pawl_nvml_words(&nvml, result));
  const int told = answer(out_fd, PAWL_OK, "locked%s\n", "");
  if (told == PAWL_OK) wait_for_the_end(in_fd, signals);
  for (int i = 0; i < UNLOCK_TRIES; i++) {
    result = nvml.unlock_clock(whole);
    if (result == PAWL_NVML_SUCCESS) return told;
    pawl_sleep_seconds(0.05);
  }
  return PAWL_IO;
}
