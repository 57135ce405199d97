/* SPDX-License-Identifier: Apache-2.0 */
/* A build that runs beside other work. */
#pragma once

#include <pthread.h>

#include "build/build.h"

struct pawl_build_thread {
  pthread_t thread;
  bool running;
  struct pawl_kernel_spec spec;
  struct pawl_build_options options;
  struct pawl_log log;          /* its own, because two threads do not share a line of progress */
  enum pawl_status_code status; /* the result, once pawl_build_thread_await returned */
  struct pawl_error error;      /* why it failed */
  double seconds;               /* with its pauses */
};

/* Begins to build the kernel. *out must not move, and what the options name must live, until
   pawl_build_thread_await. */
void pawl_build_thread_begin(const struct pawl_kernel_spec *spec,
                             const struct pawl_build_options *options,
                             struct pawl_build_thread *out);
void pawl_build_thread_await(struct pawl_build_thread *build);
/* Waits at most `seconds`. Returns false if the build still runs. */
bool pawl_build_thread_await_for(struct pawl_build_thread *build, double seconds);
