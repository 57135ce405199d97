/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "tune/expression.h"
#include "tune/expression_nodes.h"

#define DEPTH_LIMIT 100 /* the deepest nesting of parentheses and unary operators */

struct parser {
  struct pawl_expression out;
  const char *cursor;
  const char *const *names;
  size_t name_count, capacity;
  int depth;
  struct pawl_arena *arena;
  struct pawl_error *err;
};

/* A spelling of a binary operator. In a table, a longer spelling comes before its prefixes. */
struct spelling {
  const char *text;
  enum operation operation;
};

static const struct spelling or_words[] = {{"or", OR}, {"||", OR}, {NULL, 0}};
static const struct spelling and_words[] = {{"and", AND}, {"&&", AND}, {NULL, 0}};
static const struct spelling comparisons[] = {
    {"==", EQUAL}, {"!=", UNEQUAL}, {"<=", LESS_EQUAL}, {">=", GREATER_EQUAL},
    {"<", LESS},   {">", GREATER},  {NULL, 0}};
static const struct spelling sums[] = {{"+", ADD}, {"-", SUBTRACT}, {NULL, 0}};
static const struct spelling products[] = {
    {"//", FLOOR_DIVIDE}, {"*", MULTIPLY}, {"/", DIVIDE}, {"%", REMAINDER}, {NULL, 0}};
static const struct spelling powers[] = {{"**", POWER}, {NULL, 0}};
static const struct spelling functions[] = {
    {"min", MINIMUM}, {"max", MAXIMUM}, {"abs", ABSOLUTE}, {NULL, 0}};

static pawl_status parse_or(struct parser *parser, size_t *node);
static pawl_status parse_unary(struct parser *parser, size_t *node);

/* Counts characters as an editor does, not bytes. */
static size_t column_of(const struct parser *parser) {
  size_t column = 1;
  for (const char *p = parser->out.text; p < parser->cursor; p++)
    column += ((unsigned char)*p & 0xc0) != 0x80;
  return column;
}

static pawl_status expression_parse_mistake(const struct parser *parser, const char *what) {
  return pawl_fail(parser->err, PAWL_CONFIG, "constraint '%.200s', column %zu: %s",
                   parser->out.text, column_of(parser), what);
}

static void skip_spaces(struct parser *parser) {
  while (isspace((unsigned char)*parser->cursor)) parser->cursor++;
}

static bool is_word_byte(char byte) { return isalnum((unsigned char)byte) || byte == '_'; }

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
  if (parser->out.count >= PAWL_EXPRESSION_MOST_NODES)
    return expression_parse_mistake(parser, "it is too long");
  if (parser->out.count == parser->capacity) {
    parser->capacity = parser->capacity ? parser->capacity * 2 : 16;
    struct pawl_expression_node *grown =
        pawl_arena_alloc(parser->arena, parser->capacity, sizeof *grown);
    if (parser->out.count) memcpy(grown, parser->out.nodes, parser->out.count * sizeof *grown);
    parser->out.nodes = grown;
  }
  parser->out.nodes[parser->out.count] = node;
  *out = parser->out.count++;
  return PAWL_OK;
}

static pawl_status add_binary(struct parser *parser, enum operation operation, size_t left,
                              size_t right, size_t *out) {
  return add(parser,
             (struct pawl_expression_node){.operation = operation, .left = left, .right = right},
             out);
}

/* Parses "operand (operator operand)*" from left to right. */
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
  if (!take(parser, "(")) return expression_parse_mistake(parser, "'(' is missing");
  size_t right;
  PAWL_TRY(parse_or(parser, node));
  if (operation == ABSOLUTE) {
    PAWL_TRY(add_binary(parser, operation, *node, 0, node));
  } else {
    if (!take(parser, ","))
      return expression_parse_mistake(parser, "min and max take two values or more");
    do {
      PAWL_TRY(parse_or(parser, &right));
      PAWL_TRY(add_binary(parser, operation, *node, right, node));
    } while (take(parser, ","));
  }
  return take(parser, ")") ? PAWL_OK : expression_parse_mistake(parser, "')' is missing");
}

static pawl_status parse_name(struct parser *parser, size_t *node) {
  for (const struct spelling *function = functions; function->text; function++) {
    if (take(parser, function->text)) return parse_call(parser, function->operation, node);
  }
  size_t length = 0;
  while (is_word_byte(parser->cursor[length])) length++;
  const char *word =
      pawl_arena_printf(parser->arena, "%.*s", (int)(length < 200 ? length : 200), parser->cursor);
  for (size_t i = 0; i < parser->name_count; i++) {
    if (strcmp(word, parser->names[i]) != 0) continue;
    parser->cursor += length;
    if (parser->out.last_name == SIZE_MAX || i > parser->out.last_name) parser->out.last_name = i;
    return add(parser, (struct pawl_expression_node){.operation = NAME, .left = i}, node);
  }
  if (!isnan(pawl_tune_truth(word))) {
    parser->cursor += length;
    return add(parser, (struct pawl_expression_node){.operation = CONSTANT, .value = {word, NAN}},
               node);
  }
  const char *nearest = pawl_nearest(word, parser->names, parser->name_count);
  return expression_parse_mistake(
      parser, nearest ? pawl_arena_printf(parser->arena, "no parameter '%s'; did you mean '%s'?",
                                          word, nearest)
                      : pawl_arena_printf(parser->arena, "no parameter '%s'", word));
}

static pawl_status parse_quoted(struct parser *parser, size_t *node) {
  const char quote = *parser->cursor++;
  const size_t length = strcspn(parser->cursor, quote == '"' ? "\"" : "'");
  if (parser->cursor[length] != quote)
    return expression_parse_mistake(parser, "the closing quote is missing");
  const char *word = pawl_arena_printf(parser->arena, "%.*s", (int)length, parser->cursor);
  parser->cursor += length + 1;
  return add(parser, (struct pawl_expression_node){.operation = CONSTANT, .value = {word, NAN}},
             node);
}

/* Returns the end of digits with single underscores between them, as in "1_000". */
static const char *skip_digits(const char *text, const char *digits) {
  text += strspn(text, digits);
  while (text[0] == '_' && strspn(text + 1, digits)) text += 1 + strspn(text + 1, digits);
  return text;
}

/* Reads Python's "0x1f", "0o17" or "0b101". Returns its end, or NULL if the text has another
   form. */
static const char *read_based(const char *begin, double *out) {
  static const struct {
    const char *prefixes, *digits;
    int base;
  } rows[] = {{"xX", "0123456789abcdefABCDEF", 16}, {"oO", "01234567", 8}, {"bB", "01", 2}};
  for (size_t i = 0; i < PAWL_COUNT(rows); i++) {
    if (begin[0] != '0' || !begin[1] || !strchr(rows[i].prefixes, begin[1])) continue;
    const char *first = begin + 2 + (begin[2] == '_'), *end = skip_digits(first, rows[i].digits);
    if (!strspn(first, rows[i].digits)) return NULL;
    *out = 0;
    for (const char *p = first; p < end; p++) {
      if (*p == '_') continue;
      const int digit =
          isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10;
      *out = *out * rows[i].base + digit;
    }
    return end;
  }
  return NULL;
}

/* Reads "1_000", "2.5", ".5" or "1e-3". Returns its end, or NULL if the text has another form. */
static const char *read_decimal(const char *begin, double *out) {
  static const char digits[] = "0123456789";
  const char *end = isdigit((unsigned char)*begin) ? skip_digits(begin, digits) : begin;
  if (*end == '.') end = isdigit((unsigned char)end[1]) ? skip_digits(end + 1, digits) : end + 1;
  if (*end == 'e' || *end == 'E') {
    const char *exponent = end + 1 + (end[1] == '+' || end[1] == '-');
    if (isdigit((unsigned char)*exponent)) end = skip_digits(exponent, digits);
  }
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text plain = {0};
  for (const char *p = begin; p < end; p++)
    if (*p != '_') pawl_text_add_bytes(&plain, p, 1);
  return pawl_parse_double(pawl_text_string(&plain), out) ? end : NULL;
}

/* Python accepts "1or A" too. */
static bool begins_operator(const char *text) {
  static const char *const words[] = {"or", "and", "in", "not"};
  for (size_t i = 0; i < PAWL_COUNT(words); i++)
    if (pawl_starts_with(text, words[i]) && !is_word_byte(text[strlen(words[i])])) return true;
  return false;
}

static pawl_status parse_number(struct parser *parser, size_t *node) {
  struct pawl_tune_value value = {0};
  const char *begin = parser->cursor, *end = read_based(begin, &value.number);
  if (!end) end = read_decimal(begin, &value.number);
  if (!end || !isfinite(value.number) || *end == '.' ||
      (is_word_byte(*end) && !begins_operator(end)))
    return expression_parse_mistake(parser, "this is not a number");
  value.word = pawl_arena_printf(parser->arena, "%.*s", (int)(end - begin), begin);
  parser->cursor = end;
  return add(parser, (struct pawl_expression_node){.operation = CONSTANT, .value = value}, node);
}

static pawl_status parse_primary(struct parser *parser, size_t *node) {
  skip_spaces(parser);
  const char *begin = parser->cursor;
  if (take(parser, "(")) {
    PAWL_TRY(parse_or(parser, node));
    return take(parser, ")") ? PAWL_OK : expression_parse_mistake(parser, "')' is missing");
  }
  if (*begin == '"' || *begin == '\'') return parse_quoted(parser, node);
  if (isdigit((unsigned char)*begin) || *begin == '.') return parse_number(parser, node);
  if (is_word_byte(*begin)) return parse_name(parser, node);
  return expression_parse_mistake(
      parser, *begin ? "a number, a parameter or '(' is missing" : "it is incomplete");
}

static pawl_status parse_power(struct parser *parser, size_t *node) {
  PAWL_TRY(parse_primary(parser, node));
  if (!take_operator(parser, powers)) return PAWL_OK;
  size_t right;
  PAWL_TRY(parse_unary(parser, &right));
  return add_binary(parser, POWER, *node, right, node);
}

/* Parses `operand` after a prefix that may be repeated. */
static pawl_status parse_prefix(struct parser *parser, enum operation operation,
                                pawl_status (*operand)(struct parser *, size_t *), size_t *node) {
  if (++parser->depth > DEPTH_LIMIT)
    return expression_parse_mistake(parser, "it has too many levels of parentheses");
  PAWL_TRY(operand(parser, node));
  parser->depth--;
  return add_binary(parser, operation, *node, 0, node);
}

static pawl_status parse_unary(struct parser *parser, size_t *node) {
  skip_spaces(parser);
  if (take(parser, "-")) return parse_prefix(parser, NEGATE, parse_unary, node);
  if (take(parser, "+")) return parse_prefix(parser, PLUS, parse_unary, node);
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

/* "A in [1, 2]" becomes "A == 1 or A == 2", whose nodes share A. The list has brackets, or
   parentheses for a tuple. */
static pawl_status parse_members(struct parser *parser, size_t left, size_t *node) {
  const bool tuple = take(parser, "(");
  if (!tuple && !take(parser, "[")) return expression_parse_mistake(parser, "'[' is missing");
  for (bool first = true; first || take(parser, ",");) {
    size_t member, equal;
    if (!first && take(parser, tuple ? ")" : "]")) return PAWL_OK; /* a comma may end a list */
    PAWL_TRY(parse_sum(parser, &member));
    PAWL_TRY(add_binary(parser, EQUAL, left, member, &equal));
    if (first)
      *node = equal;
    else
      PAWL_TRY(add_binary(parser, OR, *node, equal, node));
    first = false;
  }
  return take(parser, tuple ? ")" : "]")
             ? PAWL_OK
             : expression_parse_mistake(parser, tuple ? "')' is missing" : "']' is missing");
}

static bool take_not_in(struct parser *parser) {
  const char *begin = parser->cursor;
  if (take(parser, "not") && take(parser, "in")) return true;
  parser->cursor = begin;
  return false;
}

/* "a < b < c" becomes "a < b and b < c", which share the node of b. */
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
  if (++parser->depth > DEPTH_LIMIT)
    return expression_parse_mistake(parser, "it has too many levels of parentheses");
  PAWL_TRY(parse_chain(parser, or_words, parse_and, node));
  parser->depth--;
  return PAWL_OK;
}

pawl_status pawl_expression_parse(const char *text, const char *const *names, size_t name_count,
                                  struct pawl_arena *arena, struct pawl_expression *out,
                                  struct pawl_error *err) {
  struct parser parser = {.out = {.text = text, .last_name = SIZE_MAX},
                          .cursor = text,
                          .names = names,
                          .name_count = name_count,
                          .arena = arena,
                          .err = err};
  size_t root;
  PAWL_TRY(parse_or(&parser, &root));
  skip_spaces(&parser);
  if (*parser.cursor) return expression_parse_mistake(&parser, "an operator is missing or unknown");
  PAWL_ASSERT(root + 1 == parser.out.count);
  *out = parser.out;
  return PAWL_OK;
}
