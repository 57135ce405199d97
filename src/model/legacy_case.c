/* SPDX-License-Identifier: Apache-2.0 */
#include "model/legacy_case.h"

#include <stdint.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"

/* Their names for what our attention operator calls B, H, S, D. */
static const struct {
  const char *theirs, *ours;
} shape_names[] = {
    {"batch_size", "B"}, {"batch", "B"},   {"num_heads", "H"},
    {"heads", "H"},      {"seq_len", "S"}, {"seq", "S"},
    {"head_dim", "D"},   {"dim", "D"},     {"is_causal", "causal"},
};
/* How it was measured, not what. */
static const char *const not_shape[] = {"iterations", "warmup", "seed"};

static const char *our_name(const char *theirs) {
  for (size_t i = 0; i < PAWL_COUNT(not_shape); i++)
    if (strcmp(not_shape[i], theirs) == 0) return NULL;
  for (size_t i = 0; i < PAWL_COUNT(shape_names); i++)
    if (strcmp(shape_names[i].theirs, theirs) == 0) return shape_names[i].ours;
  return theirs;
}

pawl_status pawl_legacy_config(const json_t *config, const char *name,
                               const struct pawl_json_path *path, struct pawl_arena *arena,
                               struct pawl_case *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *shape = json_object(); /* the same in our names */
  if (config && !json_is_object(config))
    return pawl_json_value_fail(path, NULL, config, "an object", PAWL_BAD_DATA, err);
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)config, key, value) {
    const char *ours = our_name(key);
    const bool is_number = json_is_integer(value) || json_is_boolean(value);
    const bool is_dtype = strcmp(key, "dtype") == 0;
    if (!ours || (!is_number && !is_dtype && strcmp(ours, key) == 0))
      continue; /* backend and the like */
    if (!is_number && !is_dtype)
      return pawl_json_value_fail(path, key, value, "an integer", PAWL_BAD_DATA, err);
    if (json_object_get(shape, ours))
      return pawl_json_path_fail(path, key, PAWL_BAD_DATA, err, "has '%s' twice", ours);
    pawl_json_set(shape, ours, json_incref(value));
  }
  PAWL_TRY(pawl_case_from_json_at(shape, name, path, arena, out, err));
  if (out->count) out->operator_name = "attention";
  if (!out->name || !*out->name) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    pawl_case_key(out, &text);
    out->name = pawl_arena_copy(arena, text.length ? pawl_text_string(&text) : "default");
  }
  return PAWL_OK;
}
