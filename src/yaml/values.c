/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml/values.h"

#include <stdio.h>
#include <string.h>

#include "base/secret.h"
#include "base/strings.h"
#include "base/text.h"

/* Returns whether a scalar has no quotes, which would make it a text. */
static bool values_is_plain(const struct pawl_yaml *node) {
  return node->kind == PAWL_YAML_SCALAR && !node->quoted;
}

/* Returns 1 for true, 0 for false, else -1. In YAML 1.2, yes, no, on and off are texts. */
static int truth(const struct pawl_yaml *node) {
  static const char *const words[2][3] = {{"false", "False", "FALSE"}, {"true", "True", "TRUE"}};
  for (int value = 0; value < 2; value++) {
    for (size_t i = 0; i < 3; i++)
      if (values_is_plain(node) && strcmp(node->text, words[value][i]) == 0) return value;
  }
  return -1;
}

bool pawl_yaml_integer(const struct pawl_yaml *node, int64_t *out) {
  const int boolean = truth(node);
  if (boolean >= 0) *out = boolean;
  return boolean >= 0 || (values_is_plain(node) && pawl_parse_i64(node->text, out));
}

struct unit_suffix {
  const char *suffix;
  /* value = number * times / over. A division by 100 rounds once, a product with 0.01 twice. */
  double times, over;
};

#define SECONDS_OF_A_DAY 86400.0

static const struct unit_suffix fractions[] = {{"%", 1, 100}, {"", 1, 1}};
static const struct unit_suffix seconds[] = {
    {"ms", 1, 1000}, {"s", 1, 1}, {"m", 60, 1}, {"h", 3600, 1}, {"d", SECONDS_OF_A_DAY, 1},
    {"", 1, 1}};
static const struct unit_suffix bytes[] = {
    {"KiB", 0x1p10, 1}, {"MiB", 0x1p20, 1}, {"GiB", 0x1p30, 1}, {"TiB", 0x1p40, 1}, {"kB", 1e3, 1},
    {"MB", 1e6, 1},     {"GB", 1e9, 1},     {"TB", 1e12, 1},    {"B", 1, 1},        {"", 1, 1},
};

/* Parses a number with one of the units. The unit without a suffix is last. */
static bool parse_quantity(const struct pawl_yaml *node, const struct unit_suffix *units,
                           double *out) {
  char digits[64];
  const size_t length = node->kind == PAWL_YAML_SCALAR ? strnlen(node->text, sizeof digits) : 0;
  if (length == 0 || length == sizeof digits) return false;
  size_t i = 0;
  while (*units[i].suffix && !pawl_ends_with(node->text, units[i].suffix)) i++;
  size_t kept = length - strlen(units[i].suffix);
  while (kept > 0 && node->text[kept - 1] == ' ') kept--;
  memcpy(digits, node->text, kept);
  digits[kept] = '\0';
  double number;
  if (strspn(digits, "+-.0123456789eE") != kept || !pawl_parse_double(digits, &number))
    return false;
  *out = number * units[i].times / units[i].over;
  return true;
}

/* Messages show a bound times `scale` with `suffix`. */
struct bound_unit {
  double scale;
  const char *suffix;
};

/* Parses a quantity and checks the row's range. */
static pawl_status read_quantity(const struct pawl_slot *slot, const struct unit_suffix *units,
                                 struct bound_unit low, struct bound_unit high, double *out) {
  double value;
  if (parse_quantity(slot->node, units, &value) && value >= slot->key->min &&
      value <= slot->key->max) {
    *out = value;
    return PAWL_OK;
  }
  char wanted[128];
  snprintf(wanted, sizeof wanted, "from %.15g%s to %.15g%s", slot->key->min * low.scale, low.suffix,
           slot->key->max * high.scale, high.suffix);
  return pawl_slot_fail(slot, slot->node, wanted);
}

pawl_status pawl_read_fraction(const struct pawl_slot *slot, void *field) {
  const struct bound_unit percent = {100, "%"};
  return read_quantity(slot, fractions, percent, percent, field);
}

static struct bound_unit unit_of_time(double bound) {
  return bound >= SECONDS_OF_A_DAY ? (struct bound_unit){1 / SECONDS_OF_A_DAY, "d"}
                                   : (struct bound_unit){1, "s"};
}

pawl_status pawl_read_seconds(const struct pawl_slot *slot, void *field) {
  return read_quantity(slot, seconds, unit_of_time(slot->key->min), unit_of_time(slot->key->max),
                       field);
}

pawl_status pawl_read_bytes(const struct pawl_slot *slot, void *field) {
  const struct bound_unit mebibytes = {0x1p-20, "MiB"};
  double value;
  PAWL_TRY(read_quantity(slot, bytes, mebibytes, mebibytes, &value));
  *(uint64_t *)field = (uint64_t)value;
  return PAWL_OK;
}

pawl_status pawl_read_number(const struct pawl_slot *slot, void *field) {
  static const struct unit_suffix none[] = {{"", 1, 1}};
  if (!values_is_plain(slot->node)) return pawl_slot_fail(slot, slot->node, "a number");
  const struct bound_unit plain = {1, ""};
  return read_quantity(slot, none, plain, plain, field);
}

pawl_status pawl_read_int(const struct pawl_slot *slot, void *field) {
  int64_t value;
  const double min = slot->key->min, max = slot->key->max;
  if (truth(slot->node) < 0 && pawl_yaml_integer(slot->node, &value) && value >= (int64_t)min &&
      value <= (int64_t)max) {
    *(int *)field = (int)value;
    return PAWL_OK;
  }
  char wanted[96];
  snprintf(wanted, sizeof wanted, "an integer from %.0f to %.0f", min, max);
  return pawl_slot_fail(slot, slot->node, wanted);
}

pawl_status pawl_read_bool(const struct pawl_slot *slot, void *field) {
  const int value = truth(slot->node);
  if (value < 0) return pawl_slot_fail(slot, slot->node, "true or false");
  *(bool *)field = value != 0;
  return PAWL_OK;
}

pawl_status pawl_read_choice(const struct pawl_slot *slot, void *field) {
  const char *const *words = slot->key->words;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text wanted = {0};
  for (int i = 0; words[i]; i++) {
    if (slot->node->kind == PAWL_YAML_SCALAR && strcmp(slot->node->text, words[i]) == 0) {
      *(int32_t *)field = i + 1;
      return PAWL_OK;
    }
    pawl_text_printf(&wanted, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
  }
  return pawl_slot_fail(slot, slot->node, pawl_text_string(&wanted));
}

/* Returns whether a node is a non-empty text of one line. */
static bool is_text(const struct pawl_yaml *node) {
  if (node->kind != PAWL_YAML_SCALAR || pawl_yaml_is_null(node) || !*node->text) return false;
  for (const char *p = node->text; *p; p++)
    if ((unsigned char)*p < 0x20 && *p != '\t') return false;
  return true;
}

pawl_status pawl_read_text(const struct pawl_slot *slot, void *field) {
  if (!is_text(slot->node)) return pawl_slot_fail(slot, slot->node, "one line of text");
  *(const char **)field = slot->node->text;
  return PAWL_OK;
}

pawl_status pawl_read_strings(const struct pawl_slot *slot, void *field) {
  const struct pawl_yaml *list = slot->node;
  const bool filled = list->kind == PAWL_YAML_LIST && (double)list->count >= slot->key->min;
  if (!filled)
    return pawl_slot_fail(slot, list,
                          slot->key->min > 0 ? "a list with at least one entry, such as [a, b]"
                                             : "a list such as [a, b]");
  struct pawl_strings strings = {.count = list->count};
  strings.items = pawl_arena_alloc(slot->reader->arena, list->count + 1,
                                   sizeof *strings.items); /* ends with NULL */
  for (size_t i = 0; i < list->count; i++) {
    if (!is_text(list->items[i]))
      return pawl_slot_fail(slot, list->items[i], "a list of texts, one line each");
    strings.items[i] = list->items[i]->text;
  }
  *(struct pawl_strings *)field = strings;
  return PAWL_OK;
}

static const struct pawl_key secret_rows[] = {
    {"env", pawl_read_text, offsetof(struct pawl_secret_source, env)},
    {"file", pawl_read_text, offsetof(struct pawl_secret_source, file)},
};
static const struct pawl_keys secret_keys = PAWL_KEYS(secret_rows, NULL);

pawl_status pawl_read_secret(const struct pawl_slot *slot, void *field) {
  struct pawl_secret_source source = {0};
  if (slot->node->kind != PAWL_YAML_MAP || slot->node->count != 1)
    return pawl_slot_fail(slot, slot->node,
                          "{env: NAME} or {file: PATH}, because the file must not contain secrets");
  const char *owner =
      pawl_arena_printf(slot->reader->arena, "%s of %s", slot->key->name, slot->owner);
  PAWL_TRY(pawl_keys_read(slot->reader, &secret_keys, owner, slot->node, &source));
  *(struct pawl_secret_source *)field = source;
  return PAWL_OK;
}
