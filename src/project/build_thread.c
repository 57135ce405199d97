/* SPDX-License-Identifier: Apache-2.0 */
#include "project/build_thread.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"

static void *build_thread_run(void *context) {
  struct pawl_build_thread *build = context;
  const int64_t begin = pawl_clock_ns();
  build->status = pawl_build_ahead(&build->spec, &build->options, &build->error);
  build->seconds = pawl_seconds_since(begin);
  return NULL;
}

void pawl_build_thread_begin(const struct pawl_kernel_spec *spec,
                             const struct pawl_build_options *options,
                             struct pawl_build_thread *out) {
  if (out->running) return;
  *out = (struct pawl_build_thread){.spec = *spec, .options = *options};
  if (options->log) out->log.level = options->log->level;
  if (out->log.level > PAWL_LOG_NORMAL)
    out->log.level = PAWL_LOG_NORMAL; /* the next build prints the command */
  out->options.log = &out->log;
  out->running = !pthread_create(&out->thread, NULL, build_thread_run, out);
}

bool pawl_build_thread_await_for(struct pawl_build_thread *build, double seconds) {
  struct timespec until;
  if (!build->running) return true;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const double end = (double)until.tv_sec + (double)until.tv_nsec * 1e-9 + fmax(seconds, 0);
  until.tv_sec = (time_t)end;
  until.tv_nsec = (long)((end - (double)until.tv_sec) * 1e9);
  build->running = pthread_clockjoin_np(build->thread, NULL, CLOCK_MONOTONIC, &until) != 0;
  return !build->running;
}

void pawl_build_thread_await(struct pawl_build_thread *build) {
  if (build->running) pthread_join(build->thread, NULL);
  build->running = false;
}
