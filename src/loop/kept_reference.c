/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/kept_reference.h"

#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"

#define SCHEMA 2
#define FOLDER "references"
#define SEAL "seal"
#define PURPOSE "kept reference"

const char *pawl_kept_reference_path(struct pawl_project *project,
                                     const struct pawl_ready_kernel *kernel, struct pawl_hash key,
                                     const struct pawl_case *config) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shape = {0};
  struct pawl_hasher hasher;
  char hash[PAWL_HASH_TEXT];
  pawl_case_key(config, &shape);
  pawl_hasher_init(&hasher);
  pawl_hasher_add(&hasher, &key, sizeof key);
  pawl_hasher_add_string(&hasher, config->operator_name);
  pawl_hasher_add_string(&hasher, pawl_text_string(&shape));
  pawl_hash_format(pawl_hasher_finish(&hasher), hash);
  return pawl_arena_printf(&project->arena, "%s/" FOLDER "/%s-%s-%s.json",
                           project->places.cache_folder, kernel->spec->name, config->name, hash);
}

bool pawl_kept_references_any(const struct pawl_project *project) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(project->places.cache_folder, FOLDER);
  return pawl_is_folder(folder);
}

/* Of the document without its seal, in this file: the name of the file says what the result is of.
 */
static void add_document(struct pawl_sealer *sealer, const char *path, const json_t *document) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *slash = strrchr(path, '/');
  pawl_json_write_text(document, true, &text);
  pawl_sealer_add_string(sealer, slash ? slash + 1 : path);
  pawl_sealer_add_string(sealer, pawl_text_string(&text));
}

/* Takes the seal out of the document. */
static pawl_status check_seal(const char *path, const struct pawl_seal_key *key, json_t *document,
                              struct pawl_error *err) {
  struct pawl_sealer sealer;
  struct pawl_seal seal;
  long long schema;
  const char *text;
  PAWL_TRY(pawl_json_get_int(document, "schema_version", path, 0, &schema, err));
  if (schema != SCHEMA)
    return pawl_fail(err, PAWL_NO_INPUT, "another version of pawl kept '%s'", path);
  PAWL_TRY(pawl_json_get_string(document, SEAL, path, "", &text, err));
  enum pawl_seal_state state = PAWL_SEAL_BROKEN;
  if (pawl_seal_parse(text, &seal)) {
    json_object_del(document, SEAL);
    pawl_sealer_init_check(&sealer, key, PURPOSE, &seal);
    add_document(&sealer, path, document);
    state = pawl_sealer_check(&sealer, &seal);
  }
  if (state == PAWL_SEAL_FOREIGN)
    return pawl_fail(err, PAWL_NO_INPUT, "pawl sealed '%s' with another key", path);
  if (state == PAWL_SEAL_BROKEN)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not as pawl wrote it", path);
  return PAWL_OK;
}

static pawl_status read_document(const json_t *document, const char *path, struct pawl_arena *arena,
                                 struct pawl_kept_reference *out, struct pawl_error *err) {
  long long time;
  const char *code;
  struct pawl_kept_reference kept;
  const struct pawl_json_path file = {NULL, path, -1}, place = PAWL_JSON_KEY(&file, "result");
  PAWL_TRY(pawl_json_get_int(document, "time", path, 0, &time, err));
  PAWL_TRY(pawl_json_get_number(document, "canary_ms", path, 0, &kept.canary.median_ms, err));
  PAWL_TRY(pawl_json_get_string(document, "canary_code", path, NULL, &code, err));
  if (!code || !(kept.canary.median_ms > 0))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is not a kept result", path);
  const long long age = (long long)pawl_wall_clock() - time;
  if (age < 0 || age > PAWL_KEPT_SECONDS)
    return pawl_fail(err, PAWL_NO_INPUT, "'%s' is older than a week, or from the future", path);
  PAWL_TRY(pawl_result_from_json(json_object_get(document, "result"), true, &place, arena,
                                 &kept.row, err));
  PAWL_TRY(pawl_result_check(&kept.row, &place, err));
  if (kept.row.outcome != PAWL_OUTCOME_OK || !kept.row.timestamp ||
      !json_is_object(kept.row.environment))
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' has no time, no date or no environment", path);
  kept.canary.code_hash = pawl_arena_copy(arena, code);
  *out = kept;
  return PAWL_OK;
}

pawl_status pawl_kept_reference_read(const char *path, const struct pawl_seal_key *key,
                                     struct pawl_arena *arena, struct pawl_kept_reference *out,
                                     struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  if (!pawl_file_exists(path)) return pawl_fail(err, PAWL_NO_INPUT, "there is no kept result");
  PAWL_TRY(pawl_json_read(path, &document, err));
  PAWL_TRY(check_seal(path, key, document, err));
  PAWL_TRY(read_document(document, path, arena, out, err));
  out->document = json_incref(document);
  return PAWL_OK;
}

pawl_status pawl_kept_reference_write(const char *path, const struct pawl_seal_key *key,
                                      const struct pawl_result *row,
                                      const struct pawl_canary *canary, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  PAWL_CLEANUP(pawl_free_pointer) char *folder = pawl_path_folder(path);
  pawl_json_set_int(document, "schema_version", SCHEMA);
  pawl_json_set_int(document, "time", (long long)pawl_wall_clock());
  pawl_json_set_number(document, "canary_ms", canary->median_ms);
  pawl_json_set_string(document, "canary_code", canary->code_hash);
  pawl_json_set(document, "result", pawl_result_to_json(row));
  struct pawl_sealer sealer;
  char text[PAWL_SEAL_TEXT];
  pawl_sealer_init(&sealer, key, PURPOSE);
  add_document(&sealer, path, document);
  const struct pawl_seal seal = pawl_sealer_finish(&sealer);
  pawl_seal_format(&seal, text);
  pawl_json_set_string(document, SEAL, text);
  PAWL_TRY(pawl_make_folders(folder, err));
  return pawl_json_write(path, document, true, err);
}

static void scale(double *values, size_t count, double factor) {
  for (size_t i = 0; i < count; i++) values[i] *= factor;
}

void pawl_kept_reference_apply(struct pawl_kept_reference *kept, const struct pawl_canary *now) {
  struct pawl_result *row = &kept->row;
  struct pawl_performance *p = &row->performance;
  const double ratio = now->median_ms / kept->canary.median_ms;
  double *const times[] = {&p->median_ms,
                           &p->mean_time_ms,
                           &p->std_dev_ms,
                           &p->min_ms,
                           &p->max_ms,
                           &p->p50_ms,
                           &p->p95_ms,
                           &p->p99_ms,
                           &p->ci_95_low,
                           &p->ci_95_high,
                           &p->process_ci_95_low,
                           &p->process_ci_95_high};
  double *const rates[] = {&p->throughput_gflops, &p->bandwidth_gb_s,
                           &row->roofline.efficiency_pct};
  for (size_t i = 0; i < PAWL_COUNT(times); i++) *times[i] *= ratio;
  for (size_t i = 0; i < PAWL_COUNT(rates); i++) *rates[i] /= ratio;
  scale(p->samples_ms, p->sample_count, ratio);
  for (size_t i = 0; i < row->process_count; i++)
    scale(row->processes[i].samples_ms, row->processes[i].count, ratio);
  pawl_json_set_string(row->environment, PAWL_KEPT_FROM, row->timestamp);
  pawl_json_set_number(row->environment, PAWL_CANARY_RATIO, ratio);
}
