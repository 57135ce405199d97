/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/cuda_search.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define ANSWER_SECONDS 120.0 /* many GPUs without persistence mode take 20 s and more */
#define ENDING_MS 2000       /* the child's time to end, at most twice */
#define CHANNEL 3            /* the child's only descriptor beside the standard ones */

static int cuda_search_attribute(const struct pawl_cuda_driver *driver, pawl_cu_device device,
                                 int which) {
  int value = -1;
  return driver->device_attribute(&value, which, device) == PAWL_CU_SUCCESS ? value : -1;
}

static void cuda_search_describe(const struct pawl_cuda_driver *driver, int index,
                                 struct pawl_cuda_gpu *out) {
  pawl_cu_device cu = 0;
  out->known = driver->device_get(&cu, index) == PAWL_CU_SUCCESS;
  if (!out->known) return;
  if (driver->device_name(out->name, sizeof out->name, cu) != PAWL_CU_SUCCESS) *out->name = '\0';
  if (driver->device_memory(&out->bytes, cu) != PAWL_CU_SUCCESS) out->bytes = 0;
  out->units = cuda_search_attribute(driver, cu, PAWL_CU_MULTIPROCESSORS);
  out->cache_bytes = cuda_search_attribute(driver, cu, PAWL_CU_L2_CACHE_SIZE);
  out->ecc = cuda_search_attribute(driver, cu, PAWL_CU_ECC_ENABLED);
  out->bus_bits = cuda_search_attribute(driver, cu, PAWL_CU_MEMORY_BUS_WIDTH);
  out->khz = cuda_search_attribute(driver, cu, PAWL_CU_CLOCK_RATE);
  out->memory_khz = cuda_search_attribute(driver, cu, PAWL_CU_MEMORY_CLOCK_RATE);
  out->major = cuda_search_attribute(driver, cu, PAWL_CU_CAPABILITY_MAJOR);
  out->minor = cuda_search_attribute(driver, cu, PAWL_CU_CAPABILITY_MINOR);
  out->has_pci = driver->device_pci(out->pci, sizeof out->pci, cu) == PAWL_CU_SUCCESS;
  out->has_uuid = driver->device_uuid(&out->uuid, cu) == PAWL_CU_SUCCESS;
}

static pawl_status look(struct pawl_cuda_findings *out, struct pawl_error *err) {
  struct pawl_cuda_driver driver;
  int found = 0;
  PAWL_TRY(pawl_cuda_driver_open(NULL, &driver, err));
  PAWL_TRY(pawl_cuda_check(&driver, driver.device_count(&found),
                           "the NVIDIA driver does not report the number of GPUs", err));
  if (found <= 0)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "the NVIDIA driver sees no GPU (CUDA_VISIBLE_DEVICES?)");
  if (found > PAWL_MOST_GPUS)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "the NVIDIA driver shows %d GPUs, but pawl can list %d; show it fewer with "
                     "CUDA_VISIBLE_DEVICES",
                     found, PAWL_MOST_GPUS);
  for (int i = 0; i < found; i++) cuda_search_describe(&driver, i, &out->gpus[i]);
  out->count = found;
  return PAWL_OK;
}

/* Closes the parent's descriptors in the child. Otherwise a reader of pawl's output would wait for
 * the child's end. */
static bool leave_descriptors(int channel) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int kept = fcntl(channel, F_DUPFD, CHANNEL + 1);
  if (null < 0 || kept < 0 || dup2(kept, CHANNEL) < 0) return false;
  for (int i = 0; i < CHANNEL; i++)
    if (dup2(null, i) < 0) return false;
  return syscall(SYS_close_range, CHANNEL + 1u, ~0u, 0) == 0;
}

/* Runs the child, outside the terminal's foreground group so that no key reaches it. It ends with
 * pawl. */
_Noreturn static void run_child(int channel) {
  struct pawl_cuda_findings findings = {.count = 0};
  struct pawl_error err = {0};
  char byte;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  if (!leave_descriptors(channel)) _exit(1);
  if (look(&findings, &err) != PAWL_OK)
    snprintf(findings.reason, sizeof findings.reason, "%s", err.message);
  if (write(CHANNEL, &findings, sizeof findings) != (ssize_t)sizeof findings) _exit(1);
  if (!findings.count) _exit(0);
  while (read(CHANNEL, &byte, 1) < 0 && errno == EINTR)
    continue; /* until the parent closes its end */
  _exit(0);
}

void pawl_cuda_search_begin(struct pawl_device_search *out) {
  int ends[2];
  *out = (struct pawl_device_search){.fd = -1, .begun = true};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return;
  const pid_t pid = fork();
  if (pid == 0) run_child(ends[1]);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return;
  }
  out->pid = pid;
  out->fd = ends[0];
}

/* Reads until the end of the stream or of the time. */
static size_t receive(int fd, void *to, size_t size) {
  const int64_t begin = pawl_clock_ns();
  size_t got = 0;
  while (got < size) {
    const double left = ANSWER_SECONDS - pawl_seconds_since(begin);
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    const int ready = left > 0 ? poll(&readable, 1, (int)(left * 1e3) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t n = ready > 0 ? read(fd, (char *)to + got, size - got) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += (size_t)n;
  }
  return got;
}

/* Waits at most this long, because a driver may hang. */
static bool ends_within(pid_t pid, int milliseconds) {
  PAWL_CLEANUP(pawl_close) int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  struct pollfd end = {.fd = fd, .events = POLLIN};
  return fd >= 0 && poll(&end, 1, milliseconds) == 1;
}

static int cuda_search_wait_for(struct pawl_device_search *search) {
  int status = 0;
  while (waitpid(search->pid, &status, 0) < 0 && errno == EINTR) continue;
  search->pid = 0;
  return status;
}

/* Ends the child, and says how it ended by itself. */
static void explain(struct pawl_device_search *search, bool late, struct pawl_cuda_findings *out) {
  if (late) kill(search->pid, SIGKILL);
  const int status = cuda_search_wait_for(search);
  if (late)
    snprintf(out->reason, sizeof out->reason, "the NVIDIA driver did not start within %.0f s",
             ANSWER_SECONDS);
  else if (WIFSIGNALED(status))
    snprintf(out->reason, sizeof out->reason,
             "the NVIDIA driver ended the process that looks for GPUs: %s",
             strsignal(WTERMSIG(status)));
  else
    snprintf(out->reason, sizeof out->reason,
             "the NVIDIA driver ended the process that looks for GPUs (exit %d)",
             WEXITSTATUS(status));
}

void pawl_cuda_search_answer(struct pawl_device_search *search, struct pawl_cuda_findings *out) {
  *out = (struct pawl_cuda_findings){.count = 0};
  if (search->fd < 0) {
    snprintf(out->reason, sizeof out->reason, "cannot start the process that looks for GPUs");
    return;
  }
  const int64_t begin = pawl_clock_ns();
  search->answered = receive(search->fd, out, sizeof *out) == sizeof *out;
  if (search->answered) {
    if (!out->count)
      cuda_search_wait_for(search); /* without a GPU to keep awake the child ends at once */
    return;
  }
  *out = (struct pawl_cuda_findings){.count = 0};
  explain(search, pawl_seconds_since(begin) >= ANSWER_SECONDS, out);
}

void pawl_cuda_search_dismiss(struct pawl_device_search *search) {
  if (search->begun) pawl_close(&search->fd);
}

void pawl_cuda_search_release(struct pawl_device_search *search) {
  if (!search->begun) return;
  pawl_cuda_search_dismiss(search);
  if (search->pid > 0 && !(search->answered && ends_within(search->pid, ENDING_MS)))
    kill(search->pid, SIGKILL);
  if (search->pid > 0 && ends_within(search->pid, ENDING_MS)) cuda_search_wait_for(search);
  *search = (struct pawl_device_search){0};
}
