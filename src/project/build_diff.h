/* SPDX-License-Identifier: Apache-2.0 */
/* Shows how the machine code of a kernel differs between two builds, without a measurement. */
#pragma once

#include "build/code_diff.h"
#include "project/build_thread.h"
#include "project/kernels.h"

struct pawl_build_diff {
  bool identical;    /* both builds are the same code: pawl_same_machine_code() */
  const char *facts; /* registers, spills and their like, one line; NULL: they are as before */
  const char *line;  /* the main change of instructions, one line; NULL: unknown */
  const char
      *no_lines; /* why pawl knows no source lines, one line; NULL: it knows, or nobody asked */
  const char *missing; /* why pawl cannot list instructions, one line; NULL: it can */
  bool is_host;        /* the functions are those of a CPU */
  struct pawl_code_diff code;
  /* the lines of base and candidate: those of the GPU's code, if the kernel is one of a GPU */
  struct pawl_code_source sources[2];
  bool has_sources;
};

/* Begins to list the instructions of both builds, and to build both versions with source lines if
 * their code differs. All run beside other work. The base is a kernel of `base_tree`. Await the
 * threads before pawl_build_diff_add_lines. */
void pawl_build_diff_begin(struct pawl_project *base_tree, const struct pawl_ready_kernel *base,
                           struct pawl_project *tree, const struct pawl_ready_kernel *candidate,
                           struct pawl_build_thread lines[2]);

/* Compares the GPU's code of a CUDA kernel. If that is the same or absent, pawl compares the code
 * of its host. Compares the CPU's code of any other kernel. The listings may be NULL. Texts live in
 * the arena. */
void pawl_build_diff(const struct pawl_ready_kernel *base,
                     const struct pawl_ready_kernel *candidate, struct pawl_listings *listings,
                     struct pawl_arena *arena, struct pawl_build_diff *out);
/* Finds the source lines of the difference, and `line` names the first one. It builds both versions
 * once more, for at most `seconds` each; 0: as long as any other build. The tree must outlive
 * *diff. */
void pawl_build_diff_add_lines(struct pawl_project *base_tree, const struct pawl_ready_kernel *base,
                               struct pawl_project *tree, const struct pawl_ready_kernel *candidate,
                               double seconds, struct pawl_build_diff *diff);

/* Appends the whole difference in words. */
void pawl_build_diff_text(const struct pawl_build_diff *diff, struct pawl_text *out);
json_t *pawl_build_diff_to_json(const struct pawl_build_diff *diff);
