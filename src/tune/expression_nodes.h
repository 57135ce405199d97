/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a constraint: expression_parse.c makes them, and expression.c computes them. */
#pragma once

#include <stddef.h>

#include "tune/tune_value.h"

#define PAWL_EXPRESSION_MOST_NODES 2000 /* the most nodes of one constraint */

enum operation {
  CONSTANT = 1,
  NAME,
  OR,
  AND,
  NOT,
  EQUAL,
  UNEQUAL,
  LESS_EQUAL,
  GREATER_EQUAL,
  LESS,
  GREATER,
  ADD,
  SUBTRACT,
  MULTIPLY,
  POWER,
  FLOOR_DIVIDE,
  DIVIDE,
  REMAINDER,
  NEGATE,
  PLUS,
  MINIMUM,
  MAXIMUM,
  ABSOLUTE
};

/* Operands come before the operation that uses them. Several nodes may share an operand: B in "A
   < B < C". */
struct pawl_expression_node {
  enum operation operation;
  size_t left, right; /* indices of nodes; for NAME, left is the index of the name */
  struct pawl_tune_value value;
};
