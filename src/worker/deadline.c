/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/deadline.h"

#include <stdatomic.h>

#include "base/clock.h"

/* After this fraction of the limit pawl looks at the threads. So it does not disturb short calls,
 * which are timed. */
#define LOOK_AFTER 8

/* Returns the nanoseconds for which something had stopped the process, in all. */
static int64_t stood_ns(const struct pawl_worker *worker) {
  const int64_t since = atomic_load(&worker->stands_since);
  return atomic_load(&worker->stood_ns) + (since ? pawl_clock_ns() - since : 0);
}

static bool keep(void *argument, const struct pawl_schedstat *stat) {
  struct pawl_deadline *deadline = argument;
  deadline->threads[deadline->count++] = *stat;
  return deadline->count < PAWL_DEADLINE_THREADS;
}

struct waits {
  const struct pawl_deadline *deadline;
  int64_t longest_ns;
};

/* A new thread counts from now on. pawl knows only the threads that it keeps. */
static bool compare(void *argument, const struct pawl_schedstat *stat) {
  struct waits *waits = argument;
  const struct pawl_deadline *deadline = waits->deadline;
  int64_t before = deadline->count < PAWL_DEADLINE_THREADS ? 0 : stat->waited_ns;
  for (size_t i = 0; i < deadline->count; i++)
    if (deadline->threads[i].thread == stat->thread) before = deadline->threads[i].waited_ns;
  if (stat->waited_ns - before > waits->longest_ns) waits->longest_ns = stat->waited_ns - before;
  return true;
}

/* Estimates the worker's loss: the wait of the thread that waited longest. */
static int64_t waited_ns(const struct pawl_deadline *deadline) {
  struct waits waits = {deadline, 0};
  const int64_t most = PAWL_DEADLINE_MOST * deadline->limit_ns;
  pawl_schedstat_each(deadline->worker->process.pid, compare, &waits);
  return waits.longest_ns < most ? waits.longest_ns : most;
}

struct pawl_deadline pawl_deadline_begin(const struct pawl_worker *worker, double seconds) {
  return (struct pawl_deadline){.worker = worker,
                                .limit_ns = (int64_t)(seconds * 1e9),
                                .begin_ns = pawl_clock_ns(),
                                .stood_ns = stood_ns(worker)};
}

int64_t pawl_deadline_left(struct pawl_deadline *deadline) {
  const struct pawl_worker *worker = deadline->worker;
  const int64_t passed =
      pawl_clock_ns() - deadline->begin_ns - (stood_ns(worker) - deadline->stood_ns);
  const int64_t look_ns = deadline->limit_ns / LOOK_AFTER;
  if (!deadline->looked && passed >= look_ns) {
    deadline->looked = true;
    pawl_schedstat_each(worker->process.pid, keep, deadline);
  }
  if (passed >= deadline->limit_ns + deadline->granted_ns)
    deadline->granted_ns = waited_ns(deadline);
  const int64_t left = deadline->limit_ns + deadline->granted_ns - passed;
  if (left <= 0) return 0;
  return deadline->looked ? left : look_ns - passed;
}
