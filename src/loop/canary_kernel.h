/* SPDX-License-Identifier: Apache-2.0 */
/* The canary: a kernel that ships with pawl, on a small case. A machine that changed gives it another time. */
#ifndef PAWL_LOOP_CANARY_KERNEL_H
#define PAWL_LOOP_CANARY_KERNEL_H

#include "loop/project.h"

struct pawl_canary {
  double median_ms;
  const char *code_hash; /* of its machine code: another compiler makes another canary */
};

/* Measures it on the device of that kind. PAWL_UNAVAILABLE: it cannot be built or does not run here. Strings live in
   the project's arena. */
pawl_status pawl_canary_measure(struct pawl_project *project, int32_t device, struct pawl_canary *out,
                                struct pawl_error *err);

/* Whether two times are those of one canary on one machine: within 2 % on a GPU, 10 % on a CPU. */
bool pawl_canary_agrees(int32_t device, const struct pawl_canary *then, const struct pawl_canary *now);

#endif
