/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define DEPTH_LIMIT 100 /* of parentheses and unary operators */
#define NODE_LIMIT 2000 /* of one constraint */
#define FAST_NODES 64u  /* of a constraint that one pass computes */

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
  MINIMUM,
  MAXIMUM,
  ABSOLUTE
};

struct pawl_expression_node {
  enum operation operation;
  size_t left, right; /* nodes; of NAME: left is the name's index */
  struct pawl_tune_value value;
};

struct pawl_tune_value pawl_tune_value_of(const char *text) {
  struct pawl_tune_value value = {.word = text};
  if (!pawl_parse_double(text, &value.number)) value.number = NAN;
  return value;
}

double pawl_tune_truth(const char *word) {
  if (!strcmp(word, "true") || !strcmp(word, "True")) return 1;
  return !strcmp(word, "false") || !strcmp(word, "False") ? 0 : NAN;
}

/* --- parsing --- */

struct parser {
  struct pawl_expression out;
  const char *cursor;
  const char *const *names;
  size_t name_count, capacity;
  int depth;
  struct pawl_arena *arena;
  struct pawl_error *err;
};

/* A way to write a binary operator; longer spellings of a table come before their beginnings. */
struct spelling {
  const char *text;
  enum operation operation;
};

static const struct spelling or_words[] = {{"or", OR}, {"||", OR}, {NULL, 0}};
static const struct spelling and_words[] = {{"and", AND}, {"&&", AND}, {NULL, 0}};
static const struct spelling comparisons[] = {{"==", EQUAL}, {"!=", UNEQUAL}, {"<=", LESS_EQUAL}, {">=", GREATER_EQUAL},
                                              {"<", LESS},   {">", GREATER},  {NULL, 0}};
static const struct spelling sums[] = {{"+", ADD}, {"-", SUBTRACT}, {NULL, 0}};
static const struct spelling products[] = {
    {"//", FLOOR_DIVIDE}, {"*", MULTIPLY}, {"/", DIVIDE}, {"%", REMAINDER}, {NULL, 0}};
static const struct spelling powers[] = {{"**", POWER}, {NULL, 0}};
static const struct spelling functions[] = {{"min", MINIMUM}, {"max", MAXIMUM}, {"abs", ABSOLUTE}, {NULL, 0}};

static pawl_status parse_or(struct parser *parser, size_t *node);
static pawl_status parse_unary(struct parser *parser, size_t *node);

static pawl_status mistake(const struct parser *parser, const char *what) {
  return pawl_fail(parser->err, PAWL_CONFIG, "constraint '%.200s', column %zu: %s", parser->out.text,
                   (size_t)(parser->cursor - parser->out.text) + 1, what);
}

static void skip_spaces(struct parser *parser) {
  while (isspace((unsigned char)*parser->cursor)) parser->cursor++;
}

static bool is_word_byte(char byte) {
  return isalnum((unsigned char)byte) || byte == '_';
}

static bool take(struct parser *parser, const char *text) {
  const size_t length = strlen(text);
  skip_spaces(parser);
  if (strncmp(parser->cursor, text, length) != 0) return false;
  if (is_word_byte(text[0]) && is_word_byte(parser->cursor[length])) return false;
  parser->cursor += length;
  return true;
}

static enum operation take_operator(struct parser *parser, const struct spelling *table) {
  skip_spaces(parser);
  if (table == products && pawl_starts_with(parser->cursor, "**")) return 0;
  for (; table->text; table++) {
    if (take(parser, table->text)) return table->operation;
  }
  return 0;
}

static pawl_status add(struct parser *parser, struct pawl_expression_node node, size_t *out) {
  if (parser->out.count >= NODE_LIMIT) return mistake(parser, "it is too long");
  if (parser->out.count == parser->capacity) {
    parser->capacity = parser->capacity ? parser->capacity * 2 : 16;
    struct pawl_expression_node *grown = pawl_arena_alloc(parser->arena, parser->capacity, sizeof *grown);
    if (parser->out.count) memcpy(grown, parser->out.nodes, parser->out.count * sizeof *grown);
    parser->out.nodes = grown;
  }
  parser->out.nodes[parser->out.count] = node;
  *out = parser->out.count++;
  return PAWL_OK;
}

static pawl_status add_binary(struct parser *parser, enum operation operation, size_t left, size_t right, size_t *out) {
  return add(parser, (struct pawl_expression_node){.operation = operation, .left = left, .right = right}, out);
}

/* operand (operator operand)*, from left to right. */
static pawl_status parse_chain(struct parser *parser, const struct spelling *table,
                               pawl_status (*operand)(struct parser *, size_t *), size_t *node) {
  PAWL_TRY(operand(parser, node));
  enum operation operation;
  while ((operation = take_operator(parser, table))) {
    size_t right;
    PAWL_TRY(operand(parser, &right));
    PAWL_TRY(add_binary(parser, operation, *node, right, node));
  }
  return PAWL_OK;
}

static pawl_status parse_call(struct parser *parser, enum operation operation, size_t *node) {
  if (!take(parser, "(")) return mistake(parser, "'(' is missing");
  size_t right;
  PAWL_TRY(parse_or(parser, node));
  if (operation == ABSOLUTE) {
    PAWL_TRY(add_binary(parser, operation, *node, 0, node));
  } else {
    if (!take(parser, ",")) return mistake(parser, "min and max take two values or more");
    do {
      PAWL_TRY(parse_or(parser, &right));
      PAWL_TRY(add_binary(parser, operation, *node, right, node));
    } while (take(parser, ","));
  }
  return take(parser, ")") ? PAWL_OK : mistake(parser, "')' is missing");
}

static pawl_status parse_name(struct parser *parser, size_t *node) {
  for (const struct spelling *function = functions; function->text; function++) {
    if (take(parser, function->text)) return parse_call(parser, function->operation, node);
  }
  size_t length = 0;
  while (is_word_byte(parser->cursor[length])) length++;
  const char *word = pawl_arena_printf(parser->arena, "%.*s", (int)(length < 200 ? length : 200), parser->cursor);
  for (size_t i = 0; i < parser->name_count; i++) {
    if (strcmp(word, parser->names[i]) != 0) continue;
    parser->cursor += length;
    if (parser->out.last_name == SIZE_MAX || i > parser->out.last_name) parser->out.last_name = i;
    return add(parser, (struct pawl_expression_node){.operation = NAME, .left = i}, node);
  }
  if (!isnan(pawl_tune_truth(word))) {
    parser->cursor += length;
    return add(parser, (struct pawl_expression_node){.operation = CONSTANT, .value = {word, NAN}}, node);
  }
  const char *nearest = pawl_nearest(word, parser->names, parser->name_count);
  return mistake(parser, nearest
                             ? pawl_arena_printf(parser->arena, "no parameter '%s'; did you mean '%s'?", word, nearest)
                             : pawl_arena_printf(parser->arena, "no parameter '%s'", word));
}

static pawl_status parse_quoted(struct parser *parser, size_t *node) {
  const char quote = *parser->cursor++;
  const size_t length = strcspn(parser->cursor, quote == '"' ? "\"" : "'");
  if (parser->cursor[length] != quote) return mistake(parser, "the closing quote is missing");
  const char *word = pawl_arena_printf(parser->arena, "%.*s", (int)length, parser->cursor);
  parser->cursor += length + 1;
  return add(parser, (struct pawl_expression_node){.operation = CONSTANT, .value = {word, NAN}}, node);
}

static pawl_status parse_primary(struct parser *parser, size_t *node) {
  skip_spaces(parser);
  const char *begin = parser->cursor;
  if (take(parser, "(")) {
    PAWL_TRY(parse_or(parser, node));
    return take(parser, ")") ? PAWL_OK : mistake(parser, "')' is missing");
  }
  if (*begin == '"' || *begin == '\'') return parse_quoted(parser, node);
  if (isdigit((unsigned char)*begin) || *begin == '.') {
    const size_t length = strspn(begin, "0123456789.eE");
    const char *word = pawl_arena_printf(parser->arena, "%.*s", (int)length, begin);
    const struct pawl_tune_value value = pawl_tune_value_of(word);
    if (isnan(value.number)) return mistake(parser, "this is not a number");
    parser->cursor += length;
    return add(parser, (struct pawl_expression_node){.operation = CONSTANT, .value = value}, node);
  }
  if (is_word_byte(*begin)) return parse_name(parser, node);
  return mistake(parser, *begin ? "a number, a parameter or '(' is missing" : "it is incomplete");
}

static pawl_status parse_power(struct parser *parser, size_t *node) {
  PAWL_TRY(parse_primary(parser, node));
  if (!take_operator(parser, powers)) return PAWL_OK;
  size_t right;
  PAWL_TRY(parse_unary(parser, &right));
  return add_binary(parser, POWER, *node, right, node);
}

/* `operand` after a prefix that may be repeated. */
static pawl_status parse_prefix(struct parser *parser, enum operation operation,
                                pawl_status (*operand)(struct parser *, size_t *), size_t *node) {
  if (++parser->depth > DEPTH_LIMIT) return mistake(parser, "it has too many levels of parentheses");
  PAWL_TRY(operand(parser, node));
  parser->depth--;
  return add_binary(parser, operation, *node, 0, node);
}

static pawl_status parse_unary(struct parser *parser, size_t *node) {
  skip_spaces(parser);
  if (take(parser, "-")) return parse_prefix(parser, NEGATE, parse_unary, node);
  if (*parser->cursor == '!' && parser->cursor[1] != '=' && take(parser, "!"))
    return parse_prefix(parser, NOT, parse_unary, node);
  return parse_power(parser, node);
}

static pawl_status parse_product(struct parser *parser, size_t *node) {
  return parse_chain(parser, products, parse_unary, node);
}

static pawl_status parse_sum(struct parser *parser, size_t *node) {
  return parse_chain(parser, sums, parse_product, node);
}

/* "A in [1, 2]" is "A == 1 or A == 2"; a list has brackets or, as a tuple, parentheses. */
static pawl_status parse_members(struct parser *parser, size_t left, size_t *node) {
  const bool tuple = take(parser, "(");
  if (!tuple && !take(parser, "[")) return mistake(parser, "'[' is missing");
  for (bool first = true; first || take(parser, ",");) {
    size_t member, equal;
    if (!first && take(parser, tuple ? ")" : "]")) return PAWL_OK; /* a comma may end it */
    PAWL_TRY(parse_sum(parser, &member));
    PAWL_TRY(add_binary(parser, EQUAL, left, member, &equal));
    if (first)
      *node = equal;
    else
      PAWL_TRY(add_binary(parser, OR, *node, equal, node));
    first = false;
  }
  return take(parser, tuple ? ")" : "]") ? PAWL_OK : mistake(parser, tuple ? "')' is missing" : "']' is missing");
}

static bool take_not_in(struct parser *parser) {
  const char *begin = parser->cursor;
  if (take(parser, "not") && take(parser, "in")) return true;
  parser->cursor = begin;
  return false;
}

/* a < b < c is a < b and b < c. */
static pawl_status parse_comparison(struct parser *parser, size_t *node) {
  size_t left, right;
  PAWL_TRY(parse_sum(parser, &left));
  *node = left;
  if (take(parser, "in")) return parse_members(parser, left, node);
  if (take_not_in(parser)) {
    PAWL_TRY(parse_members(parser, left, node));
    return add_binary(parser, NOT, *node, 0, node);
  }
  enum operation operation = take_operator(parser, comparisons);
  for (bool first = true; operation; first = false) {
    size_t compared;
    PAWL_TRY(parse_sum(parser, &right));
    PAWL_TRY(add_binary(parser, operation, left, right, &compared));
    if (first)
      *node = compared;
    else
      PAWL_TRY(add_binary(parser, AND, *node, compared, node));
    left = right;
    operation = take_operator(parser, comparisons);
  }
  return PAWL_OK;
}

static pawl_status parse_not(struct parser *parser, size_t *node) {
  if (take(parser, "not")) return parse_prefix(parser, NOT, parse_not, node);
  return parse_comparison(parser, node);
}

static pawl_status parse_and(struct parser *parser, size_t *node) {
  return parse_chain(parser, and_words, parse_not, node);
}

static pawl_status parse_or(struct parser *parser, size_t *node) {
  if (++parser->depth > DEPTH_LIMIT) return mistake(parser, "it has too many levels of parentheses");
  PAWL_TRY(parse_chain(parser, or_words, parse_and, node));
  parser->depth--;
  return PAWL_OK;
}

pawl_status pawl_expression_parse(const char *text, const char *const *names, size_t name_count,
                                  struct pawl_arena *arena, struct pawl_expression *out, struct pawl_error *err) {
  struct parser parser = {.out = {.text = text, .last_name = SIZE_MAX},
                          .cursor = text,
                          .names = names,
                          .name_count = name_count,
                          .arena = arena,
                          .err = err};
  size_t root;
  PAWL_TRY(parse_or(&parser, &root));
  skip_spaces(&parser);
  if (*parser.cursor) return mistake(&parser, "an operator is missing or unknown");
  PAWL_ASSERT(root + 1 == parser.out.count);
  *out = parser.out;
  return PAWL_OK;
}

/* --- evaluation --- */

struct evaluation {
  const struct pawl_expression *expression;
  const struct pawl_tune_value *values;
  struct pawl_error *err;
};

static pawl_status compute(const struct evaluation *evaluation, size_t index, struct pawl_tune_value *out);

static pawl_status number_of(const struct evaluation *evaluation, size_t index, double *out) {
  struct pawl_tune_value value;
  PAWL_TRY(compute(evaluation, index, &value));
  if (isnan(value.number) && value.word) value.number = pawl_tune_truth(value.word);
  if (isnan(value.number))
    return pawl_fail(evaluation->err, PAWL_CONFIG, "constraint '%.200s': '%.60s' is not a number",
                     evaluation->expression->text, value.word);
  *out = value.number;
  return PAWL_OK;
}

static pawl_status compute_equal(const struct evaluation *evaluation, const struct pawl_expression_node *node,
                                 double *out) {
  struct pawl_tune_value left, right;
  PAWL_TRY(compute(evaluation, node->left, &left));
  PAWL_TRY(compute(evaluation, node->right, &right));
  if (isnan(left.number) && left.word) left.number = pawl_tune_truth(left.word);
  if (isnan(right.number) && right.word) right.number = pawl_tune_truth(right.word);
  const bool words = isnan(left.number) || isnan(right.number);
  const bool equal = words ? left.word && right.word && !strcmp(left.word, right.word) : left.number == right.number;
  *out = equal == (node->operation == EQUAL);
  return PAWL_OK;
}

/* The right side only when it decides, so that "A == 0 or B % A == 0" divides by no zero. */
static pawl_status compute_logical(const struct evaluation *evaluation, const struct pawl_expression_node *node,
                                   double *out) {
  double left = NAN, right = NAN;
  PAWL_TRY(number_of(evaluation, node->left, &left));
  if ((left != 0) == (node->operation == OR)) {
    *out = left != 0;
    return PAWL_OK;
  }
  PAWL_TRY(number_of(evaluation, node->right, &right));
  *out = right != 0;
  return PAWL_OK;
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
    case FLOOR_DIVIDE: return floor(a / b);
    case REMAINDER: return a - floor(a / b) * b;
    case POWER: return pow(a, b);
    case MINIMUM: return fmin(a, b);
    case MAXIMUM: return fmax(a, b);
    default: return NAN;
  }
}

static pawl_status compute_binary(const struct evaluation *evaluation, const struct pawl_expression_node *node,
                                  double *out) {
  double left = NAN, right = NAN;
  PAWL_TRY(number_of(evaluation, node->left, &left));
  PAWL_TRY(number_of(evaluation, node->right, &right));
  const bool divides = node->operation == DIVIDE || node->operation == FLOOR_DIVIDE || node->operation == REMAINDER;
  if (divides && right == 0)
    return pawl_fail(evaluation->err, PAWL_CONFIG, "constraint '%.200s' divides by zero; guard it with 'or' or 'and'",
                     evaluation->expression->text);
  const double result = apply(node->operation, left, right);
  if (!isfinite(result))
    return pawl_fail(evaluation->err, PAWL_CONFIG, "constraint '%.200s' leaves the range of numbers",
                     evaluation->expression->text);
  *out = result;
  return PAWL_OK;
}

static pawl_status compute(const struct evaluation *evaluation, size_t index, struct pawl_tune_value *out) {
  const struct pawl_expression_node *node = &evaluation->expression->nodes[index];
  double number = NAN;
  switch (node->operation) {
    case CONSTANT: *out = node->value; return PAWL_OK;
    case NAME: *out = evaluation->values[node->left]; return PAWL_OK;
    case OR:
    case AND: PAWL_TRY(compute_logical(evaluation, node, &number)); break;
    case EQUAL:
    case UNEQUAL: PAWL_TRY(compute_equal(evaluation, node, &number)); break;
    case NOT:
      PAWL_TRY(number_of(evaluation, node->left, &number));
      number = number == 0;
      break;
    case NEGATE:
      PAWL_TRY(number_of(evaluation, node->left, &number));
      number = -number;
      break;
    case ABSOLUTE:
      PAWL_TRY(number_of(evaluation, node->left, &number));
      number = fabs(number);
      break;
    default: PAWL_TRY(compute_binary(evaluation, node, &number)); break;
  }
  *out = (struct pawl_tune_value){.number = number};
  return PAWL_OK;
}

/* NaN passes through: it is a word, or what no number follows from. */
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

/* The value of an expression of numbers in one pass over its nodes, of which the operands come first. NaN: it is not
   for this pass; compute() knows the answer, or the mistake. */
static double compute_fast(const struct pawl_expression *expression, const struct pawl_tune_value *values) {
  double results[FAST_NODES];
  if (expression->count > FAST_NODES) return NAN;
  for (size_t i = 0; i < expression->count; i++) {
    const struct pawl_expression_node *node = &expression->nodes[i];
    const double a = node->left < i ? results[node->left] : 0, b = node->right < i ? results[node->right] : 0;
    switch (node->operation) {
      case CONSTANT: results[i] = node->value.number; break;
      case NAME: results[i] = values[node->left].number; break;
      case OR: results[i] = isnan(a) ? NAN : a != 0 ? 1 : isnan(b) ? NAN : b != 0; break;
      case AND: results[i] = isnan(a) ? NAN : a == 0 ? 0 : isnan(b) ? NAN : b != 0; break;
      case NOT: results[i] = isnan(a) ? NAN : a == 0; break;
      case NEGATE: results[i] = -a; break;
      case ABSOLUTE: results[i] = fabs(a); break;
      default: results[i] = combine(node->operation, a, b); break;
    }
  }
  return results[expression->count - 1];
}

pawl_status pawl_expression_holds(const struct pawl_expression *expression, const struct pawl_tune_value *values,
                                  bool *out, struct pawl_error *err) {
  const struct evaluation evaluation = {expression, values, err};
  double number = compute_fast(expression, values);
  if (isnan(number)) PAWL_TRY(number_of(&evaluation, expression->count - 1, &number));
  *out = number != 0;
  return PAWL_OK;
}
