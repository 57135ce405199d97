/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tune/expression_nodes.h"

#define FAST_NODES 64u /* the most nodes of a constraint that one pass computes */

/* The pass computes each node once at most. Lists and chains share their operands, so without
   this the time of nested lists would double with each level. */
struct evaluation {
  const struct pawl_expression *expression;
  const struct pawl_tune_value *values;
  struct pawl_error *err;
  bool known[PAWL_EXPRESSION_MOST_NODES];
  struct pawl_tune_value results[PAWL_EXPRESSION_MOST_NODES]; /* the values of the known nodes */
};

static pawl_status compute(struct evaluation *evaluation, size_t index,
                           struct pawl_tune_value *out);

static pawl_status to_number(const struct evaluation *evaluation, struct pawl_tune_value value,
                             double *out) {
  if (isnan(value.number) && value.word) value.number = pawl_tune_truth(value.word);
  if (isnan(value.number))
    return pawl_fail(evaluation->err, PAWL_CONFIG, "constraint '%.200s': '%.60s' is not a number",
                     evaluation->expression->text, value.word);
  *out = value.number;
  return PAWL_OK;
}

static pawl_status expression_number_of(struct evaluation *evaluation, size_t index, double *out) {
  struct pawl_tune_value value;
  PAWL_TRY(compute(evaluation, index, &value));
  return to_number(evaluation, value, out);
}

static pawl_status compute_equal(struct evaluation *evaluation,
                                 const struct pawl_expression_node *node, double *out) {
  struct pawl_tune_value left, right;
  PAWL_TRY(compute(evaluation, node->left, &left));
  PAWL_TRY(compute(evaluation, node->right, &right));
  if (isnan(left.number) && left.word) left.number = pawl_tune_truth(left.word);
  if (isnan(right.number) && right.word) right.number = pawl_tune_truth(right.word);
  const bool words = isnan(left.number) || isnan(right.number);
  const bool equal = words ? left.word && right.word && !strcmp(left.word, right.word)
                           : left.number == right.number;
  *out = equal == (node->operation == EQUAL);
  return PAWL_OK;
}

/* Returns one of the operands, as Python does: "(A or 5) == 2". It computes the right side only
   if needed, so that "A == 0 or B % A == 0" never divides by zero. */
static pawl_status compute_logical(struct evaluation *evaluation,
                                   const struct pawl_expression_node *node,
                                   struct pawl_tune_value *out) {
  struct pawl_tune_value left;
  double truth = NAN;
  PAWL_TRY(compute(evaluation, node->left, &left));
  PAWL_TRY(to_number(evaluation, left, &truth));
  if ((truth != 0) != (node->operation == OR)) return compute(evaluation, node->right, out);
  *out = left;
  return PAWL_OK;
}

/* For whole numbers below 2^52, floor(a / b) is exact and faster than fmod. */
static bool is_small_whole(double x) { return fabs(x) < 0x1p52 && (double)(int64_t)x == x; }

/* The remainder has the sign of b. For fractions fmod is exact, but a - floor(a / b) * b is not:
   1.0 % 0.1. */
static double remainder_of(double a, double b) {
  if (is_small_whole(a) && is_small_whole(b)) return a - floor(a / b) * b;
  const double rest = fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* The quotient that matches the remainder: 1.0 // 0.1 is 9, though 1.0 / 0.1 rounds to 10. The
   subtraction of fmod's remainder leaves a multiple of b, except for rounding. */
static double floor_divide(double a, double b) {
  if (is_small_whole(a) && is_small_whole(b)) return floor(a / b);
  const double rest = fmod(a, b), quotient = round((a - rest) / b);
  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}

static double apply(enum operation operation, double a, double b) {
  switch (operation) {
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case FLOOR_DIVIDE: return floor_divide(a, b);
    case REMAINDER: return remainder_of(a, b);
    case POWER: return pow(a, b);
    case MINIMUM: return fmin(a, b);
    case MAXIMUM: return fmax(a, b);
    default: return NAN;
  }
}

static pawl_status compute_binary(struct evaluation *evaluation,
                                  const struct pawl_expression_node *node, double *out) {
  double left = NAN, right = NAN;
  PAWL_TRY(expression_number_of(evaluation, node->left, &left));
  PAWL_TRY(expression_number_of(evaluation, node->right, &right));
  const bool divides =
      node->operation == DIVIDE || node->operation == FLOOR_DIVIDE || node->operation == REMAINDER;
  if (divides && right == 0)
    return pawl_fail(evaluation->err, PAWL_CONFIG,
                     "constraint '%.200s' divides by zero; guard it with 'or' or 'and'",
                     evaluation->expression->text);
  const double result = apply(node->operation, left, right);
  if (!isfinite(result))
    return pawl_fail(evaluation->err, PAWL_CONFIG,
                     "constraint '%.200s' leaves the range of numbers",
                     evaluation->expression->text);
  *out = result;
  return PAWL_OK;
}

static pawl_status compute_operation(struct evaluation *evaluation,
                                     const struct pawl_expression_node *node,
                                     struct pawl_tune_value *out) {
  double number = NAN;
  switch (node->operation) {
    case OR:
    case AND: return compute_logical(evaluation, node, out);
    case EQUAL:
    case UNEQUAL: PAWL_TRY(compute_equal(evaluation, node, &number)); break;
    case NOT:
      PAWL_TRY(expression_number_of(evaluation, node->left, &number));
      number = number == 0;
      break;
    case NEGATE:
      PAWL_TRY(expression_number_of(evaluation, node->left, &number));
      number = -number;
      break;
    case PLUS: PAWL_TRY(expression_number_of(evaluation, node->left, &number)); break;
    case ABSOLUTE:
      PAWL_TRY(expression_number_of(evaluation, node->left, &number));
      number = fabs(number);
      break;
    default: PAWL_TRY(compute_binary(evaluation, node, &number)); break;
  }
  *out = (struct pawl_tune_value){.number = number};
  return PAWL_OK;
}

static pawl_status compute(struct evaluation *evaluation, size_t index,
                           struct pawl_tune_value *out) {
  const struct pawl_expression_node *node = &evaluation->expression->nodes[index];
  if (node->operation == CONSTANT) {
    *out = node->value;
  } else if (node->operation == NAME) {
    *out = evaluation->values[node->left];
  } else {
    if (!evaluation->known[index])
      PAWL_TRY(compute_operation(evaluation, node, &evaluation->results[index]));
    evaluation->known[index] = true;
    *out = evaluation->results[index];
  }
  return PAWL_OK;
}

/* NaN stays NaN: it is a word, or the result of an operation without a number. */
static double combine(enum operation operation, double a, double b) {
  if (isnan(a) || isnan(b)) return NAN;
  switch (operation) {
    case EQUAL: return a == b;
    case UNEQUAL: return a != b;
    default: break;
  }
  const double result = apply(operation, a, b);
  return isfinite(result) ? result : NAN;
}

/* Computes an expression of numbers in one pass over its nodes, operands first. NaN: this pass
   cannot compute it, and compute_slow() finds the value or the mistake. */
static double compute_fast(const struct pawl_expression *expression,
                           const struct pawl_tune_value *values) {
  double results[FAST_NODES];
  if (expression->count > FAST_NODES) return NAN;
  for (size_t i = 0; i < expression->count; i++) {
    const struct pawl_expression_node *node = &expression->nodes[i];
    const double a = node->left < i ? results[node->left] : 0,
                 b = node->right < i ? results[node->right] : 0;
    switch (node->operation) {
      case CONSTANT: results[i] = node->value.number; break;
      case NAME: results[i] = values[node->left].number; break;
      case OR: results[i] = isnan(a) || a != 0 ? a : b; break;
      case AND: results[i] = isnan(a) || a == 0 ? a : b; break;
      case NOT: results[i] = isnan(a) ? NAN : a == 0; break;
      case NEGATE: results[i] = -a; break;
      case PLUS: results[i] = a; break;
      case ABSOLUTE: results[i] = fabs(a); break;
      default: results[i] = combine(node->operation, a, b); break;
    }
  }
  return results[expression->count - 1];
}

/* A function of its own, because its frame is large and the fast way does not need it. */
static __attribute__((noinline)) pawl_status compute_slow(const struct pawl_expression *expression,
                                                          const struct pawl_tune_value *values,
                                                          double *out, struct pawl_error *err) {
  struct evaluation evaluation;
  evaluation.expression = expression;
  evaluation.values = values;
  evaluation.err = err;
  memset(evaluation.known, 0, expression->count * sizeof *evaluation.known);
  return expression_number_of(&evaluation, expression->count - 1, out);
}

pawl_status pawl_expression_holds(const struct pawl_expression *expression,
                                  const struct pawl_tune_value *values, bool *out,
                                  struct pawl_error *err) {
  double number = compute_fast(expression, values);
  if (isnan(number)) PAWL_TRY(compute_slow(expression, values, &number, err));
  *out = number != 0;
  return PAWL_OK;
}
