/* SPDX-License-Identifier: Apache-2.0 */
#include "check/kernel_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "model/fields.h"

#define CHECK_SCHEMA 1

/* --- JSON --- */

static const struct {
  const char *key;
  size_t offset;
} errors[] = {{"max_abs_error", offsetof(struct pawl_error_stats, max_abs_error)},
              {"mean_abs_error", offsetof(struct pawl_error_stats, mean_abs_error)},
              {"max_rel_error", offsetof(struct pawl_error_stats, max_rel_error)},
              {"rel_rms_error", offsetof(struct pawl_error_stats, rel_rms_error)},
              {"correlation", offsetof(struct pawl_error_stats, correlation)}};
#define ERRORS PAWL_COUNT(errors)

static bool is_compared(const struct pawl_check_row *row) {
  return row->outcome == PAWL_OUTCOME_OK || row->outcome == PAWL_OUTCOME_WRONG;
}

static json_t *row_to_json(const struct pawl_check_row *row, const char *gpu) {
  json_t *object = json_object();
  pawl_json_set_int(object, "row", (long long)row->number);
  pawl_json_set(object, "config", pawl_case_to_json(&row->config));
  pawl_json_set_string(object, "distribution", row->distribution);
  pawl_json_set(object, "seed", pawl_seed_to_json(row->seed, false));
  pawl_json_set_string(object, "gpu", gpu);
  pawl_json_set_string(object, "outcome", pawl_outcome_name(row->outcome));
  if (row->not_run) pawl_json_set_bool(object, "not_run", true);
  pawl_json_set_string(object, "reason", row->reason);
  pawl_json_set_number(object, "seconds", row->seconds);
  for (size_t i = 0; i < ERRORS && is_compared(row); i++)
    pawl_json_set_number(object, errors[i].key,
                         *(const double *)((const char *)&row->errors + errors[i].offset));
  if (is_compared(row)) pawl_json_set_string(object, "oracle", row->errors.oracle);
  return object;
}

json_t *pawl_kernel_check_to_json(const struct pawl_kernel_check *checked) {
  const struct pawl_check_report *report = &checked->report;
  json_t *object = json_object(), *rows = json_array();
  pawl_json_set_string(object, "kernel_name", checked->kernel_name);
  pawl_json_set_bool(object, "passed", report->total.passed && !checked->lost);
  pawl_json_set_bool(object, "reduced", report->reduced);
  pawl_json_set_string(object, "oracle", report->total.oracle);
  pawl_json_set_string(object, "not_checked", checked->not_checked);
  pawl_json_set_string(object, "lost", checked->lost);
  pawl_json_set_int(object, "rows_passed", (long long)report->passed);
  pawl_json_set_int(object, "rows_failed", (long long)report->failed);
  pawl_json_set_int(object, "rows_unsupported", (long long)report->unsupported);
  for (size_t i = 0; i < report->count; i++)
    json_array_append_new(rows,
                          row_to_json(&report->rows[i], checked->gpus ? checked->gpus[i] : NULL));
  pawl_json_set(object, "rows", rows);
  return object;
}

json_t *pawl_kernel_checks_document(json_t *kernels) {
  json_t *document = json_object();
  pawl_json_set_int(document, "schema_version", CHECK_SCHEMA);
  pawl_json_set(document, "kernels", kernels);
  return document;
}

/* --- joining --- */

struct part_row {
  struct pawl_check_row row;
  const char *gpu;
};

static int by_number(const void *a, const void *b) {
  const struct part_row *x = a, *y = b;
  return x->row.number < y->row.number ? -1 : x->row.number > y->row.number;
}

static pawl_status kernel_check_read_outcome(const json_t *object, const char *name,
                                             enum pawl_outcome *out, struct pawl_error *err) {
  const char *text;
  PAWL_TRY(pawl_json_get_string(object, "outcome", name, "", &text, err));
  for (int i = 0; i < PAWL_OUTCOMES; i++) {
    if (strcmp(text, pawl_outcome_name((enum pawl_outcome)i)) != 0) continue;
    *out = (enum pawl_outcome)i;
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_BAD_DATA, "%s: no outcome '%s'", name, text);
}

static pawl_status row_from_json(const json_t *object, const char *name, struct pawl_arena *arena,
                                 struct part_row *out, struct pawl_error *err) {
  struct part_row part = {0};
  long long number;
  PAWL_TRY(pawl_json_get_int(object, "row", name, -1, &number, err));
  if (number < 0) return pawl_fail(err, PAWL_BAD_DATA, "%s: a row without a number", name);
  PAWL_TRY(
      pawl_case_from_json(json_object_get(object, "config"), NULL, arena, &part.row.config, err));
  PAWL_TRY(pawl_json_get_string(object, "distribution", name, "", &part.row.distribution, err));
  if (!pawl_seed_from_json(json_object_get(object, "seed"), &part.row.seed))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: a row without a seed", name);
  PAWL_TRY(pawl_json_get_string(object, "gpu", name, NULL, &part.gpu, err));
  PAWL_TRY(kernel_check_read_outcome(object, name, &part.row.outcome, err));
  PAWL_TRY(pawl_json_get_bool(object, "not_run", name, false, &part.row.not_run, err));
  PAWL_TRY(pawl_json_get_string(object, "reason", name, NULL, &part.row.reason, err));
  PAWL_TRY(pawl_json_get_number(object, "seconds", name, NAN, &part.row.seconds, err));
  for (size_t i = 0; i < ERRORS; i++)
    PAWL_TRY(pawl_json_get_number(object, errors[i].key, name, NAN,
                                  (double *)((char *)&part.row.errors + errors[i].offset), err));
  PAWL_TRY(pawl_json_get_string(object, "oracle", name, NULL, &part.row.errors.oracle, err));
  part.row.number = (size_t)number;
  *out = part;
  return PAWL_OK;
}

static const json_t *find_kernel(const json_t *document, const char *kernel) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(document, "kernels"), i, item) {
    const char *name = json_string_value(json_object_get(item, "kernel_name"));
    if (name && !strcmp(name, kernel)) return item;
  }
  return NULL;
}

/* One kernel of all parts. */
static pawl_status join_kernel(json_t *const *documents, int count, const char *kernel,
                               struct pawl_arena *arena, struct pawl_kernel_check *out,
                               struct pawl_error *err) {
  struct pawl_kernel_check checked = {.kernel_name = kernel};
  struct part_row *rows = NULL;
  size_t row_count = 0, room = 0, position = 0;
  bool reduced = false;
  for (int i = 0; i < count; i++)
    room += json_array_size(json_object_get(find_kernel(documents[i], kernel), "rows"));
  rows = pawl_arena_alloc(arena, room + 1, sizeof *rows);
  for (int i = 0; i < count; i++) {
    const json_t *object = find_kernel(documents[i], kernel);
    if (!object) continue;
    const char *not_checked, *lost;
    json_t *row;
    PAWL_TRY(pawl_json_get_bool(object, "reduced", kernel, false, &reduced, err));
    PAWL_TRY(pawl_json_get_string(object, "not_checked", kernel, NULL, &not_checked, err));
    PAWL_TRY(pawl_json_get_string(object, "lost", kernel, NULL, &lost, err));
    if (not_checked) checked.not_checked = not_checked;
    if (lost)
      checked.lost = checked.lost ? pawl_arena_printf(arena, "%s; %s", checked.lost, lost) : lost;
    json_array_foreach(json_object_get(object, "rows"), position, row)
        PAWL_TRY(row_from_json(row, kernel, arena, &rows[row_count++], err));
  }
  qsort(rows, row_count, sizeof *rows, by_number);
  pawl_check_report_init(&checked.report, row_count, reduced, arena);
  checked.gpus = pawl_arena_alloc(arena, row_count + 1, sizeof *checked.gpus);
  for (size_t i = 0; i < row_count; i++) {
    checked.gpus[i] = rows[i].gpu;
    pawl_check_report_add(&checked.report, &rows[i].row);
  }
  *out = checked;
  return PAWL_OK;
}

pawl_status pawl_kernel_checks_join(json_t *const *documents, int count, struct pawl_arena *arena,
                                    struct pawl_kernel_checks *out, struct pawl_error *err) {
  struct pawl_kernel_checks list = {0};
  size_t room = 0, position = 0;
  json_t *item;
  for (int i = 0; i < count; i++) room += json_array_size(json_object_get(documents[i], "kernels"));
  list.items = pawl_arena_alloc(arena, room + 1, sizeof *list.items);
  for (int i = 0; i < count; i++) {
    json_array_foreach(json_object_get(documents[i], "kernels"), position, item) {
      const char *name = json_string_value(json_object_get(item, "kernel_name"));
      bool known = !name;
      for (size_t k = 0; !known && k < list.count; k++)
        known = !strcmp(list.items[k].kernel_name, name);
      if (!known)
        PAWL_TRY(join_kernel(documents, count, name, arena, &list.items[list.count++], err));
    }
  }
  *out = list;
  return PAWL_OK;
}

enum pawl_status_code pawl_kernel_checks_verdict(const struct pawl_kernel_checks *list) {
  size_t done = 0;
  bool lost = false;
  for (size_t i = 0; i < list->count; i++) {
    const struct pawl_kernel_check *checked = &list->items[i];
    if (checked->report.failed) return PAWL_FAILED;
    done += checked->report.passed;
    lost = lost || checked->lost;
  }
  return done && !lost ? PAWL_OK : PAWL_UNDECIDED;
}
