/* SPDX-License-Identifier: Apache-2.0 */
/* Says which source lines the instructions that came and went belong to. */
#pragma once

#include "build/code_align.h"
#include "build/line_table.h"

/* The lines of one build. */
struct pawl_code_source {
  struct pawl_line_table table;
  const char *tree; /* the folder with the sources */
};

/* A line of the candidate's source. The instructions of the base count at the line that took the
 * place of theirs. */
struct pawl_line_change {
  const char *file; /* below the tree, or as the compiler wrote it */
  int line;
  const char *text; /* without indentation; NULL: the tree does not have the file */
  struct pawl_function_change counts; /* counts and count_count */
};

struct pawl_line_changes {
  struct pawl_line_change *items; /* the most changed first */
  size_t count;
};

/* Finds the lines whose instructions changed, in the functions that both builds have. */
void pawl_code_lines(const struct pawl_function_change *changes, size_t count,
                     const struct pawl_code_source *base, const struct pawl_code_source *candidate,
                     struct pawl_arena *arena, struct pawl_line_changes *out);
