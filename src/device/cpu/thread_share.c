/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cpu/thread_share.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"

#define BURSTS 40
#define BURST_NS 3000000 /* about as long as a kernel's call */
#define PERIOD_NS 7000000
#define FIRST_NS 5000000 /* by then all threads have started */
/* The least share of the free CPUs. Waking the threads costs a few per cent. */
#define LEAST_SHARE 0.8

struct busy_thread {
  pthread_t thread;
  int64_t begin; /* the same for all threads */
  double busy_seconds;
};

static double thread_seconds(void) {
  struct timespec now;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
             ? NAN
             : (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* All threads work in the same intervals. A thread that waits for a CPU gets less time. */
static void *work(void *context) {
  struct busy_thread *thread = context;
  for (int i = 0; i < BURSTS; i++) {
    const int64_t begin = thread->begin + i * (int64_t)PERIOD_NS, now = pawl_clock_ns();
    if (now < begin) pawl_sleep_seconds((double)(begin - now) * 1e-9);
    const double before = thread_seconds();
    while (pawl_clock_ns() - begin < BURST_NS) {
    }
    thread->busy_seconds += thread_seconds() - before;
  }
  return NULL;
}

double pawl_thread_share(int threads) {
  struct busy_thread list[PAWL_THREAD_SHARE_MOST];
  const int64_t begin = pawl_clock_ns() + FIRST_NS;
  int started = 0;
  for (; started < threads; started++) {
    list[started] = (struct busy_thread){.begin = begin};
    if (pthread_create(&list[started].thread, NULL, work, &list[started])) break;
  }
  double busy = 0;
  for (int i = 0; i < started; i++) {
    pthread_join(list[i].thread, NULL);
    busy += list[i].busy_seconds;
  }
  return started == threads ? busy / (BURSTS * (BURST_NS * 1e-9)) : NAN;
}

void pawl_thread_share_judge(double share, int threads, double other, struct pawl_arena *arena,
                             struct pawl_condition *out) {
  const double left = threads - (isnan(other) ? 0 : other);
  if (left < threads / 2.0) {
    *out = (struct pawl_condition){
        "threads", false,
        pawl_arena_printf(arena, "%d busy threads get %.1f CPUs, but other programs use %.1f",
                          threads, share, other),
        "stop them, then run pawl doctor again"};
    return;
  }
  *out = (struct pawl_condition){
      "threads", share >= LEAST_SHARE * left,
      pawl_arena_printf(arena, "%d busy threads get %.1f CPUs", threads, share),
      "threads wait for each other on one CPU, or a quota stops them: pawl places the threads of "
      "kernels (measure: {placement: ...}); bind other programs with taskset"};
}
