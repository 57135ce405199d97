/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a kernel of the suite ready to run. */
#pragma once

#include "model/result.h"
#include "project/program_code.h"
#include "project/project.h"

/* A kernel that is ready to run, or the reason why not. */
struct pawl_ready_kernel {
  const struct pawl_kernel_spec *spec;
  enum pawl_outcome outcome; /* OK, BUILD or ABSENT */
  const char *reason;        /* one line; NULL: the outcome is OK */
  const char *diagnostics;   /* the compiler's messages; NULL: none */
  struct pawl_build_result build;
  struct pawl_program_code program;  /* zero for a plug-in */
  struct pawl_worker_options worker; /* valid if the outcome is OK; the oracle sets its tensors */
};

/* The number of threads for a CPU kernel. */
int pawl_measure_threads(const struct pawl_measure_spec *spec);

/* Says that the budget ended before pawl measured the kernel. */
void pawl_kernel_leave(struct pawl_ready_kernel *kernel, const char *reason);

/* Builds or finds one kernel, without its worker. A failed build is an outcome. A missing tool is
   PAWL_UNAVAILABLE, or the outcome ABSENT of an optional kernel. */
pawl_status pawl_project_build_kernel(struct pawl_project *project,
                                      const struct pawl_kernel_spec *spec,
                                      struct pawl_ready_kernel *out, struct pawl_error *err);
/* Does the same, and plans the worker that runs the kernel. */
pawl_status pawl_project_ready(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                               struct pawl_ready_kernel *out, struct pawl_error *err);

/* Begins the import of a Python kernel's modules, if a GPU may be here. */
void pawl_kernel_foresee(struct pawl_project *project, const struct pawl_kernel_spec *spec);

/* Returns whether a step failed only because the kernel's own program, or something that it needs,
 * is not here. An optional kernel is then absent and any other broken, with the reason. Only its
 * own rows suffer. */
bool pawl_kernel_cannot_start(struct pawl_ready_kernel *kernel, enum pawl_status_code status,
                              const struct pawl_error *err, struct pawl_arena *arena);
/* Returns whether the kernel's GPU is known to be lost. The kernel is then inconclusive, with the
 * reason. */
bool pawl_kernel_is_lost(struct pawl_ready_kernel *kernel, const struct pawl_devices *devices);
/* Returns whether the kernel is built but its GPU is absent. */
bool pawl_kernel_is_only_code(const struct pawl_ready_kernel *kernel);
/* Returns whether both hashes of the machine code, or of the programs, are known and equal. The
 * same code needs no measurement. */
bool pawl_same_machine_code(const struct pawl_ready_kernel *base,
                            const struct pawl_ready_kernel *candidate);

/* Finds a kernel. PAWL_USAGE names the nearest name. */
pawl_status pawl_kernel_named(const struct pawl_suite *suite, struct pawl_arena *arena,
                              const char *name, const struct pawl_kernel_spec **out,
                              struct pawl_error *err);
/* Finds the named kernels (all if none is named), including references. The list is in the
   arena. */
pawl_status pawl_kernels_named(const struct pawl_suite *suite, struct pawl_arena *arena,
                               char *const *names, int count, const struct pawl_kernel_spec ***out,
                               size_t *out_count, struct pawl_error *err);

/* Builds the named kernels (all if none is named) before a measurement. Compiler messages go to the
 * log. Sets *cpu_kernels (may be NULL) if some kernels do not run on a GPU. */
pawl_status pawl_project_build(struct pawl_project *project, char **names, int count,
                               bool *cpu_kernels, struct pawl_error *err);
