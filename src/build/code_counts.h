/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the instructions of both builds by name and class. */
#pragma once

#include "build/code_align.h"

/* Adds an instruction of one side (0: base, 1: candidate) to the mix and the counts. */
void pawl_code_count_add(struct pawl_function_change *change, int side,
                         const struct pawl_instruction *item, struct pawl_arena *arena);
/* Keeps the counts that changed, the largest change in loops first. */
void pawl_code_counts_keep_changed(struct pawl_function_change *change);
/* Returns how much changed; an instruction in a loop weighs more. */
int pawl_code_change_weight(const struct pawl_function_change *change);
