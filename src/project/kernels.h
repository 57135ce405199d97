/* SPDX-License-Identifier: Apache-2.0 */
/* From a kernel of the suite to something that runs. */
#ifndef PAWL_PROJECT_KERNELS_H
#define PAWL_PROJECT_KERNELS_H

#include "model/result.h"
#include "project/project.h"

/* A kernel made ready to run, or why it cannot be. */
struct pawl_ready_kernel {
  const struct pawl_kernel_spec *spec;
  enum pawl_outcome outcome; /* OK, BUILD or ABSENT */
  const char *reason;        /* NULL when OK: one line */
  const char *diagnostics;   /* the compiler's words; NULL when there are none */
  struct pawl_build_result build;
  struct pawl_worker_options worker; /* filled in when OK; tensors are the oracle's */
};

/* Threads that a CPU kernel gets. */
int pawl_measure_threads(const struct pawl_measure_spec *spec);

/* Builds (or looks for) one kernel. A kernel that does not build is an outcome; a missing tool is
   PAWL_UNAVAILABLE, or the outcome ABSENT when the kernel is optional. */
pawl_status pawl_project_ready(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_ready_kernel *out, struct pawl_error *err);

/* Whether a step failed only because the kernel's own program is not here, or says that something
   it needs is not here. An optional kernel is then absent, another one broken, with the reason. It
   costs its rows and no others. */
bool pawl_kernel_cannot_start(struct pawl_ready_kernel *kernel, enum pawl_status_code status,
                              const struct pawl_error *err, struct pawl_arena *arena);
/* Whether the kernel cannot run because its GPU is known to be lost: it is then inconclusive, with
 * the reason. */
bool pawl_kernel_is_lost(struct pawl_ready_kernel *kernel, const struct pawl_devices *devices);
/* The same machine code needs no measurement: known hashes that are equal. */
bool pawl_same_machine_code(const struct pawl_ready_kernel *base,
                            const struct pawl_ready_kernel *candidate);

/* The kernels named (all when none is), references included; the list is in the arena. PAWL_USAGE
   with the nearest name. */
pawl_status pawl_kernels_named(const struct pawl_suite *suite, struct pawl_arena *arena,
                               char *const *names, int count, const struct pawl_kernel_spec ***out,
                               size_t *out_count, struct pawl_error *err);

/* Builds the kernels named (all when none is), so that what comes after measures at once. A
   compiler's words go to the log. *cpu_kernels (may be NULL): some of them do not run on a GPU. */
pawl_status pawl_project_build(struct pawl_project *project, char **names, int count,
                               bool *cpu_kernels, struct pawl_error *err);

#endif
