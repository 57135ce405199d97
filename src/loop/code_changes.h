/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels whose machine code differs from that of their base. */
#pragma once

#include "loop/arm_pairs.h"
#include "project/build_diff.h"
#include "project/build_thread.h"

/* The builds of base and candidate with source lines, which run beside other work. */
struct pawl_line_builds {
  struct pawl_line_builds *next;
  const struct pawl_ready_kernel *candidate;
  const char *anchor;
  struct pawl_build_thread threads[2];
};

/* The builds of one kernel. */
struct pawl_code_change {
  struct pawl_project *tree; /* the base's; NULL: pawl looks for no source lines */
  const struct pawl_ready_kernel *base, *candidate;
  struct pawl_build_diff diff;
};

struct pawl_code_changes {
  struct pawl_report_code *items;
  struct pawl_code_change **changes; /* the builds behind each item */
  size_t count;
  struct pawl_line_builds *line_builds;
  int64_t awaited_since; /* the first wait for them; 0: none yet */
  bool late;             /* pawl ended the last of them, because they delayed the run */
};

/* Begins to build both versions with source lines, once, if fewer than `most` kernels have begun.
 * The compilers are jobs of the project's listings. */
void pawl_code_changes_begin_lines(const struct pawl_run_context *run,
                                   const struct pawl_ready_kernel *base,
                                   const struct pawl_ready_kernel *candidate, const char *anchor,
                                   int most, struct pawl_code_changes *changes);

/* Adds a kernel if its code differs. `lines`: it gets source lines later, and their builds begin to
 * run beside other work. Both kernels must live until pawl_code_changes_finish. */
void pawl_code_changes_add(const struct pawl_run_context *run, const struct pawl_ready_kernel *base,
                           const struct pawl_ready_kernel *candidate, const char *anchor,
                           bool lines, struct pawl_code_changes *out);

/* Finds how the code of a pair differs, with its source lines. NULL: it does not. */
const struct pawl_build_diff *pawl_code_changes_find(const struct pawl_run_context *run,
                                                     struct pawl_code_changes *changes,
                                                     const struct pawl_arm_pair *pair);

/* Adds the source lines of all changes, and waits for their builds. */
void pawl_code_changes_finish(const struct pawl_run_context *run,
                              struct pawl_code_changes *changes);
/* Ends the builds that nobody wants, and the listings. */
void pawl_code_changes_end(const struct pawl_run_context *run, struct pawl_code_changes *changes);
