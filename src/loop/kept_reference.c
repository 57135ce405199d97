/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/kept_reference.h"

#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "base/sealed_json.h"

#define FOLDER "references"

static const struct pawl_sealed_kind kept_kind = {"kept reference", 2};

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
                           project->paths.cache_folder, kernel->spec->name, config->name, hash);
}

bool pawl_kept_references_any(const struct pawl_project *project) {
  PAWL_CLEANUP(pawl_free_pointer)
  char *folder = pawl_path_join(project->paths.cache_folder, FOLDER);
  return pawl_is_folder(folder);
}

static pawl_status kept_reference_read_document(const json_t *document, const char *path,
                                                struct pawl_arena *arena,
                                                struct pawl_kept_reference *out,
                                                struct pawl_error *err) {
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
  PAWL_TRY(pawl_sealed_json_read(path, key, &kept_kind, &document, err));
  PAWL_TRY(kept_reference_read_document(document, path, arena, out, err));
  out->document = json_incref(document);
  return PAWL_OK;
}

pawl_status pawl_kept_reference_write(const char *path, const struct pawl_seal_key *key,
                                      const struct pawl_result *row,
                                      const struct pawl_canary *canary, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  pawl_json_set_int(document, "time", (long long)pawl_wall_clock());
  pawl_json_set_number(document, "canary_ms", canary->median_ms);
  pawl_json_set_string(document, "canary_code", canary->code_hash);
  pawl_json_set(document, "result", pawl_result_to_json(row));
  return pawl_sealed_json_write(path, key, &kept_kind, document, err);
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
