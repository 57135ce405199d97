/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the details of a point, and the noise of the machines from their blocks. */
#include <string.h>

#include "serve/dashboard_api.h"

/* --- a point --- */

static void add_noise(json_t *document, const struct pawl_point_noise *noise) {
  pawl_json_set_string(document, "role", noise->role);
  pawl_json_set_string(document, "machine", noise->machine);
  pawl_json_set_number(document, "base_sd_pct", noise->base_sd_pct);
  pawl_json_set_number(document, "block_sd_pct", noise->block_sd_pct);
  pawl_json_set_number(document, "false_alarm", noise->false_alarm);
}

/* Adds the point's own facts: a page that shows another time knows them from here alone. */
static void add_facts(json_t *document, const struct pawl_point *point) {
  pawl_json_set_int(document, "time", point->time);
  pawl_json_set_string(document, "commit", point->commit);
  pawl_json_set_bool(document, "dirty", point->dirty);
  pawl_json_set_string(document, "verdict", point->verdict);
  pawl_json_set_string(document, "anchor", point->anchor);
  pawl_json_set_bool(document, "identical", point->identical);
}

/* Drops the pooled samples, which only repeat the samples of the processes. */
static void drop_repeated_samples(json_t *result) {
  if (json_array_size(json_object_get(result, "processes")))
    json_object_del(json_object_get(result, "performance"), "samples_ms");
}

static pawl_status read_point(struct pawl_store *store, int64_t point, struct pawl_arena *arena,
                              json_t **out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *result = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *comparison = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *profile = NULL;
  struct pawl_point_noise noise;
  struct pawl_point *facts;
  size_t count;
  PAWL_TRY(pawl_store_noise(store, point, arena, &noise, err));
  PAWL_TRY(pawl_store_points_by_id(store, &point, 1, arena, &facts, &count, err));
  PAWL_TRY(pawl_store_detail(store, point, &result, &comparison, err));
  PAWL_TRY(pawl_store_profile(store, point, &profile, err));
  json_t *document = json_object();
  drop_repeated_samples(result);
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_int(document, "id", point);
  if (count) add_facts(document, facts);
  add_noise(document, &noise);
  pawl_json_set(document, "result", json_incref(result));
  pawl_json_set(document, "comparison", json_incref(comparison));
  pawl_json_set(document, "profile", json_incref(profile));
  *out = document;
  return PAWL_OK;
}

pawl_status pawl_dashboard_point(struct pawl_store *store, int64_t point, json_t **out,
                                 struct pawl_error *err) {
  struct pawl_arena arena = {0};
  const enum pawl_status_code status = read_point(store, point, &arena, out, err);
  pawl_arena_clear(&arena);
  return status;
}

/* --- machines --- */

static json_t *run_to_json(const struct pawl_machine_run *run) {
  json_t *row = json_object();
  pawl_json_set_int(row, "time", run->time);
  pawl_json_set_string(row, "commit", run->commit);
  pawl_json_set_int(row, "comparisons", run->comparisons);
  pawl_json_set_int(row, "regressions", run->regressions);
  pawl_json_set_int(row, "improvements", run->improvements);
  pawl_json_set_number(row, "base_sd_pct", run->base_sd_pct);
  pawl_json_set_number(row, "relative", run->relative);
  pawl_json_set_number(row, "block_sd_pct", run->block_sd_pct);
  pawl_json_set_number(row, "false_alarm", run->false_alarm);
  return row;
}

static bool same_machine(const struct pawl_machine_run *a, const struct pawl_machine_run *b) {
  return !strcmp(a->machine, b->machine);
}

/* The rows come by machine. */
static json_t *machines_to_json(const struct pawl_machine_run *runs, size_t count) {
  json_t *machines = json_array(), *list = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!i || !same_machine(&runs[i], &runs[i - 1])) {
      json_t *machine = json_object();
      pawl_json_set_string(machine, "machine", runs[i].machine);
      pawl_json_set_string(machine, "hardware_name", runs[i].hardware_name);
      pawl_json_set(machine, "runs", list = json_array());
      json_array_append_new(machines, machine);
    }
    json_array_append_new(list, run_to_json(&runs[i]));
  }
  return machines;
}

pawl_status pawl_dashboard_machines(struct pawl_store *store, int64_t most, json_t **out,
                                    struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_machine_run *runs;
  size_t count;
  PAWL_TRY(pawl_store_machines(store, most, &arena, &runs, &count, err));
  *out = json_object();
  pawl_json_set_int(*out, "schema_version", 1);
  pawl_json_set_int(*out, "most_comparisons", most);
  pawl_json_set(*out, "machines", machines_to_json(runs, count));
  return PAWL_OK;
}
