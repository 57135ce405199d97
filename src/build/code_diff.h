/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two builds of a kernel instruction by instruction, without a measurement. Instructions
 * are equal if operation, size and classes of operands are: registers, addresses and immediates do
 * not count. */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "build/code_align.h"

struct pawl_code_diff {
  struct pawl_function_change *items; /* the functions that differ, the most changed first */
  size_t count;
  size_t same; /* functions without a difference */
};

void pawl_code_diff(const struct pawl_machine_code *base, const struct pawl_machine_code *candidate,
                    struct pawl_arena *arena, struct pawl_code_diff *out);

/* Returns one line in the arena: "in loops of f(float *): 8 LDS.128 became 32 LDS". Returns NULL if
 * no instruction came or went. */
const char *pawl_code_diff_line(const struct pawl_code_diff *diff, struct pawl_arena *arena);
/* Appends the whole difference in words: mix, counts, edits of loops first. */
void pawl_code_diff_text(const struct pawl_code_diff *diff, struct pawl_text *out);
json_t *pawl_code_diff_to_json(const struct pawl_code_diff *diff);
