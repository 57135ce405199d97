/* SPDX-License-Identifier: Apache-2.0 */
#include "yaml/difference.h"

#include <string.h>

#include "base/count.h"
#include "base/strings.h"
#include "base/text.h"
#include "yaml/values.h"

static bool equal_text(const void *a, const void *b) {
  return pawl_text_equal(*(const char *const *)a, *(const char *const *)b);
}

static bool equal_bool(const void *a, const void *b) {
  return *(const bool *)a == *(const bool *)b;
}

static bool equal_int(const void *a, const void *b) { return *(const int *)a == *(const int *)b; }

static bool equal_bytes(const void *a, const void *b) {
  return *(const uint64_t *)a == *(const uint64_t *)b;
}

/* NaN means a number that is not given, and equals itself. */
static bool equal_number(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x == y || (x != x && y != y);
}

static const struct {
  pawl_value_reader read;
  bool (*equal)(const void *a, const void *b);
} kinds[] = {
    {pawl_read_bool, equal_bool},
    {pawl_read_int, equal_int},
    {pawl_read_choice, equal_int},
    {pawl_read_number, equal_number},
    {pawl_read_fraction, equal_number},
    {pawl_read_seconds, equal_number},
    {pawl_read_bytes, equal_bytes},
    {pawl_read_text, equal_text},
    {pawl_read_strings, pawl_strings_equal},
};

static void difference_add_name(struct pawl_text *out, size_t start, const char *name) {
  pawl_text_printf(out, "%s%s", out->length > start ? ", " : "", name);
}

static bool difference_is_equal(const struct pawl_key *key, const void *a, const void *b) {
  if (key->equal) return key->equal(a, b);
  for (size_t i = 0; i < PAWL_COUNT(kinds); i++)
    if (kinds[i].read == key->read) return kinds[i].equal(a, b);
  PAWL_ASSERT(key->read == pawl_read_map); /* a row with a reader of its own needs `equal` */
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text inside = {0};
  pawl_keys_difference(key->table, a, b, &inside);
  return inside.length == 0;
}

void pawl_keys_difference(const struct pawl_keys *table, const void *a, const void *b,
                          struct pawl_text *out) {
  const size_t start = out->length;
  for (size_t i = 0; i < table->count; i++) {
    const struct pawl_key *key = &table->rows[i];
    if (key->uncompared) continue;
    if (!difference_is_equal(key, (const char *)a + key->offset, (const char *)b + key->offset))
      difference_add_name(out, start, key->name);
  }
  if (table->other_equal && !table->other_equal(a, b)) difference_add_name(out, start, "shape");
}
