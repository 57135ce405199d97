/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a constraint, which expression_parse.c makes and expression.c computes. */
#ifndef PAWL_TUNE_EXPRESSION_NODES_H
#define PAWL_TUNE_EXPRESSION_NODES_H

#include <stddef.h>

#include "tune/tune_value.h"

#define PAWL_EXPRESSION_MOST_NODES 2000 /* of one constraint */

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

/* Operands stand before what takes them. Several nodes may share an operand: B in "A < B < C". */
struct pawl_expression_node {
  enum operation operation;
  size_t left, right; /* nodes; of NAME: left is the name's index */
  struct pawl_tune_value value;
};

#endif
