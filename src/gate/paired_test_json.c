/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "gate/paired_test.h"
#include "gate/sequential_json.h"

static json_t *numbers(const double *values, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, json_real(values[i]));
  return array;
}

static const char *const place_names[] = {NULL, "base", "candidate"};

static json_t *blocks_to_json(const struct pawl_paired_block *blocks, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *block = json_object();
    pawl_json_set_number(block, "base_ms", blocks[i].base_ms);
    pawl_json_set_number(block, "candidate_ms", blocks[i].candidate_ms);
    pawl_json_set_string(block, "spoiled", blocks[i].spoiled);
    if (blocks[i].place) pawl_json_set_string(block, "first", place_names[blocks[i].place]);
    json_array_append_new(array, block);
  }
  return array;
}

json_t *pawl_paired_test_to_json(const struct pawl_paired_test *paired) {
  json_t *object = json_object();
  pawl_json_set_string(object, "kernel_name", paired->kernel_name);
  pawl_json_set_string(object, "case", paired->case_name);
  pawl_json_set_string(object, "anchor", paired->anchor);
  pawl_json_set_string(object, "anchor_kind", pawl_anchor_kind_name(paired->anchor_kind));
  pawl_json_set_string(object, "gpu", paired->gpu);
  pawl_json_set_bool(object, "identical_code", paired->identical);
  pawl_json_set_string(object, "answer", pawl_decision_name(paired->decision));
  pawl_json_set_string(object, "reason", paired->reason);
  pawl_json_set_string(object, "origin", paired->origin ? pawl_origin_name(paired->origin) : NULL);
  pawl_json_set_number(object, "slowdown_pct", paired->slowdown.estimate * 100);
  pawl_json_set_number(object, "slowdown_low_pct", paired->slowdown.low * 100);
  pawl_json_set_number(object, "slowdown_high_pct", paired->slowdown.high * 100);
  if (paired->policy.rule > 1) {
    pawl_json_set_bool(object, "equivalent", paired->equivalent);
    pawl_json_set_number(object, "block_sd", paired->block_sd);
    pawl_json_set_number(object, "detectable_pct", paired->detectable * 100);
  }
  pawl_json_set_number(object, "confirmed_slowdown_pct", paired->confirmed_slowdown * 100);
  pawl_json_set(object, "policy", pawl_sequential_policy_to_json(&paired->policy));
  pawl_json_set_int(object, "seed", (long long)paired->seed);
  pawl_json_set_int(object, "blocks_counted", (long long)paired->counted);
  pawl_json_set(object, "blocks", blocks_to_json(paired->blocks, paired->block_count));
  pawl_json_set(object, "confirmation", blocks_to_json(paired->confirmation, paired->confirmation_count));
  pawl_json_set(object, "base_samples_ms", numbers(paired->base_samples_ms, paired->base_sample_count));
  pawl_json_set(object, "candidate_samples_ms", numbers(paired->candidate_samples_ms, paired->candidate_sample_count));
  return object;
}

static pawl_status blocks_from_json(const json_t *object, const char *key, const char *name, struct pawl_arena *arena,
                                    struct pawl_paired_block **out, size_t *count, struct pawl_error *err) {
  const json_t *array = json_object_get(object, key);
  if (!json_is_array(array)) return pawl_fail(err, PAWL_BAD_DATA, "%s: '%s' is missing or no array", name, key);
  *count = json_array_size(array);
  *out = pawl_arena_alloc(arena, *count + 1, sizeof **out);
  for (size_t i = 0; i < *count; i++) {
    const json_t *item = json_array_get(array, i);
    struct pawl_paired_block *block = &(*out)[i];
    const char *spoiled, *first;
    if (!json_is_object(item)) return pawl_fail(err, PAWL_BAD_DATA, "%s: '%s' must hold objects", name, key);
    PAWL_TRY(pawl_json_get_number(item, "base_ms", name, NAN, &block->base_ms, err));
    PAWL_TRY(pawl_json_get_number(item, "candidate_ms", name, NAN, &block->candidate_ms, err));
    PAWL_TRY(pawl_json_get_string(item, "spoiled", name, NULL, &spoiled, err));
    PAWL_TRY(pawl_json_get_string(item, "first", name, NULL, &first, err));
    block->spoiled = pawl_arena_copy(arena, spoiled);
    for (int place = PAWL_PLACE_BASE_FIRST; first && place <= PAWL_PLACE_CANDIDATE_FIRST; place++)
      if (!strcmp(first, place_names[place])) block->place = (enum pawl_place)place;
    if (!spoiled && !(block->base_ms > 0 && block->candidate_ms > 0))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: block %zu of '%s' has no positive times", name, i, key);
  }
  return PAWL_OK;
}

static pawl_status samples_from_json(const json_t *object, const char *key, const char *name, struct pawl_arena *arena,
                                     double **out, size_t *count, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_free_pointer) double *values = NULL;
  PAWL_TRY(pawl_json_get_numbers(object, key, name, &values, count, err));
  *out = pawl_arena_alloc(arena, *count, sizeof **out);
  if (*count) memcpy(*out, values, *count * sizeof **out);
  return PAWL_OK;
}

pawl_status pawl_paired_test_from_json(const json_t *object, const char *name, struct pawl_arena *arena,
                                       struct pawl_paired_test *out, struct pawl_error *err) {
  struct pawl_paired_test paired;
  pawl_paired_test_init(&paired);
  const char *kernel, *case_name, *anchor, *kind, *gpu;
  long long seed;
  if (!json_is_object(object)) return pawl_fail(err, PAWL_BAD_DATA, "%s: a paired verdict must be an object", name);
  PAWL_TRY(pawl_json_get_string(object, "kernel_name", name, NULL, &kernel, err));
  PAWL_TRY(pawl_json_get_string(object, "case", name, NULL, &case_name, err));
  PAWL_TRY(pawl_json_get_string(object, "anchor", name, NULL, &anchor, err));
  PAWL_TRY(pawl_json_get_string(object, "anchor_kind", name, NULL, &kind, err));
  PAWL_TRY(pawl_json_get_string(object, "gpu", name, NULL, &gpu, err));
  PAWL_TRY(pawl_json_get_bool(object, "identical_code", name, false, &paired.identical, err));
  PAWL_TRY(pawl_json_get_int(object, "seed", name, 0, &seed, err));
  PAWL_TRY(pawl_sequential_policy_from_json(json_object_get(object, "policy"), name, &paired.policy, err));
  PAWL_TRY(blocks_from_json(object, "blocks", name, arena, &paired.blocks, &paired.block_count, err));
  if (json_object_get(object, "confirmation"))
    PAWL_TRY(
        blocks_from_json(object, "confirmation", name, arena, &paired.confirmation, &paired.confirmation_count, err));
  PAWL_TRY(samples_from_json(object, "base_samples_ms", name, arena, &paired.base_samples_ms, &paired.base_sample_count,
                             err));
  PAWL_TRY(samples_from_json(object, "candidate_samples_ms", name, arena, &paired.candidate_samples_ms,
                             &paired.candidate_sample_count, err));
  paired.kernel_name = pawl_arena_copy(arena, kernel);
  paired.case_name = pawl_arena_copy(arena, case_name);
  paired.anchor = pawl_arena_copy(arena, anchor);
  paired.anchor_kind = pawl_anchor_kind_parse(kind);
  paired.gpu = pawl_arena_copy(arena, gpu);
  paired.seed = (uint64_t)seed;
  *out = paired;
  return PAWL_OK;
}
