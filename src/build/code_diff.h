/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two builds of a kernel instruction by instruction, without a measurement. Instructions
 * are equal if operation, size and classes of operands are: registers, addresses and immediates do
 * not count. Only if all instructions of a function are equal, their immediates are compared. */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "build/code_counts.h"
#include "build/code_lines.h"

struct pawl_code_diff {
  struct pawl_function_change *items; /* the functions that differ, the most changed first */
  size_t count;
  size_t same;                    /* functions without a difference */
  struct pawl_line_changes lines; /* empty if pawl knows no source lines */
};

void pawl_code_diff(const struct pawl_machine_code *base, const struct pawl_machine_code *candidate,
                    struct pawl_arena *arena, struct pawl_code_diff *out);

/* Returns one line in the arena: "in loops of f(float *): 8 LDS.128 became 32 LDS". Returns NULL if
 * no instruction came or went. */
const char *pawl_code_diff_line(const struct pawl_code_diff *diff, struct pawl_arena *arena);
/* Returns the line whose instructions changed most: "scale.cu:12 `y[i] = 2 * x[i];`". Returns NULL
 * if pawl knows none. */
const char *pawl_code_diff_place(const struct pawl_code_diff *diff, struct pawl_arena *arena);
/* Returns what came and went in a line, in the arena: "8 LDS.128 became 32 LDS". Returns NULL if
 * its instructions are the same. */
const char *pawl_code_line_counts(const struct pawl_line_change *line, struct pawl_arena *arena);
json_t *pawl_code_lines_to_json(const struct pawl_code_diff *diff);
/* Appends the whole difference in words: mix, counts, edits of loops first. */
void pawl_code_diff_text(const struct pawl_code_diff *diff, struct pawl_text *out);
json_t *pawl_code_diff_to_json(const struct pawl_code_diff *diff);
