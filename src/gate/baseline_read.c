/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the baseline file and checks every value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "gate/baseline_fields.h"
#include "gate/outcome_verdict.h"
#include "model/legacy.h"
#include "stats/sort.h"

static pawl_status sort_entries(struct pawl_baseline *baseline, const char *path,
                                struct pawl_error *err) {
  qsort(baseline->entries, baseline->count, sizeof *baseline->entries,
        pawl_baseline_compare_entries);
  for (size_t i = 1; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (pawl_baseline_compare_entries(entry - 1, entry) == 0)
      return pawl_fail(err, PAWL_BAD_DATA,
                       "%s: two entries of kernel '%s', case '%s', hardware '%s': remove one", path,
                       entry->kernel_name ? entry->kernel_name : "", entry->case_name,
                       entry->hardware ? entry->hardware : "");
  }
  return PAWL_OK;
}

static bool baseline_read_key_of(const struct pawl_field *fields, size_t count, const char *key) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(fields[i].key, key) == 0) return true;
  return false;
}

static pawl_status check_entry(const struct pawl_baseline_entry *entry,
                               const struct pawl_json_path *path, struct pawl_error *err) {
  if (isnan(entry->median_ms))
    return pawl_json_value_fail(path, "median_ms", NULL, "a time", PAWL_BAD_DATA, err);
  if (isnan(entry->ci_95_low) != isnan(entry->ci_95_high))
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                               "must have both ci_95_low and ci_95_high, or neither");
  if (isnan(entry->process_ci_95_low) != isnan(entry->process_ci_95_high) ||
      entry->process_ci_95_low > entry->process_ci_95_high)
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                               "must have both process_ci_95_low and process_ci_95_high, or "
                               "neither, and high must not be below low");
  if (entry->ci_95_low > entry->median_ms || entry->ci_95_high < entry->median_ms)
    return pawl_json_path_fail(path, NULL, PAWL_BAD_DATA, err,
                               "has median_ms %g outside its interval [%g, %g]", entry->median_ms,
                               entry->ci_95_low, entry->ci_95_high);
  return PAWL_OK;
}

static pawl_status read_figures(const json_t *object, const struct pawl_json_path *path,
                                struct pawl_arena *arena, struct pawl_baseline_entry *entry,
                                struct pawl_error *err) {
  PAWL_TRY(pawl_fields_read(pawl_baseline_figures, PAWL_BASELINE_FIGURES, object, path, arena,
                            entry, err));
  if (entry->samples_ms) pawl_sort_doubles(entry->samples_ms, entry->sample_count);
  return check_entry(entry, path, err);
}

static pawl_status baseline_read_entry(const json_t *object, const struct pawl_json_path *path,
                                       struct pawl_arena *arena, struct pawl_baseline_entry *out,
                                       struct pawl_error *err) {
  pawl_baseline_entry_init(out);
  PAWL_TRY(
      pawl_fields_read(pawl_baseline_names, PAWL_BASELINE_NAMES, object, path, arena, out, err));
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    if (strcmp(key, "config") != 0 && strcmp(key, "code") != 0 &&
        !baseline_read_key_of(pawl_baseline_names, PAWL_BASELINE_NAMES, key) &&
        !baseline_read_key_of(pawl_baseline_figures, PAWL_BASELINE_FIGURES, key))
      return pawl_json_path_fail(path, key, PAWL_BAD_DATA, err, "is unknown: remove it");
  }
  if (!out->case_name || !*out->case_name)
    return pawl_json_value_fail(path, "case_name", NULL, "a text", PAWL_BAD_DATA, err);
  const json_t *config = json_object_get(object, "config");
  const struct pawl_json_path config_path = PAWL_JSON_KEY(path, "config");
  out->config = (struct pawl_case){.name = out->case_name};
  if (config && !json_is_null(config))
    PAWL_TRY(
        pawl_case_from_json_at(config, out->case_name, &config_path, arena, &out->config, err));
  const json_t *code = json_object_get(object, "code");
  const struct pawl_json_path code_path = PAWL_JSON_KEY(path, "code");
  if (code && !json_is_null(code))
    PAWL_TRY(pawl_fields_read(pawl_baseline_code_fields, PAWL_BASELINE_CODE, code, &code_path,
                              arena, &out->code, err));
  pawl_code_migrate(code, &out->code);
  return read_figures(object, path, arena, out, err);
}

static pawl_status read_move(const json_t *object, const struct pawl_json_path *path,
                             struct pawl_arena *arena, struct pawl_baseline_move *out,
                             struct pawl_error *err) {
  *out = (struct pawl_baseline_move){0};
  pawl_fields_init(pawl_move_figures, PAWL_BASELINE_MOVE_FIGURES, out);
  PAWL_TRY(pawl_fields_read(pawl_move_names, PAWL_BASELINE_NAMES, object, path, arena, out, err));
  PAWL_TRY(pawl_fields_read(pawl_move_figures, PAWL_BASELINE_MOVE_FIGURES, object, path, arena, out,
                            err));
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    if (strcmp(key, "kind") != 0 &&
        !baseline_read_key_of(pawl_move_names, PAWL_BASELINE_NAMES, key) &&
        !baseline_read_key_of(pawl_move_figures, PAWL_BASELINE_MOVE_FIGURES, key))
      return pawl_json_path_fail(path, key, PAWL_BAD_DATA, err, "is unknown: remove it");
  }
  if (!out->case_name)
    return pawl_json_value_fail(path, "case_name", NULL, "a text", PAWL_BAD_DATA, err);
  const json_t *kind = json_object_get(object, "kind");
  out->kind = pawl_move_kind_parse(json_string_value(kind));
  if (out->kind == PAWL_MOVE_UNKNOWN)
    return pawl_json_value_fail(path, "kind", kind, "'new', 'improvement' or 'accepted'",
                                PAWL_BAD_DATA, err);
  return PAWL_OK;
}

static pawl_status list_of(const json_t *document, const char *key,
                           const struct pawl_json_path *path, const json_t **out,
                           struct pawl_error *err) {
  const json_t *list = json_object_get(document, key);
  if (list && !json_is_array(list))
    return pawl_json_value_fail(path, key, list, "a list", PAWL_BAD_DATA, err);
  *out = list;
  return PAWL_OK;
}

static pawl_status check_document(const json_t *document, const struct pawl_json_path *path,
                                  struct pawl_error *err) {
  if (!json_object_get(document, "schema_version"))
    return pawl_json_value_fail(path, "schema_version", NULL, "an integer, 1 or greater",
                                PAWL_BAD_DATA, err);
  PAWL_TRY(pawl_json_check_version(document, path, PAWL_BASELINE_SCHEMA, err));
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)document, key, value) {
    if (strcmp(key, "schema_version") != 0 && strcmp(key, "entries") != 0 &&
        strcmp(key, "moves") != 0)
      return pawl_json_path_fail(path, key, PAWL_BAD_DATA, err, "is unknown: remove it");
  }
  return PAWL_OK;
}

static pawl_status read_own(const json_t *document, const struct pawl_json_path *path,
                            struct pawl_arena *arena, struct pawl_baseline *out,
                            struct pawl_error *err) {
  const json_t *entries = NULL, *moves = NULL;
  PAWL_TRY(check_document(document, path, err));
  PAWL_TRY(list_of(document, "entries", path, &entries, err));
  PAWL_TRY(list_of(document, "moves", path, &moves, err));
  struct pawl_baseline baseline = {.count = json_array_size(entries),
                                   .move_count = json_array_size(moves)};
  baseline.entries = pawl_arena_alloc(arena, baseline.count + 1, sizeof *baseline.entries);
  baseline.moves = pawl_arena_alloc(arena, baseline.move_count + 1, sizeof *baseline.moves);
  const struct pawl_json_path entries_path = PAWL_JSON_KEY(path, "entries"),
                              moves_path = PAWL_JSON_KEY(path, "moves");
  for (size_t i = 0; i < baseline.count; i++) {
    const struct pawl_json_path place = PAWL_JSON_INDEX(&entries_path, i);
    PAWL_TRY(
        baseline_read_entry(json_array_get(entries, i), &place, arena, &baseline.entries[i], err));
  }
  for (size_t i = 0; i < baseline.move_count; i++) {
    const struct pawl_json_path place = PAWL_JSON_INDEX(&moves_path, i);
    PAWL_TRY(read_move(json_array_get(moves, i), &place, arena, &baseline.moves[i], err));
  }
  PAWL_TRY(sort_entries(&baseline, path->key, err));
  *out = baseline;
  return PAWL_OK;
}

/* Reads {configs: {NAME: {median_ms, ci_95_low}}}, which has no kernel and no hardware, but a
   commit for each entry. */
static pawl_status read_configs(const json_t *configs, const struct pawl_json_path *path,
                                struct pawl_arena *arena, struct pawl_baseline *out,
                                struct pawl_error *err) {
  if (!json_is_object(configs))
    return pawl_json_value_fail(path, "configs", configs, "an object", PAWL_BAD_DATA, err);
  struct pawl_baseline baseline = {0};
  baseline.entries =
      pawl_arena_alloc(arena, json_object_size(configs) + 1, sizeof *baseline.entries);
  PAWL_CLEANUP(pawl_bootstrap_plans_release) struct pawl_bootstrap_plans plans = {0};
  const struct pawl_json_path configs_path = PAWL_JSON_KEY(path, "configs");
  const char *name;
  json_t *row;
  json_object_foreach((json_t *)(uintptr_t)configs, name, row) {
    const struct pawl_json_path place = PAWL_JSON_KEY(&configs_path, name);
    struct pawl_results one = {0};
    struct pawl_result result;
    PAWL_TRY(pawl_legacy_baseline_row(row, name, &place, arena, &result, &one.commit, err));
    PAWL_TRY(pawl_baseline_entry_make(&result, &one, NULL, &plans, arena,
                                      &baseline.entries[baseline.count++], err));
  }
  PAWL_TRY(sort_entries(&baseline, path->key, err));
  *out = baseline;
  return PAWL_OK;
}

static pawl_status read_results(const json_t *document, const char *path, struct pawl_arena *arena,
                                struct pawl_baseline *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_results_release) struct pawl_results results = {0};
  PAWL_TRY(pawl_results_from_json(document, path, arena, &results, err));
  PAWL_CLEANUP(pawl_bootstrap_plans_release) struct pawl_bootstrap_plans plans = {0};
  struct pawl_baseline baseline = {.from_results = true};
  baseline.entries = pawl_arena_alloc(arena, results.count + 1, sizeof *baseline.entries);
  for (size_t i = 0; i < results.count; i++) {
    const struct pawl_result *row = &results.items[i];
    if (!pawl_result_timed(row)) continue;
    PAWL_TRY(pawl_baseline_entry_make(row, &results, NULL, &plans, arena,
                                      &baseline.entries[baseline.count++], err));
  }
  PAWL_TRY(sort_entries(&baseline, path, err));
  *out = baseline;
  return PAWL_OK;
}

pawl_status pawl_baseline_read(const char *path, struct pawl_arena *arena,
                               struct pawl_baseline *out, struct pawl_error *err) {
  if (pawl_file_absent(path)) {
    *out = (struct pawl_baseline){0};
    return PAWL_OK;
  }
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_TRY(pawl_json_read(path, &document, err));
  const struct pawl_json_path root = PAWL_JSON_KEY(NULL, path);
  if (!json_is_object(document))
    return pawl_json_value_fail(&root, NULL, document, "a baseline", PAWL_BAD_DATA, err);
  if (json_object_get(document, "entries")) return read_own(document, &root, arena, out, err);
  const json_t *configs = json_object_get(document, "configs");
  if (configs) return read_configs(configs, &root, arena, out, err);
  return read_results(document, path, arena, out, err);
}
