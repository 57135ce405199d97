/* SPDX-License-Identifier: Apache-2.0 */
#include "process/jobs.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "process/freeze.h"

#define PAUSE_SECONDS 1.0 /* how long a pause waits for the commands to stop */
#define MOST_POLL_MS 3600000

struct pawl_jobs {
  pthread_mutex_t mutex; /* guards all fields below */
  pthread_cond_t resumed;
  pid_t *running; /* each child that is not reaped yet */
  size_t count, capacity;
  bool paused, stopping;
  int64_t paused_since, paused_ns; /* the time of all pauses that have ended */
  struct pawl_freeze freeze;
  int stop_fd; /* readable from the stop on */
};

struct pawl_jobs *pawl_jobs_new(void) {
  struct pawl_jobs *jobs = pawl_alloc(1, sizeof *jobs);
  pthread_mutex_init(&jobs->mutex, NULL);
  pthread_cond_init(&jobs->resumed, NULL);
  /* -1: pawl sees a stop only when the command ends. */
  jobs->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return jobs;
}

void pawl_jobs_free(struct pawl_jobs *jobs) {
  if (!jobs) return;
  PAWL_ASSERT(!jobs->count);
  pawl_freeze_release(&jobs->freeze);
  pthread_cond_destroy(&jobs->resumed);
  pthread_mutex_destroy(&jobs->mutex);
  pawl_close(&jobs->stop_fd);
  pawl_free(jobs->running);
  pawl_free(jobs);
}

/* Needs the mutex, like the functions below. */
static void await_resume(struct pawl_jobs *jobs) {
  while (jobs->paused) pthread_cond_wait(&jobs->resumed, &jobs->mutex);
}

pawl_status pawl_jobs_start(struct pawl_jobs *jobs, struct pawl_process *process,
                            const struct pawl_process_options *options, struct pawl_error *err) {
  if (!jobs) return pawl_process_start(process, options, err);
  enum pawl_status_code status;
  pthread_mutex_lock(&jobs->mutex);
  await_resume(jobs);
  if (jobs->stopping)
    status = pawl_fail(err, PAWL_TRY_AGAIN, "'%s' is not started any more", options->argv[0]);
  else
    status = pawl_process_start(process, options, err);
  if (status == PAWL_OK) {
    jobs->running = pawl_grow(jobs->running, jobs->count, &jobs->capacity, sizeof *jobs->running);
    jobs->running[jobs->count++] = process->pid;
  }
  pthread_mutex_unlock(&jobs->mutex);
  return status;
}

double pawl_jobs_paused_seconds(struct pawl_jobs *jobs) {
  if (!jobs) return 0;
  pthread_mutex_lock(&jobs->mutex);
  const int64_t ns = jobs->paused_ns + (jobs->paused ? pawl_clock_ns() - jobs->paused_since : 0);
  pthread_mutex_unlock(&jobs->mutex);
  return (double)ns * 1e-9;
}

/* Removes a process between pauses. SIGTERM cannot end a stopped process, and pawl must not stop
   the number of a reaped one. */
static void jobs_leave(struct pawl_jobs *jobs, pid_t pid) {
  if (!jobs) return;
  pthread_mutex_lock(&jobs->mutex);
  await_resume(jobs);
  size_t kept = 0;
  for (size_t i = 0; i < jobs->count; i++)
    if (jobs->running[i] != pid) jobs->running[kept++] = jobs->running[i];
  jobs->count = kept;
  pthread_mutex_unlock(&jobs->mutex);
}

static int poll_ms(double seconds) {
  return !(seconds > 0)                 ? 0
         : seconds < MOST_POLL_MS / 1e3 ? (int)(seconds * 1e3) + 1
                                        : MOST_POLL_MS;
}

bool pawl_jobs_await(struct pawl_jobs *jobs, const struct pawl_process *process, double seconds) {
  PAWL_CLEANUP(pawl_close) int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  const int64_t begin = pawl_clock_ns();
  const double before = pawl_jobs_paused_seconds(jobs);
  bool ended = false, is_late = fd < 0;
  while (!ended && !is_late) {
    const double left =
        seconds - pawl_seconds_since(begin) + pawl_jobs_paused_seconds(jobs) - before;
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN},
                           {.fd = jobs ? jobs->stop_fd : -1, .events = POLLIN}};
    const int ready = poll(fds, 2, poll_ms(left));
    ended = ready > 0 && fds[0].revents;
    is_late = !ended && (ready < 0 ? errno != EINTR : ready > 0 || !(left > 0));
  }
  jobs_leave(jobs, process->pid);
  return ended;
}

bool pawl_jobs_pause(struct pawl_jobs *jobs) {
  if (!jobs) return true;
  pthread_mutex_lock(&jobs->mutex);
  PAWL_ASSERT(!jobs->paused);
  jobs->paused = true;
  jobs->paused_since = pawl_clock_ns();
  const bool still = pawl_freeze_trees(&jobs->freeze, jobs->running, jobs->count, PAUSE_SECONDS);
  pthread_mutex_unlock(&jobs->mutex);
  return still;
}

void pawl_jobs_resume(struct pawl_jobs *jobs) {
  if (!jobs) return;
  pthread_mutex_lock(&jobs->mutex);
  pawl_freeze_end(&jobs->freeze);
  if (jobs->paused) jobs->paused_ns += pawl_clock_ns() - jobs->paused_since;
  jobs->paused = false;
  pthread_cond_broadcast(&jobs->resumed);
  pthread_mutex_unlock(&jobs->mutex);
}

void pawl_jobs_stop(struct pawl_jobs *jobs) {
  if (!jobs) return;
  pawl_jobs_resume(jobs);
  pthread_mutex_lock(&jobs->mutex);
  jobs->stopping = true;
  pthread_mutex_unlock(&jobs->mutex);
  const uint64_t one = 1;
  if (jobs->stop_fd >= 0 &&
      write(jobs->stop_fd, &one, sizeof one) < 0) { /* it is readable already */
  }
}

bool pawl_jobs_are_stopping(struct pawl_jobs *jobs) {
  if (!jobs) return false;
  pthread_mutex_lock(&jobs->mutex);
  const bool stopping = jobs->stopping;
  pthread_mutex_unlock(&jobs->mutex);
  return stopping;
}
