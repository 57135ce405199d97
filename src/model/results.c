/* SPDX-License-Identifier: Apache-2.0 */
/* The document: many rows, or one. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/file.h"
#include "model/legacy.h"
#include "model/result.h"

#define FIELD(key) \
  { #key, PAWL_FIELD_STRING, offsetof(struct pawl_results, key), 0 }

static const struct pawl_field document_fields[] = {
    FIELD(commit), FIELD(hardware), FIELD(hardware_name), FIELD(toolchain), FIELD(timestamp)};

json_t *pawl_results_to_json(const struct pawl_results *results) {
  json_t *document = json_object(), *rows = json_array();
  pawl_json_set_int(document, "schema_version", PAWL_RESULTS_SCHEMA);
  pawl_fields_write(document_fields, PAWL_COUNT(document_fields), results, document);
  pawl_json_set_bool(document, "dirty", results->dirty);
  for (size_t i = 0; i < results->count; i++)
    json_array_append_new(rows, pawl_result_to_json(&results->items[i]));
  pawl_json_set(document, "results", rows);
  return document;
}

pawl_status pawl_results_write(const struct pawl_results *results, const char *path,
                               struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = pawl_results_to_json(results);
  return pawl_json_write(path, document, true, err);
}

void pawl_results_release(struct pawl_results *results) {
  if (!results) return;
  pawl_json_release(&results->document);
  *results = (struct pawl_results){0};
}

/* --- the shapes a document may have --- */

struct results_reader {
  const json_t *document;
  bool ours; /* it carries schema_version */
  struct pawl_json_path path;
  struct pawl_arena *arena;
  struct pawl_results *out;
  struct pawl_error *err;
  struct pawl_result *taken; /* the rows that came before the document was complete */
  size_t taken_count;
};

static pawl_status results_make_room(const struct results_reader *in, const char *key,
                                     size_t count) {
  if (count == 0)
    return pawl_json_path_fail(&in->path, key, PAWL_BAD_DATA, in->err,
                               "is empty: there are no measurements");
  if (count > PAWL_RESULTS_LIMIT)
    return pawl_json_path_fail(&in->path, key, PAWL_BAD_DATA, in->err,
                               "has %zu rows; the limit is %d", count, PAWL_RESULTS_LIMIT);
  in->out->items = pawl_arena_alloc(in->arena, count, sizeof *in->out->items);
  in->out->count = count;
  return PAWL_OK;
}

/* {results: [...]}: ours, or a sweep, whose rows have `statistics`. */
static pawl_status results_read_rows(const struct results_reader *in) {
  const json_t *list = json_object_get(in->document, "results");
  if (!json_is_array(list))
    return pawl_json_value_fail(&in->path, "results", list, "a list", PAWL_BAD_DATA, in->err);
  if (in->taken_count > 0) {
    in->out->items = in->taken;
    in->out->count = in->taken_count;
    return PAWL_OK;
  }
  PAWL_TRY(results_make_room(in, "results", json_array_size(list)));
  const struct pawl_json_path here = PAWL_JSON_KEY(&in->path, "results");
  for (size_t i = 0; i < in->out->count; i++) {
    const json_t *row = json_array_get(list, i);
    const struct pawl_json_path row_path = PAWL_JSON_INDEX(&here, i);
    struct pawl_result *item = &in->out->items[i];
    if (!in->ours && json_object_get(row, "statistics")) {
      PAWL_TRY(pawl_legacy_sweep_row(row, &row_path, in->arena, item, in->err));
    } else {
      PAWL_TRY(pawl_result_from_json(row, in->ours, &row_path, in->arena, item, in->err));
    }
  }
  return PAWL_OK;
}

/* {configs: {NAME: {...}}}: the earlier scripts' baseline. */
static pawl_status read_configs(const struct results_reader *in) {
  const json_t *configs = json_object_get(in->document, "configs");
  if (!json_is_object(configs))
    return pawl_json_value_fail(&in->path, "configs", configs, "an object", PAWL_BAD_DATA, in->err);
  PAWL_TRY(results_make_room(in, "configs", json_object_size(configs)));
  const struct pawl_json_path here = PAWL_JSON_KEY(&in->path, "configs");
  size_t i = 0;
  const char *name;
  json_t *row;
  json_object_foreach((json_t *)(uintptr_t)configs, name, row) {
    const struct pawl_json_path row_path = PAWL_JSON_KEY(&here, name);
    const char *commit = NULL;
    PAWL_TRY(pawl_legacy_baseline_row(row, name, &row_path, in->arena, &in->out->items[i], &commit,
                                      in->err));
    /* The document's commit is the commit of all its rows. */
    const bool same = i == 0 || (commit && in->out->commit && strcmp(commit, in->out->commit) == 0);
    in->out->commit = same ? commit : NULL;
    i++;
  }
  return PAWL_OK;
}

static pawl_status read_flat(const struct results_reader *in) {
  PAWL_TRY(results_make_room(in, "results", 1));
  return pawl_result_from_json(in->document, in->ours, &in->path, in->arena, in->out->items,
                               in->err);
}

/* The kind of a document, by a key that no other kind has. */
static const struct {
  const char *key;
  pawl_status (*read)(
      const struct results_reader *in); /* NULL: not results, `words` says what it is */
  const char *words;
} shapes[] = {
    {"results", results_read_rows, NULL},
    {"configs", read_configs, NULL},
    {"performance", read_flat, NULL},
    {"metrics", read_flat, NULL},
    {"outcome", read_flat, NULL},
    {"entries", NULL, "is a baseline, not results: judge results against it with `pawl ratchet`"},
    {"totals", NULL,
     "is a verdict, not results: give results.json of that run, or its folder to report and "
     "notify"},
    {"comparisons", NULL, "is a comparison, not results: give the two compared files"},
    {"speedup", NULL, "is a comparison, not results: give the two compared files"},
};

static pawl_status read_header(const struct results_reader *in) {
  PAWL_TRY(pawl_fields_read(document_fields, PAWL_COUNT(document_fields), in->document, &in->path,
                            in->arena, in->out, in->err));
  const json_t *dirty = json_object_get(in->document, "dirty");
  if (dirty && !json_is_boolean(dirty) && !json_is_null(dirty))
    return pawl_json_value_fail(&in->path, "dirty", dirty, "true or false", PAWL_BAD_DATA, in->err);
  in->out->dirty = json_is_true(dirty);
  return PAWL_OK;
}

/* A sweep says in `metadata` where and when it was taken. */
static void take_metadata(const struct results_reader *in) {
  json_t *metadata = json_object_get(in->document, "metadata");
  if (in->ours || !json_is_object(metadata)) return;
  struct pawl_results *out = in->out;
  if (!out->hardware_name)
    out->hardware_name =
        pawl_arena_copy(in->arena, json_string_value(json_object_get(metadata, "gpu")));
  if (!out->timestamp)
    out->timestamp =
        pawl_arena_copy(in->arena, json_string_value(json_object_get(metadata, "date")));
  for (size_t i = 0; i < out->count; i++) {
    if (!out->items[i].environment) out->items[i].environment = metadata;
    if (!out->items[i].timestamp) out->items[i].timestamp = out->timestamp;
  }
}

/* --- duplicates --- */

struct identity {
  const struct pawl_result *row;
  size_t index;
};

static int compare_identities(const void *a, const void *b) {
  const struct identity *x = a, *y = b;
  int order = strcmp(x->row->kernel_name, y->row->kernel_name);
  if (order == 0) order = strcmp(x->row->config.name, y->row->config.name);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

static pawl_status check_unique(const struct results_reader *in) {
  const size_t count = in->out->count;
  struct identity *sorted = pawl_arena_alloc(in->arena, count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = (struct identity){&in->out->items[i], i};
  qsort(sorted, count, sizeof *sorted, compare_identities);
  for (size_t i = 1; i < count; i++) {
    const struct pawl_result *a = sorted[i - 1].row, *b = sorted[i].row;
    if (strcmp(a->kernel_name, b->kernel_name) != 0 || strcmp(a->config.name, b->config.name) != 0)
      continue;
    return pawl_json_path_fail(&in->path, NULL, PAWL_BAD_DATA, in->err,
                               "rows %zu and %zu are both kernel '%s' on case '%s': remove one",
                               sorted[i - 1].index, sorted[i].index, a->kernel_name,
                               a->config.name);
  }
  return PAWL_OK;
}

/* --- reading --- */

static pawl_status results_read_document(struct results_reader *in) {
  if (!json_is_object(in->document))
    return pawl_json_value_fail(&in->path, NULL, in->document, "an object", PAWL_BAD_DATA, in->err);
  in->ours = json_object_get(in->document, "schema_version") != NULL;
  PAWL_TRY(pawl_json_check_version(in->document, &in->path, PAWL_RESULTS_SCHEMA, in->err));
  PAWL_TRY(read_header(in));
  for (size_t i = 0; i < PAWL_COUNT(shapes); i++) {
    if (!json_object_get(in->document, shapes[i].key)) continue;
    if (!shapes[i].read)
      return pawl_json_path_fail(&in->path, NULL, PAWL_BAD_DATA, in->err, "%s", shapes[i].words);
    PAWL_TRY(shapes[i].read(in));
    take_metadata(in);
    return check_unique(in);
  }
  return pawl_json_path_fail(
      &in->path, NULL, PAWL_BAD_DATA, in->err,
      "has no results: 'results', 'configs' and 'performance' are all missing");
}

static pawl_status results_finish(struct results_reader *in, const json_t *document,
                                  struct pawl_results *out) {
  struct pawl_results results = {0};
  in->document = document;
  in->out = &results;
  PAWL_TRY(results_read_document(in));
  results.document = json_incref((json_t *)(uintptr_t)document);
  *out = results;
  return PAWL_OK;
}

pawl_status pawl_results_from_json(const json_t *document, const char *name,
                                   struct pawl_arena *arena, struct pawl_results *out,
                                   struct pawl_error *err) {
  struct results_reader in = {.path = PAWL_JSON_KEY(NULL, name), .arena = arena, .err = err};
  return results_finish(&in, document, out);
}

/* Makes a result of a row of ours. Returns the parts of the row that the result borrows. */
static json_t *results_take(void *context, const json_t *document, json_t *row) {
  struct results_reader *in = context;
  const size_t count = in->taken_count;
  if (!json_object_get(document, "schema_version") || count == PAWL_RESULTS_LIMIT) return NULL;
  if ((count & (count - 1)) == 0) { /* there is room for a power of two */
    struct pawl_result *more = pawl_arena_alloc(in->arena, 2 * count + 1, sizeof *more);
    if (count > 0) memcpy(more, in->taken, count * sizeof *more);
    in->taken = more;
  }
  struct pawl_result *result = &in->taken[count];
  if (pawl_result_from_json(row, true, &in->path, in->arena, result, in->err) != PAWL_OK)
    return NULL;
  in->taken_count++;
  json_t *kept = json_array();
  if (result->environment) json_array_append(kept, result->environment);
  if (result->gpu_state) json_array_append(kept, result->gpu_state);
  return kept;
}

/* Takes each row as soon as it is read. Reads a document of any other form, or with an error, again
 * as a whole. */
pawl_status pawl_results_read(const char *path, struct pawl_arena *arena, struct pawl_results *out,
                              struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_TRY(pawl_file_read(path, PAWL_JSON_FILE_LIMIT, &text, err));
  struct pawl_error ignored = {0};
  struct results_reader in = {.path = PAWL_JSON_KEY(NULL, path), .arena = arena, .err = &ignored};
  const struct pawl_json_items rows = {"results", results_take, &in};
  document = pawl_json_plain(text.data, text.length, &rows);
  if (!document) {
    in.taken_count = 0;
    PAWL_TRY(pawl_json_parse(text.data, text.length, path, false, &document, err));
  }
  in.err = err;
  return results_finish(&in, document, out);
}

enum pawl_status_code pawl_results_status(const struct pawl_results *results) {
  bool decided = true, timed = false;
  for (size_t i = 0; i < results->count; i++) {
    const enum pawl_outcome outcome = results->items[i].outcome;
    if (outcome == PAWL_OUTCOME_INCONCLUSIVE) decided = false;
    if (outcome == PAWL_OUTCOME_OK) timed = true;
    if (pawl_outcome_fails(outcome)) return PAWL_FAILED;
  }
  return decided && timed ? PAWL_OK : PAWL_UNDECIDED;
}
