/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/dashboard_api.h"

#include <string.h>

#include "gate/baseline_fields.h"
#include "store/trend_json.h"

static json_t *document_of(json_t *rows) {
  json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set(document, "series", rows);
  return document;
}

pawl_status pawl_dashboard_find_series(struct pawl_store *store, int64_t id,
                                       struct pawl_arena *arena, struct pawl_series **out,
                                       struct pawl_error *err) {
  const struct pawl_series_choice one = {.id = id};
  size_t count = 0;
  if (id) PAWL_TRY(pawl_store_series(store, &one, arena, out, &count, err));
  return count ? PAWL_OK : pawl_fail(err, PAWL_NO_INPUT, "the history has no such series");
}

static json_t *branches_to_json(const struct pawl_branch *branches, size_t count) {
  json_t *rows = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(rows, json_pack("{s:s, s:I}", "name", branches[i].name, "points",
                                          (json_int_t)branches[i].points));
  return rows;
}

/* Lists the series of the same kernel, case, shape and unit on other hardware. */
static pawl_status list_elsewhere(struct pawl_store *store, const struct pawl_series *series,
                                  struct pawl_arena *arena, json_t **out, struct pawl_error *err) {
  const struct pawl_series_choice same = {.kernel_name = series->kernel_name,
                                          .case_name = series->case_name};
  struct pawl_series *found;
  size_t count;
  PAWL_TRY(pawl_store_series(store, &same, arena, &found, &count, err));
  json_t *rows = json_array();
  for (size_t i = 0; i < count; i++) {
    if (found[i].id == series->id || strcmp(found[i].shape, series->shape) != 0 ||
        strcmp(found[i].unit, series->unit) != 0)
      continue;
    json_t *other = json_object();
    pawl_json_set_int(other, "series", found[i].id);
    pawl_json_set_string(other, "hardware", found[i].hardware);
    pawl_json_set_string(other, "hardware_name", found[i].hardware_name);
    json_array_append_new(rows, other);
  }
  *out = rows;
  return PAWL_OK;
}

static pawl_status read_trend(struct pawl_store *store, const struct pawl_dashboard_part *part,
                              struct pawl_arena *arena, json_t **out, struct pawl_error *err) {
  const struct pawl_trend_choice choice = {.from = part->from,
                                           .to = part->to,
                                           .branch = part->branch,
                                           .limit = (size_t)part->points,
                                           .others = true};
  struct pawl_series *series = NULL;
  struct pawl_baseline_move *moves;
  struct pawl_beside *beside;
  struct pawl_branch *branches;
  struct pawl_trend shown;
  json_t *elsewhere;
  size_t move_count, beside_count, branch_count;
  PAWL_TRY(pawl_dashboard_find_series(store, part->series, arena, &series, err));
  PAWL_TRY(pawl_trend_read(store, series, &choice, arena, &shown, err));
  PAWL_TRY(pawl_store_moves(store, series, arena, &moves, &move_count, err));
  PAWL_TRY(pawl_store_beside(store, series, arena, &beside, &beside_count, err));
  PAWL_TRY(pawl_store_branches(store, series->id, arena, &branches, &branch_count, err));
  PAWL_TRY(list_elsewhere(store, series, arena, &elsewhere, err));
  json_t *rows = json_array(), *row = pawl_struct_write(&pawl_trend_fields, &shown),
         *ratchet = json_array(), *others = json_array();
  pawl_json_set_int(row, "stored", (long long)series->points);
  pawl_json_set(row, "branches", branches_to_json(branches, branch_count));
  for (size_t i = 0; i < move_count; i++)
    json_array_append_new(ratchet, pawl_struct_write(&pawl_move_step_fields, &moves[i]));
  pawl_json_set(row, "moves", ratchet);
  for (size_t i = 0; i < beside_count; i++)
    json_array_append_new(others, pawl_struct_write(&pawl_beside_fields, &beside[i]));
  pawl_json_set(row, "beside", others);
  pawl_json_set(row, "elsewhere", elsewhere);
  json_array_append_new(rows, row);
  *out = document_of(rows);
  return PAWL_OK;
}

pawl_status pawl_dashboard_trend(struct pawl_store *store, const struct pawl_dashboard_part *part,
                                 json_t **out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  const enum pawl_status_code status = read_trend(store, part, &arena, out, err);
  pawl_series_summary_keep(store);
  return status;
}

pawl_status pawl_dashboard_compare(struct pawl_store *store, const char *folder, const char *a,
                                   const char *b, struct pawl_arena *arena,
                                   struct pawl_comparison_table *out, struct pawl_error *err) {
  const struct pawl_series_choice any = {0};
  struct pawl_comparison_side sides[2];
  PAWL_TRY(pawl_comparison_find(store, folder, a, arena, &sides[0], err));
  PAWL_TRY(pawl_comparison_find(store, folder, b, arena, &sides[1], err));
  return pawl_comparison_read(store, &sides[0], &sides[1], &any, arena, out, err);
}
