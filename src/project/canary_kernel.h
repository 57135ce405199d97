/* SPDX-License-Identifier: Apache-2.0 */
/* The canary: a kernel that ships with pawl, on a small case. A machine that changed gives it
 * another time. */
#ifndef PAWL_PROJECT_CANARY_KERNEL_H
#define PAWL_PROJECT_CANARY_KERNEL_H

#include <pthread.h>

#include "project/project.h"

struct pawl_canary {
  double median_ms;
  const char *code_hash; /* of its machine code: another compiler makes another canary */
};

/* Its build, beside other work of pawl. */
struct pawl_canary_build {
  pthread_t thread;
  bool running;
  struct pawl_kernel_spec spec;
  struct pawl_build_options options;
  struct pawl_log log; /* of its words: two threads do not share a line of progress */
};

/* Begins to build it for the device of that kind, so that pawl_canary_measure finds it built.
   Nothing is timed before pawl_canary_build_await. A build that fails fails there again, and says
   why. */
void pawl_canary_build_begin(struct pawl_project *project, int32_t device,
                             struct pawl_canary_build *out);
void pawl_canary_build_await(struct pawl_canary_build *build);

/* Measures it on the device of that kind. PAWL_UNAVAILABLE: it cannot be built or does not run
   here. Strings live in the project's arena. */
pawl_status pawl_canary_measure(struct pawl_project *project, int32_t device,
                                struct pawl_canary *out, struct pawl_error *err);

/* Whether two times are those of one canary on one machine: within 2 % on a GPU, 10 % on a CPU. */
bool pawl_canary_agrees(int32_t device, const struct pawl_canary *then,
                        const struct pawl_canary *now);

#endif
