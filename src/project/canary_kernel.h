/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on a small case, which ships with pawl and whose time shows a change of the machine. */
#pragma once

#include "project/build_thread.h"
#include "project/project.h"

struct pawl_canary {
  double median_ms;
  const char *code_hash; /* another compiler makes another canary */
};

/* Begins to build the canary for a kind of device, for pawl_canary_measure. Nothing may be timed
   before pawl_build_thread_await. */
void pawl_canary_build_begin(struct pawl_project *project, int32_t device,
                             struct pawl_build_thread *out);

/* Measures the canary on the device of that kind. Fails with PAWL_UNAVAILABLE if it does not build
 * or run here. Strings live in the project's arena. */
pawl_status pawl_canary_measure(struct pawl_project *project, int32_t device,
                                struct pawl_canary *out, struct pawl_error *err);

/* Returns whether two times can come from one canary on one machine. They may differ by 2 % on a
 * GPU and 10 % on a CPU. */
bool pawl_canary_agrees(int32_t device, const struct pawl_canary *then,
                        const struct pawl_canary *now);
