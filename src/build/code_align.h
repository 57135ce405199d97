/* SPDX-License-Identifier: Apache-2.0 */
/* Aligns the code of a function in two builds. */
#pragma once

#include <stdbool.h>

#include "build/instructions.h"

/* An edit of the base's code. */
struct pawl_code_edit {
  const struct pawl_instruction *item; /* the base's if it went, the candidate's if it came */
  bool came;
};

/* How many instructions of one name there are in code of one kind: in loops, or elsewhere. */
struct pawl_code_count {
  const char *name;
  enum pawl_instruction_class kind;
  bool in_loop;
  int base, candidate;
};

/* A function of both builds, or of one: the other is then NULL. */
struct pawl_function_change {
  const char *name, *arch; /* arch is NULL for a CPU */
  const struct pawl_function_code *base, *candidate;
  int mix[PAWL_CLASSES][2], mix_in_loops[PAWL_CLASSES][2]; /* base, candidate */
  struct pawl_code_count *counts; /* names whose count changed, the largest change in loops first */
  size_t count_count;
  struct pawl_code_edit *edits; /* in the order of the code */
  size_t edit_count;
  bool too_different; /* there are too many edits to list */
};

/* Finds the fewest edits that turn the base's code into the candidate's (E. W. Myers, "An O(ND)
 * Difference Algorithm and Its Variations", 1986). Two items are equal if their forms are. Sets
 * `too_different` if there are too many edits. */
void pawl_code_align(struct pawl_function_change *change, struct pawl_arena *arena);
