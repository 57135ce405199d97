/* SPDX-License-Identifier: Apache-2.0 */
#include "store/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/series_summary.h"

const char *pawl_change_word(const struct pawl_series *series,
                             const struct pawl_series_change *change) {
  const bool larger = change->after > change->before;
  if (!strcmp(series->unit, "ms")) return larger ? "slower" : "faster";
  return larger ? "higher" : "lower";
}

double pawl_change_size(const struct pawl_series_change *change) {
  return fabs(change->after / change->before - 1) * 100;
}

static int compare_ages(const void *a, const void *b) {
  const struct pawl_listed_change *left = a, *right = b;
  if (left->change->at != right->change->at) return left->change->at < right->change->at ? 1 : -1;
  return (left->series->id > right->series->id) - (left->series->id < right->series->id);
}

pawl_status pawl_store_changes(struct pawl_store *store, const struct pawl_series_choice *choice,
                               const char *branch, struct pawl_arena *arena,
                               struct pawl_listed_change **out, size_t *count,
                               struct pawl_error *err) {
  struct pawl_series *series;
  struct pawl_listed_change *found = NULL;
  size_t series_count, have = 0, capacity = 0;
  enum pawl_status_code status =
      pawl_store_series(store, choice, arena, &series, &series_count, err);
  for (size_t i = 0; status == PAWL_OK && i < series_count; i++) {
    struct pawl_series_summary summary = {0};
    status = pawl_series_summary_read(store, &series[i], branch, arena, &summary, err);
    for (size_t j = 0; status == PAWL_OK && j < summary.change_count; j++) {
      found = pawl_grow(found, have, &capacity, sizeof *found);
      found[have++] = (struct pawl_listed_change){&series[i], &summary.changes[j], summary.level};
    }
  }
  pawl_series_summary_keep(store);
  if (status == PAWL_OK) {
    *out = pawl_arena_alloc(arena, have, sizeof **out);
    if (have) memcpy(*out, found, have * sizeof *found);
    if (have) qsort(*out, have, sizeof **out, compare_ages);
    *count = have;
  }
  pawl_free(found);
  return status;
}
