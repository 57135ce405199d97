/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints of a tuning space: "BLOCK_M * BLOCK_N <= 8192 and BLOCK_M % WARPS == 0". They have
   Python's operators and precedence, as the tuning spaces of other tools do, and C's spellings
   of the logical operators: or ||, and &&, not !, == != < <= > >= (chained: 1 <= A < B), + - * /
   // % **, min(), max(), abs(). `/` is exact, `//` rounds down, `%` has the sign of its right
   side. `or` and `and` return one of their operands. `A in [1, 2]` and `A not in (1, 2)` work.
   Numbers are doubles in Python's notation: 1e-3, 0x10, 1_000. A parameter whose value is a word
   may only be compared, by == and !=, with another parameter or with a word in quotes. true and
   false, also written True and False, are 1 and 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "tune/tune_value.h"

struct pawl_expression_node;
struct pawl_expression {
  const char *text;
  struct pawl_expression_node *nodes;
  size_t count;
  size_t last_name; /* the highest index of a name in the constraint; SIZE_MAX: no name */
};

/* Parses a constraint on these names; an expression knows a name by its index. The expression lives
 * in the arena. Fails with PAWL_CONFIG: "constraint 'BLOCK_M * <= 4', column 11: ..."; the column
 * counts characters. */
pawl_status pawl_expression_parse(const char *text, const char *const *names, size_t name_count,
                                  struct pawl_arena *arena, struct pawl_expression *out,
                                  struct pawl_error *err);

/* Sets *out if the constraint holds when name i has the value values[i]. Fails with PAWL_CONFIG if
 * the constraint divides by zero or computes with a word. */
pawl_status pawl_expression_holds(const struct pawl_expression *expression,
                                  const struct pawl_tune_value *values, bool *out,
                                  struct pawl_error *err);
