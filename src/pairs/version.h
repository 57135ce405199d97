/* SPDX-License-Identifier: Apache-2.0 */
/* A version of a kernel: the kernel, another source of it, or the kernel of a revision. */
#pragma once

#include "project/kernels.h"

/* KERNEL[:SOURCE][@REV]: the kernel, optionally with another source or from another revision. */
struct pawl_version {
  const char *text, *kernel, *source, *revision; /* NULL: the text names none */
};
pawl_status pawl_version_parse(const char *text, struct pawl_arena *arena, struct pawl_version *out,
                               struct pawl_error *err);

struct pawl_built_version {
  struct pawl_ready_kernel ready; /* its outcome is OK */
  const char *commit;             /* NULL: a working tree outside a repository */
};
/* Builds `kernel` in that version. Fails with PAWL_NO_INPUT or PAWL_CONFIG if pawl cannot get or
 * read the revision, with PAWL_USAGE if its suite has no such kernel, and with PAWL_FAILED if the
 * kernel does not build. */
pawl_status pawl_version_build(struct pawl_project *project, const struct pawl_version *version,
                               const char *kernel, struct pawl_built_version *out,
                               struct pawl_error *err);
