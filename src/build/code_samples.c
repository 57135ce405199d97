/* SPDX-License-Identifier: Apache-2.0 */
#include "build/code_samples.h"

static pawl_status code_samples_read_row(const json_t *row, struct pawl_arena *arena,
                                         struct pawl_code_samples *out, struct pawl_error *err) {
  const char *symbol = json_string_value(json_object_get(row, "function")), *wait;
  const json_t *offset = json_object_get(row, "offset"), *waits = json_object_get(row, "waits"),
               *count;
  if (!symbol || !json_is_integer(offset) || json_integer_value(offset) < 0 ||
      !json_is_object(waits))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "a sample of the program counter has no function, offset and waits");
  symbol = pawl_arena_copy(arena, symbol);
  json_object_foreach((json_t *)(uintptr_t)waits, wait, count) {
    if (!json_is_number(count) || !(json_number_value(count) >= 0))
      return pawl_fail(err, PAWL_BAD_DATA, "a sample of the program counter has no number of '%s'",
                       wait);
    out->total += json_number_value(count);
    out->items[out->count++] =
        (struct pawl_code_sample){.symbol = symbol,
                                  .offset = (uint64_t)json_integer_value(offset),
                                  .wait = pawl_arena_copy(arena, wait),
                                  .count = json_number_value(count)};
  }
  return PAWL_OK;
}

pawl_status pawl_code_samples_read(const json_t *list, struct pawl_arena *arena,
                                   struct pawl_code_samples *out, struct pawl_error *err) {
  struct pawl_code_samples found = {0};
  size_t i, count = 0;
  const json_t *row;
  if (!json_is_array(list))
    return pawl_fail(err, PAWL_BAD_DATA, "the samples of the program counter are no list");
  json_array_foreach(list, i, row) count += json_object_size(json_object_get(row, "waits"));
  found.items = pawl_arena_alloc(arena, count + 1, sizeof *found.items);
  json_array_foreach(list, i, row) PAWL_TRY(code_samples_read_row(row, arena, &found, err));
  *out = found;
  return PAWL_OK;
}
