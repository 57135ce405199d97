/* SPDX-License-Identifier: Apache-2.0 */

#include "base/text.h"
#include "fleet/parts.h"

/* A reference is timed beside the kernels of each part, so it may be there several times: the first
   is shown. That no kernel is was seen when the verdicts were joined. */
static bool join_runs_is_there(const struct pawl_results *all, const struct pawl_result *row) {
  for (size_t i = 0; i < all->count; i++)
    if (pawl_text_equal(all->items[i].kernel_name, row->kernel_name) &&
        pawl_text_equal(all->items[i].config.name, row->config.name))
      return true;
  return false;
}

/* The rows of all; what they hold stays the parts'. */
static struct pawl_results join_results(const struct pawl_stored_run *parts, size_t count,
                                        struct pawl_arena *arena) {
  struct pawl_results all = parts[0].results; /* a part that timed nothing has no rows */
  size_t room = 0, first = 0;
  while (first < count && !parts[first].measured.count) first++;
  if (first < count) all = parts[first].measured;
  for (size_t i = 0; i < count; i++) room += parts[i].measured.count;
  all.document = NULL;
  all.items = pawl_arena_alloc(arena, room + 1, sizeof *all.items);
  all.count = 0;
  for (size_t i = 0; i < count; i++) {
    const struct pawl_results *part = &parts[i].measured;
    all.dirty = all.dirty || part->dirty;
    for (size_t j = 0; j < part->count; j++)
      if (!join_runs_is_there(&all, &part->items[j])) all.items[all.count++] = part->items[j];
  }
  return all;
}

/* A verdict names the outcome alone of what was measured; the measurement itself has the times of a
 * new kernel. */
static void show_measurements(struct pawl_ratchet_report *ratchet,
                              const struct pawl_results *measured) {
  for (size_t i = 0; i < ratchet->count; i++) {
    struct pawl_ratchet_row *row = &ratchet->rows[i];
    for (size_t j = 0; row->result && j < measured->count; j++) {
      const struct pawl_result *found = &measured->items[j];
      if (found->outcome == row->result->outcome &&
          pawl_text_equal(found->kernel_name, row->comparison.kernel_name) &&
          pawl_text_equal(found->config.name, row->comparison.config.name))
        row->result = found;
    }
  }
}

static pawl_status read_parts(struct pawl_run_parts *all, char *const *folders,
                              struct pawl_arena *arena, struct pawl_error *err) {
  for (size_t i = 0; i < all->count; i++) {
    PAWL_TRY(pawl_stored_run_read(folders[i], arena, &all->parts[i], err));
    if (all->parts[i].measured_reason)
      return pawl_fail(err, PAWL_BAD_DATA, "%s", all->parts[i].measured_reason);
  }
  return PAWL_OK;
}

pawl_status pawl_fleet_join_runs(char *const *folders, size_t count, struct pawl_arena *arena,
                                 struct pawl_run_parts *out, struct pawl_error *err) {
  *out = (struct pawl_run_parts){.parts = pawl_arena_alloc(arena, count, sizeof *out->parts),
                                 .count = count};
  const char **names = pawl_arena_alloc(arena, count, sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = folders[i];
  PAWL_TRY(read_parts(out, folders, arena, err));
  PAWL_TRY(pawl_stored_run_join(out->parts, names, count, arena, &out->joined, err));
  out->results = join_results(out->parts, count, arena);
  show_measurements(&out->joined.ratchet, &out->results);
  out->joined.report.ratchet = &out->joined.ratchet;
  out->joined.report.results = &out->results;
  return PAWL_OK;
}

void pawl_run_parts_took(struct pawl_run_parts *parts, double seconds) {
  struct pawl_run_report *report = &parts->joined.report;
  report->cost_usd *= seconds / report->seconds;
  report->seconds = seconds;
}

void pawl_run_parts_release(struct pawl_run_parts *parts) {
  if (!parts) return;
  for (size_t i = 0; i < parts->count; i++) pawl_stored_run_release(&parts->parts[i]);
  parts->count = 0;
}
