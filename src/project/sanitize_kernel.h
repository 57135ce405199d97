/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel of the suite under the tools that look for wrong accesses. */
#pragma once

#include "check/sanitizer.h"
#include "project/kernels.h"

struct pawl_sanitize_selection {
  const struct pawl_sanitizer_tool *tools[PAWL_SANITIZER_TOOLS + 1]; /* NULL-terminated */
  const char *only_case; /* NULL: the smallest shape of the kernel's check */
  uint64_t seed;
};

struct pawl_sanitized_kernel {
  const char *kernel_name;
  const char *skipped; /* why the last tool did not run, if none ran or a build failed; NULL */
  struct pawl_sanitizer_report *reports; /* one for each tool */
  size_t count;
  /* FAILED: there are findings, or the kernel does not build. UNDECIDED: a tool did not finish. */
  enum pawl_status_code verdict;
};

/* Builds one kernel for each tool that fits its device, and calls it under the tool. */
pawl_status pawl_project_sanitize(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                                  const struct pawl_sanitize_selection *selection,
                                  struct pawl_sanitized_kernel *out, struct pawl_error *err);
