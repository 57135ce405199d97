/* SPDX-License-Identifier: Apache-2.0 */
/* Says which source lines the instructions that came and went belong to, and how much time each
 * line costs. */
#pragma once

#include "build/code_align.h"
#include "build/code_samples.h"
#include "build/line_table.h"

/* The lines of one build. */
struct pawl_code_source {
  struct pawl_line_table table;
  const char *tree; /* the folder with the sources */
  /* the program counter in a call of `seconds`, which the samples divide among the lines; NULL:
     unknown */
  const struct pawl_code_samples *samples;
  double seconds;
};

/* The time of a line that warps spend for one reason. */
struct pawl_line_wait {
  const char *reason; /* struct pawl_code_sample */
  double seconds[2];  /* base, candidate */
};
#define PAWL_LINE_WAITS 24 /* more than the reasons of any GPU until now */

/* A line of the candidate's source. The instructions of the base count at the line that took the
 * place of theirs. */
struct pawl_line_change {
  const char *file; /* below the tree, or as the compiler wrote it; a library of the CPU */
  int line;         /* 0: a library */
  const char *text; /* without indentation; NULL: the tree does not have the file */
  struct pawl_function_change counts; /* counts and count_count */
  double seconds[2];                  /* base, candidate; 0 without samples */
  struct pawl_line_wait waits[PAWL_LINE_WAITS];
  size_t wait_count;
};

struct pawl_line_changes {
  struct pawl_line_change *items; /* the most changed first */
  size_t count;
  bool timed; /* the lines have times, and come in the order of what they add to the change */
};

/* Returns the reason whose time changed most with that of the line, or NULL. */
const struct pawl_line_wait *pawl_line_change_wait(const struct pawl_line_change *line);

/* Finds the lines whose instructions changed, in the functions that both builds have. If both
 * sources have samples, it also finds the lines whose time changed, in all functions. */
void pawl_code_lines(const struct pawl_function_change *changes, size_t count,
                     const struct pawl_code_source *base, const struct pawl_code_source *candidate,
                     struct pawl_arena *arena, struct pawl_line_changes *out);

/* Finds the one place where the code of both sources differs, in the files that their line tables
 * name: its first line. Blank lines and lines of comments do not count. Returns false if there is
 * none or more than one; *out may have changed. */
bool pawl_code_lines_edit(const struct pawl_code_source *base,
                          const struct pawl_code_source *candidate, struct pawl_arena *arena,
                          struct pawl_line_change *out);
