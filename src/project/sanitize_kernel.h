/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel of the suite under the tools of compute-sanitizer. */
#pragma once

#include "check/sanitizer.h"
#include "project/kernels.h"

struct pawl_sanitize_selection {
  const char *const *tools; /* NULL-terminated, from pawl_sanitizer_tools */
  const char *only_case;    /* NULL: the smallest shape of the kernel's check */
  uint64_t seed;
};

struct pawl_sanitized_kernel {
  const char *kernel_name;
  const char *skipped; /* why no tool ran: no CUDA plug-in, or no build; NULL: they ran */
  struct pawl_sanitizer_report *reports; /* one for each tool */
  size_t count;
  /* FAILED: there are findings, or the kernel does not build. UNDECIDED: a tool did not finish. */
  enum pawl_status_code verdict;
};

/* Builds one kernel and calls it once under each tool. */
pawl_status pawl_project_sanitize(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                  const struct pawl_sanitize_selection *selection,
                                  struct pawl_sanitized_kernel *out, struct pawl_error *err);
